"""The command that asks the holder of the data one planned question: from options to files and a certificate."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from mechanisms.models.parameters import EXCESS
from release.files.outputs import Outputs
from synthbounds.api.confirming import confirm, model_for, paying_release, query_for
from synthbounds.cli.answer_proof import AnswerProof
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options
from synthbounds.cli.paying import PayingFile


def run(options: argparse.Namespace) -> Outcome:
    """About predictions of any model, or about a linear model."""
    if getattr(options, "predictions", None):
        from synthbounds.cli.confirm_predictions import run_predictions

        return run_predictions(options)
    return _linear(options)


def _linear(options: argparse.Namespace) -> Outcome:
    from mechanisms.models.confirm.ask import Confirmed
    from release.noise.kinds import NOT_A_RELEASE
    from release.query.make import Payer
    from synthbounds.cli.confirm_predictions import refuse_predictions
    from synthbounds.render.confirmation import ConfirmFiles, confirmation_document, confirmation_payload
    from synthbounds.render.excess_query import excess_document, excess_payload
    from synthbounds.render.query_cost import NOT_PRIVATE

    refuse_predictions(options)
    require_options(options, "model")
    if options.certificate is not None and options.ask != EXCESS:
        raise UsageError("certificate: goes with --ask excess or --predictions: other answers have no such file")
    paying = PayingFile(options)
    release = paying_release(options.release)
    if not release.is_simulated:
        require_options(options, "output")
    previous = None if options.previous is None else query_for(options.previous, release)
    model = model_for(options.model, release)
    against = [model_for(path, release) for path in options.against or ()]
    if options.output is not None:
        paying.require_place()
    found = call(
        confirm,
        options,
        release=release,
        model=model,
        previous=previous,
        against=against,
        book=None if release.is_simulated else paying.book,
    )

    proof = None if isinstance(found, Confirmed) else AnswerProof(options, release, found.query)

    def stage(outputs: Outputs) -> None:
        if proof is not None:
            proof.stage(outputs)
        if options.output is None:  # a simulation that is only looked at
            return
        if release.is_simulated:  # nothing was spent: both files, or none
            paying.mark(outputs, Payer(release=found.release, previous=found.previous))
        outputs.add(options.output, found.query.to_text().encode(), name="output")

    files = ConfirmFiles(options.table, options.release, options.model, options.output, options.previous)
    return Outcome(
        lambda: confirmation_document(found, files) if isinstance(found, Confirmed) else excess_document(found, files),
        lambda: confirmation_payload(found, files) if isinstance(found, Confirmed) else excess_payload(found, files),
        (
            *((NOT_A_RELEASE,) if release.is_simulated else ()),
            *((NOT_PRIVATE,) if options.model_from == "table" else ()),
            *(() if proof is None else proof.warnings),
        ),
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
        spent=not release.is_simulated,
    )
