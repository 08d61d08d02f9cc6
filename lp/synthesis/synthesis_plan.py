"""Before any budget is spent: the division of epsilon, the noise, the numbers of points and rows, and the promise.

The promise in advance comes from the theorems of `bounds`, evaluated for the noise that will really be drawn. Nothing
here looks at the data beyond their number, and under add-remove not even at that.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from lp.synthesis.plan_drawn import plan_drawn_points
from lp.synthesis.plan_parts import noise_for, promise_for, requirement_for, rows_for
from lp.synthesis.plan_product import plan_product
from lp.synthesis.question import GAP, Plan, Promise, Question


def plan_synthesis(question: Question) -> Plan:
    """Divide the budget, choose noise and sizes, and say what they promise."""
    product = plan_product(question)
    if product is not None and question.degree == 1:
        return product
    plan = _on_all_queries(question)
    if product is None or plan.promise.kept:
        return plan
    if product.promise.kept:
        return product
    return replace(plan, promise=_with_nearer(plan.promise, product.promise))


def _with_nearer(promise: Promise, other: Promise) -> Promise:
    """If both miss the accuracy, the reason of the one that is nearer to it, if any size would reach it."""
    assert other.accuracy is not None
    nearer = promise.accuracy is None or other.accuracy < promise.accuracy
    return replace(promise, broken=other.broken) if nearer and other.required_size is not None else promise


def _on_all_queries(question: Question) -> Plan:
    return _every_point(question) if question.takes_every_point else plan_drawn_points(question)


def _every_point(question: Question) -> Plan:
    noise = noise_for(question, question.epsilon, question.failure)
    made = rows_for(question, noise.quantile, points=None, distance=Fraction(0))
    accuracy = 2 * noise.quantile + made.slack + made.error + GAP
    required = requirement_for(question, "bojkovic2024.uniform", "full support")
    return Plan(
        question=question,
        measure_epsilon=Fraction(0),
        noise=noise,
        m=None,
        k=made.k,
        rows=made.rows,
        rows_reason=made.reason,
        row_error=made.error,
        gamma=Fraction(0),
        cells_per_axis=None,
        promise=promise_for(question, required, accuracy, route="every point of the domain", any_data=True),
    )
