"""The command that asks the steward one planned question: from options to files and a certificate."""

from __future__ import annotations

import argparse

from bounds.certify.verdict import VACUOUS
from synthbounds.api.confirming import confirm, model_for
from synthbounds.cli.answer_proof import VACUOUS_WARNING
from synthbounds.cli.asking import Asking
from synthbounds.cli.outcome import Outcome, require_options


def run(options: argparse.Namespace) -> Outcome:
    """About predictions of any model, or about a linear model."""
    if getattr(options, "predictions", None):
        from synthbounds.cli.confirm_predictions import run_predictions

        return run_predictions(options)
    return _linear(options)


def _linear(options: argparse.Namespace) -> Outcome:
    from mechanisms.models.confirm.ask import Confirmed
    from release.query.make import Payer
    from synthbounds.cli.confirm_predictions import refuse_predictions
    from synthbounds.render.confirmation import confirmation_document, confirmation_payload
    from synthbounds.render.excess_query import excess_document, excess_payload
    from synthbounds.render.query_cost import NOT_PRIVATE

    refuse_predictions(options)
    require_options(options, "model")
    asking = Asking(options)
    model = model_for(options.model, asking.release)
    against = [model_for(path, asking.release) for path in options.against or ()]
    found = asking.ask(confirm, model=model, against=against, with_certificate=options.certificate is not None)
    files = asking.files
    vacuous = not isinstance(found, Confirmed) and found.proved.verdict.word == VACUOUS
    return asking.staged(
        lambda: confirmation_document(found, files) if isinstance(found, Confirmed) else excess_document(found, files),
        lambda: confirmation_payload(found, files) if isinstance(found, Confirmed) else excess_payload(found, files),
        query=found.query,
        payer=Payer(release=found.release, previous=found.previous),
        warnings=(
            *((NOT_PRIVATE,) if options.model_from == "table" else ()),
            *((VACUOUS_WARNING,) if vacuous else ()),
        ),
    )
