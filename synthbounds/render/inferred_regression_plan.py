"""Planned regressions as blocks of a document and as JSON."""

from __future__ import annotations

from typing import Any

from bounds.exact import show_rational
from mechanisms.infer.regression.plan import PlannedCoefficient, RegressionPlan
from synthbounds.render.document import Answer, Block, Facts, Table, Title, Vacuous
from synthbounds.render.inferred_regression import PROOF, SCALE, half_text, unit_payload


def regression_plan_blocks(plan: RegressionPlan) -> tuple[Block, ...]:
    """Half-widths to expect, and what they assume."""
    size = f"{plan.size:,} records" if plan.n_is_public else f"at least {plan.size:,} records"
    level = show_rational(plan.level * 100)
    told = f"A release of moments of {size} would give these half-widths at {level} %"
    blocks: list[Block] = [
        Title(f"Plan of a regression: {plan.formula}", f"{told}, if its columns were independent."),
        Answer(
            (
                ("signal", f"{plan.signal:.3g}", "times the noise: of the weakest equation, as assumed"),
                ("needed", f"{plan.needed:.3g}", "times the noise, for bounds on all coefficients at once"),
            )
        ),
    ]
    if not plan.is_bounded:
        blocks.append(Vacuous("all coefficients at once would have no bounds: ask about fewer columns, or spend more"))
    columns = ("coefficient", "alone", "all at once", "population", "without privacy")
    rows = tuple(
        (one.name, *map(half_text, (one.alone, one.joint, one.population, one.without_privacy)))
        for one in plan.coefficients
    )
    facts = (
        ("Assumed", "independent columns whose values are equally frequent; half of the variance explained, evenly"),
        ("Real tables", f"their columns depend on each other: bounds on all coefficients need a least eigenvalue of "
                        f"the second moments above about {plan.least_eigenvalue:.2g}"),
        ("Scale", SCALE),
        ("Spent", "nothing: this is a plan"),
        ("Proof", PROOF),
        *(("Note", note) for note in plan.notes),
    )  # fmt: skip
    return (*blocks, Table("Half-widths to expect", columns, rows, right=frozenset({1, 2, 3, 4})), Facts(facts))


def regression_plan_details(plan: RegressionPlan) -> dict[str, Any]:
    return {
        "formula": plan.formula,
        "response": plan.response,
        "level": show_rational(plan.level),
        "ridge": show_rational(plan.ridge) if plan.ridge else None,
        "size": plan.size,
        "size_is_exact": plan.n_is_public,
        "bounded": plan.is_bounded,
        "signal_est": plan.signal,
        "signal_needed": plan.needed,
        "least_eigenvalue_needed_est": plan.least_eigenvalue,
        "coefficients": [_planned_payload(one) for one in plan.coefficients],
        "notes": list(plan.notes),
        "proof": PROOF,
    }


def _planned_payload(one: PlannedCoefficient) -> dict[str, Any]:
    return {
        "name": one.name,
        "alone_est": one.alone,
        "joint_est": one.joint,
        "population_est": one.population,
        "without_privacy_est": one.without_privacy,
        "unit": unit_payload(one.unit),
    }
