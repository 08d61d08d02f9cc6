"""Plans that measure only one-way answers: always at degree 1, and whenever a coarse accuracy needs no more.

Which one it is follows from public numbers. At higher degrees the product of one-way tables is taken if it keeps the
requested promise and the programme on all queries does not: with enough records the programme is nearer.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.arithmetic.ball import BALL
from bounds.errors import NotApplicable
from bounds.roots import first_integer
from bounds.solve import enclose
from bounds.theorems.synthbounds_product import LISTED
from lp.synthesis.plan_parts import noise_for, promise_for, requirement_for, row_error
from lp.synthesis.question import (
    FREE,
    GAP,
    MOST_ROWS,
    ROUNDING,
    SAMPLING,
    TREE,
    UNIFORM,
    Plan,
    ProductPlan,
    Question,
    usual_measure,
)
from release.statistics.families import ProductFamily, build_family

ROUTE = "product of one-way tables"


def plan_product(question: Question) -> Plan | None:
    """The plan by one-way answers; None if the question is not for it."""
    family, facts = question.family, question.family.facts
    free = question.measure in FREE and question.m is None and question.lipschitz is None
    d = question.degree
    if not free or d is None or facts.one_way is None or not isinstance(family, ProductFamily):
        return None
    if d > 1 and question.accuracy is None:
        return None
    question = replace(question, measure=UNIFORM)  # there are no points, and so no tree of them
    one_way = build_family(facts.name, question.domain, 1)
    asked = replace(question, family=one_way, degree=1)
    try:
        noise = noise_for(asked, question.epsilon, question.failure)
    except NotApplicable:
        return None
    eta = one_way.facts.stretch * noise.quantile
    ways = (
        ProductPlan(
            question=question,
            one_way=asked,
            centred=False,
            error=max(facts.plain + eta, (1 - Fraction(1, d) + eta) ** d) + GAP,
        ),
        ProductPlan(question=question, one_way=asked, centred=True, error=facts.centred + eta + GAP),
    )
    required = requirement_for(question, "bojkovic2024.uniform", ROUTE)
    plans = []
    for product in ways[: 1 if d == 1 else 2]:
        k, whole, error = _rows(question, product.error)
        plans.append(
            Plan(
                question=question,
                measure_epsilon=Fraction(0),
                noise=noise,
                m=None,
                k=k,
                rows=question.rows if whole else SAMPLING,
                rows_reason="the columns are shuffled" if question.rows == ROUNDING and not whole else "",
                row_error=error,
                gamma=Fraction(0),
                cells_per_axis=None,
                promise=promise_for(question, required, product.error + error, route=ROUTE, any_data=True),
                product=replace(product, whole=whole),
            )
        )
    return next((plan for plan in plans if plan.promise.kept), min(plans, key=_promised))


def unused_options(question: Question, *, exact: bool) -> str:
    """Requested options that have no effect when columns are independent, in words."""
    said = {
        f"--measure {TREE}": question.measure == TREE != usual_measure(question.family),
        f"--solver {question.solver}": question.solver != "auto",
        "--exact": exact,
    }
    unused = [option for option, is_said in said.items() if is_said]
    return f"; not used: {', '.join(unused)}" if unused else ""


def _promised(plan: Plan) -> Fraction:
    assert plan.promise.accuracy is not None
    return plan.promise.accuracy


def _rows(question: Question, distance: Fraction) -> tuple[int, bool, Fraction]:
    """As many rows as records, or as the accuracy needs; whether the density is rounded; what rows add."""
    k = question.k
    if k is None:
        k = max(1, min(MOST_ROWS, question.size))
        left = Fraction(0) if question.accuracy is None else question.accuracy - distance
        if 0 < left < _error(question, k)[1]:
            k = first_integer(lambda rows: _error(question, rows)[1] <= left, low=k, high=MOST_ROWS)
    return (k, *_error(question, k))


def _error(question: Question, k: int) -> tuple[bool, Fraction]:
    """Whether k rows are rounded from the density on all points, and what they add; otherwise columns are shuffled."""
    shuffled, rounded = shuffled_error(question, k), row_error(question, k)
    preferred = rounded < shuffled or question.rows == ROUNDING
    whole = preferred and question.domain.size * question.family.count <= LISTED
    return whole, rounded if whole else shuffled


def shuffled_error(question: Question, k: int) -> Fraction:
    """The error added by k rows whose columns have the right shares and are shuffled until they fit."""
    facts, degree = question.family.facts, question.degree
    assert facts.one_way is not None
    assert degree is not None
    rounding = degree * max(Fraction(1), Fraction(max(question.domain.sizes), 4)) / k
    others = facts.varying - facts.one_way.varying
    if not others:
        return Fraction(facts.range_width) * rounding
    chance = enclose(lambda: BALL.sqrt(BALL.log(BALL.ratio(4 * others)) / (2 * k))).hi
    return Fraction(facts.range_width) * (rounding + chance)
