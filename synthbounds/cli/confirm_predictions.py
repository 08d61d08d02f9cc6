"""The way of `confirm` that asks about predictions of any model: from options to files and certified intervals."""

from __future__ import annotations

import argparse
from pathlib import Path

from bounds.errors import UsageError
from mechanisms.models.query_parameters import CONFIRM, PREDICTED_ASKS, PREDICTIONS
from synthbounds.api.predictions import confirm_predictions, require_question
from synthbounds.cli.asking import Asking
from synthbounds.cli.outcome import Outcome, is_said

_FOR_LINEAR = ("tau", "ridge", "largest_intercept", "against", "anyway")


def run_predictions(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.any_model import scored_document, scored_payload

    for name in _FOR_LINEAR:
        if is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for linear models: predictions have no class")
    if options.ask is not None and options.ask not in PREDICTED_ASKS:
        raise UsageError(f"ask = {options.ask[:40]}: for predictions it must be one of {', '.join(PREDICTED_ASKS)}")
    names = ("model_from", "loss", "least_positive", "least_other")
    require_question(options.ask, **{name: getattr(options, name) for name in names})
    asking = Asking(options)
    found = asking.ask(confirm_predictions, predictions=[Path(name) for name in options.predictions])
    files, payer = asking.files, found.booking.payer
    return asking.staged(
        lambda: scored_document(found.scored, payer.release, files, found.half_width),
        lambda: scored_payload(found.scored, payer.release, files, found.half_width),
        query=found.booking.query,
        payer=payer,
    )


def refuse_predictions(options: argparse.Namespace) -> None:
    """Refuse, for a linear model, options that are only for predictions."""
    for parameter in CONFIRM:
        if parameter.group == PREDICTIONS and is_said(options, parameter.name):
            raise UsageError(f"{parameter.name.replace('_', '-')} is for predictions: add --predictions")
