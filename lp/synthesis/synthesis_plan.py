"""Before any budget is spent: how epsilon is divided, which noise, how many points and rows, and what is promised.

The promise in advance comes from the theorems of `bounds`, evaluated for the noise that will really be drawn. Nothing
here looks at the data beyond their number, and under add-remove not even at that.
"""

from __future__ import annotations

from fractions import Fraction

from bounds.errors import ParameterError
from lp.synthesis.plan_drawn import plan_drawn_points
from lp.synthesis.plan_parts import noise_for, promise_for, requirement_for, rows_for
from lp.synthesis.question import ENTROPY_SLACK, GAP, LEAST_SLACK, SAMPLING, Plan, Question


def plan_synthesis(question: Question) -> Plan:
    """Divide the budget, choose noise and sizes, and say what they promise."""
    plan = _every_point(question) if question.takes_every_point else plan_drawn_points(question)
    if question.rows == SAMPLING and ENTROPY_SLACK * plan.noise.quantile < LEAST_SLACK:
        raise ParameterError("rows", SAMPLING, "rounding here", "there is too little noise to choose among densities")
    return plan


def _every_point(question: Question) -> Plan:
    noise = noise_for(question, question.epsilon, question.failure)
    k, row_error = rows_for(question, noise.quantile, question.accuracy)
    slack = ENTROPY_SLACK * (2 * noise.quantile + GAP) if question.rows == SAMPLING else Fraction(0)
    accuracy = 2 * noise.quantile + slack + row_error + GAP
    required = requirement_for(question, "bojkovic2024.uniform")
    return Plan(
        question=question,
        measure_epsilon=Fraction(0),
        noise=noise,
        m=None,
        k=k,
        row_error=row_error,
        gamma=Fraction(0),
        cells_per_axis=None,
        promise=promise_for(question, required, accuracy, route="every point of the domain", any_data=True),
    )
