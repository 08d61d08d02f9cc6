"""The way of `confirm` that asks about predictions of any model: from options to files and certified intervals."""

from __future__ import annotations

import argparse
from pathlib import Path

from bounds.errors import UsageError
from mechanisms.models.parameters import CONFIRM, PREDICTED_ASKS, PREDICTIONS
from release.files.outputs import Outputs
from synthbounds.api.confirming import paying_release, query_for
from synthbounds.api.predictions import confirm_predictions
from synthbounds.cli.answer_proof import AnswerProof
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said, require_options
from synthbounds.cli.paying import PayingFile

_FOR_LINEAR = ("tau", "ridge", "largest_intercept", "against", "anyway")


def run_predictions(options: argparse.Namespace) -> Outcome:
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.any_model import ScoredFiles, scored_document, scored_payload

    for name in _FOR_LINEAR:
        if is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for linear models: predictions have no class")
    if options.ask is not None and options.ask not in PREDICTED_ASKS:
        raise UsageError(f"ask = {options.ask[:40]}: of predictions one of {', '.join(PREDICTED_ASKS)} is asked")
    require_options(options, "model_from")
    paying = PayingFile(options)
    release = paying_release(options.release)
    if not release.is_simulated:
        require_options(options, "output")
    previous = None if options.previous is None else query_for(options.previous, release)
    if options.output is not None:
        paying.require_place()
    found = call(
        confirm_predictions,
        options,
        release=release,
        predictions=[Path(name) for name in options.predictions],
        previous=previous,
        book=None if release.is_simulated else paying.book,
    )

    proof = AnswerProof(options, release, found.booking.query)

    def stage(outputs: Outputs) -> None:
        proof.stage(outputs)
        if options.output is None:  # a simulation that is only looked at
            return
        if release.is_simulated:  # nothing was spent: both files, or none
            paying.mark(outputs, found.booking.payer)
        outputs.add(options.output, found.booking.query.to_text().encode(), name="output")

    files = ScoredFiles(options.release, paying.path, options.model, options.output)
    return Outcome(
        lambda: scored_document(found.scored, found.booking.payer.release, files, found.half_width),
        lambda: scored_payload(found.scored, found.booking.payer.release, files, found.half_width),
        ((NOT_A_RELEASE,) if release.is_simulated else ()) + proof.warnings,
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
        spent=not release.is_simulated,
    )


def refuse_predictions(options: argparse.Namespace) -> None:
    """Refuse, for a linear model, what is said of predictions alone."""
    for parameter in CONFIRM:
        if parameter.group == PREDICTIONS and is_said(options, parameter.name):
            raise UsageError(f"{parameter.name.replace('_', '-')} is for predictions: add --predictions")
