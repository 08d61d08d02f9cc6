"""What a planned table would promise, by the method that will be used: from public facts, as the command does."""

from __future__ import annotations

import argparse
import inspect
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bounds.enclosure import decimal_text
from bounds.errors import SynthboundsError

if TYPE_CHECKING:
    from mechanisms.mechanism import Public
    from mechanisms.synth.ask import SynthRequest
    from release.data.schema import Schema

_FORECAST_WITH = frozenset(
    ("mode", "epsilon", "dp_delta", "adjacency", "least_size", "label", "method", "k", "rows", "failure")
)
"""Options that do not affect a forecast; with others none is made."""
_DIGITS = 3


def promised_by(options: argparse.Namespace, schema: Schema, size: int) -> dict[str, Any]:
    """The method with its reason, and the errors of what it measures; or why there are none."""
    from mechanisms.mechanism import Public
    from mechanisms.synth.ask import read_request
    from synthbounds.api.tables import NOT_READ, synthesize
    from synthbounds.report.plain import confidence

    try:
        names = inspect.signature(synthesize).parameters.keys() - set(NOT_READ)
        request = read_request({name: getattr(options, name, None) for name in names})
        public = Public(schema=schema, adjacency=request.adjacency, size=size)
        choice = request.choice(public)
        errors, why = _errors(request, choice.method, public)
        failure = request.wish.failure
    except SynthboundsError as refusal:
        return {"refused": str(refusal)}
    found = {"method": choice.method, "reason": choice.reason, "advice": choice.advice, "errors": errors, "why": why}
    return found | {"surely": confidence(failure)}


def _errors(request: SynthRequest, method: str, public: Public) -> tuple[dict[str, Any], str]:
    from mechanisms.density_lp import programme_promise
    from mechanisms.planning.forecast import Budget, Planned
    from mechanisms.planning.methods import forecast
    from mechanisms.planning.parameters import LP, METHODS

    wish = request.wish
    if method == LP:
        assert request.programme is not None
        promise = programme_promise(request.programme, public)
        nothing = "the linear programme promises nothing here"
        return ({}, nothing) if promise is None else ({"asked": _shown(promise, vacuous=False)}, "")
    if method not in METHODS or not set(wish.options) <= _FORECAST_WITH:
        return {}, "its errors are known once it is made"
    planned = Planned(public=public, beta=wish.failure, label=wish.label)
    found = forecast(method, planned, Budget(epsilon=wish.epsilon, dp_delta=wish.dp_delta))
    errors = {kind.replace("-", "_"): _shown(b.value, vacuous=b.vacuous) for kind, b in found.errors.items()}
    return errors, found.reason


def _shown(value: Fraction, *, vacuous: bool) -> dict[str, Any]:
    return {"error": decimal_text(value, _DIGITS, up=True), "vacuous": vacuous}
