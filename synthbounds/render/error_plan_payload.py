"""The plan of a release as JSON. The contract: docs/json.md."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import Any

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from bounds.privacy.adjacency import Adjacency
from mechanisms.planning.error_plan import ErrorPlan
from mechanisms.planning.forecast import Forecast, Work
from mechanisms.planning.parameters import KINDS
from mechanisms.planning.solve import Solution
from synthbounds.render.numbers import json_integer

_DIGITS = 25


def error_plan_payload(plan: ErrorPlan) -> dict[str, Any]:
    question, wanted = plan.question, plan.question.wanted
    public = question.adjacency is Adjacency.REPLACE_ONE
    size = json_integer(question.size)
    return {
        "columns": len(question.schema.columns),
        "domain_size": json_integer(question.schema.domain.size),
        "adjacency": question.adjacency.value,
        "n_is_public": public,
        "n": size if public else None,
        "least_size": None if public else size,
        "beta": show_rational(question.beta),
        "epsilon": show_rational(plan.epsilon),
        "dp_delta": None if plan.dp_delta is None else show_rational(plan.dp_delta),
        "wanted": None
        if wanted is None
        else {"error": show_rational(wanted.error), "of": wanted.kind, "method": wanted.method},
        "solutions": [_solution_payload(found) for found in plan.solutions],
        "rows": [_row_payload(found) for found in plan.forecasts],
        "certificates": [
            {"epsilon": show_rational(found.epsilon), "norm": found.norm, "excess_est": found.excess_est}
            for found in plan.certificates
        ],
        "without_certificates": plan.without_certificates or None,
    }


def _solution_payload(found: Solution) -> dict[str, Any]:
    def exactly(value: Fraction | None) -> str | None:
        return None if value is None else show_rational(value)

    return {
        "method": found.method,
        "parameter": found.parameter,
        "pure": found.pure,
        "value": exactly(found.value),
        "dp_delta": exactly(found.dp_delta),
        "error": None if found.error is None else decimal_text(found.error, _DIGITS, up=True),
        "neighbour": exactly(found.neighbour),
        "neighbour_error": None
        if found.neighbour_error is None
        else decimal_text(found.neighbour_error, _DIGITS, up=False),
        "reason": found.reason,
    }


def _row_payload(found: Forecast) -> dict[str, Any]:
    delta = found.budget.dp_delta
    errors = {
        kind.replace("-", "_"): {"error": decimal_text(bound.value, _DIGITS, up=True), "vacuous": bound.vacuous}
        for kind in KINDS
        if (bound := found.errors.get(kind)) is not None
    }
    return {
        "method": found.method,
        "epsilon": show_rational(found.budget.epsilon),
        "dp_delta": None if delta is None else show_rational(delta),
        "noise": found.noise or None,
        **{kind.replace("-", "_"): None for kind in KINDS},
        **errors,
        "reason": found.reason,
        "work": None if found.work is None else _work_payload(found.work),
    }


def _work_payload(work: Work) -> dict[str, Any]:
    return {**asdict(work), "noise_est": f"{work.noise_est:.4g}", "cpu_seconds_est": f"{work.cpu_seconds_est:.2g}"}
