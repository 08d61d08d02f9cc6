"""One question at many values of one option: certified points, one at a time so that a page can draw along.

A point has what a curve shows and nothing more; a full answer is a question of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any

from bounds.errors import SynthboundsError, UsageError
from bounds.exact import show_rational
from synthbounds.render.numbers import json_enclosure, json_integer
from synthbounds.web.allowed import MOST_VALUES, shown
from synthbounds.web.door import Question, parameter_named, run

if TYPE_CHECKING:
    from bounds.risk.answer import RiskAnswer
    from bounds.sizes.requirement import Requirement
    from bounds.sizes.solve_for import Inversion
    from synthbounds.api.planning import PlannedCertificate

_NOTHING: dict[str, Any] = dict.fromkeys(("n", "m", "k", "value", "limit")) | {"vacuous": False, "ends": False}


def points(question: Question, over: object, values: object) -> Iterator[dict[str, Any]]:
    """A point for every value; one without an answer says why."""
    if question.command.name not in _POINTS:
        raise UsageError(f"command = {question.command.name}: has no curve; only {', '.join(_POINTS)} have one")
    parameter = parameter_named(question.command, over)
    if parameter.kind == "flag":
        raise UsageError(f"over = {shown(over)}: must be an option with values")
    if not isinstance(values, list) or not 1 <= len(values) <= MOST_VALUES:
        raise UsageError(f"values: must be a list of 1 to {MOST_VALUES} texts")
    asked = [question.at(parameter, value) for value in values]  # all are read before the first is answered
    for value, one in zip(values, asked, strict=True):
        try:
            found = _POINTS[one.command.name](run(one).answer)
            yield {"x": value, **_NOTHING, **found, "error": None}
        except SynthboundsError as error:
            yield {"x": value, **_NOTHING, "error": " ".join(str(error).split())}


def _sizes(answer: Requirement) -> dict[str, Any]:
    limit = answer.lower_bound
    return {
        "n": json_integer(answer.n),
        "m": json_integer(answer.m),
        "k": json_integer(answer.k),
        "limit": None if limit is None else json_integer(limit.n),
        "vacuous": answer.guarantee.vacuous,
    }


def _require(answer: Requirement | Inversion) -> dict[str, Any]:
    from bounds.sizes.solve_for import Inversion

    if not isinstance(answer, Inversion):
        return _sizes(answer)
    return {**_sizes(answer.requirement), "value": show_rational(answer.value), "ends": answer.neighbour is None}


def _risk(answer: RiskAnswer) -> dict[str, Any]:
    from bounds.risk.answer import RiskAnswer

    if not isinstance(answer, RiskAnswer):
        raise UsageError("theorem: this one has no curve")
    value = json_enclosure(answer.bound) if answer.solved is None else show_rational(answer.solved.value)
    ends = answer.solved is not None and answer.solved.neighbour is None
    return {"n": json_integer(answer.n), "value": value, "vacuous": answer.vacuous, "ends": ends}


def _certify(answer: PlannedCertificate) -> dict[str, Any]:
    from bounds.certify.verdict import VACUOUS

    plan = answer.plan
    value = f"{plan.best_est:.6g}".replace("e+", "e") if isfinite(plan.best_est) else None
    if answer.solved == "epsilon":
        value = show_rational(plan.question.epsilon)
    return {"n": json_integer(plan.question.n), "value": value, "vacuous": plan.verdict_est == VACUOUS}


_POINTS: dict[str, Callable[[Any], dict[str, Any]]] = {"require": _require, "risk": _risk, "certify": _certify}
