"""What one gradient query is expected to certify, paid for by budget that a release keeps: an estimate.

The noise of the query is known in advance; the gradient is guessed: how steep the risk is along the model, the noise of
the release that a trained model carries, and what synthetic records miss.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.classes import INSIDE, ModelClass
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.confirm.line import MISSED, rank_lines
from release.moments.planned import MomentPlan

SHARES = (Fraction(1, 6), Fraction(2, 5))
"""Of the budget, for one query: what is looked at where none is said."""
LINES = ((Fraction(0), Fraction(0)), (Fraction(1, 2), Fraction(0)), (Fraction(1), Fraction(1)))


@dataclass(frozen=True, kw_only=True)
class QueryForecast:
    """What one gradient query would certify, paid for by a share of the budget; an estimate."""

    reserve: Fraction
    bound_est: float
    offset: Fraction
    """The line taken out of the slopes: see mechanisms.models.confirm.line."""
    slope: Fraction


def query_forecast(
    release: MomentPlan,
    coefficients: tuple[Fraction, ...],
    compared_with: ModelClass,
    *,
    beta: Fraction,
    multiplier_est: float,
) -> QueryForecast | None:
    """What a query of the open reservation is expected to certify; None where queries certify nothing for the class.

    `multiplier_est` is that of the norm in training: with the norm of the model it says how steep the risk is there.
    """
    add_remove = release.adjacency is Adjacency.ADD_REMOVE
    if compared_with.intercept != INSIDE or (compared_with.ridge is not None and add_remove):
        return None
    norm = (release.feature_map.squared_norm * sum(float(c) ** 2 for c in coefficients)) ** 0.5
    ridge = compared_with.ridge or Fraction(0)
    lines = rank_lines(
        release,
        coefficients,
        failure=beta,
        along=Fraction((multiplier_est + float(ridge)) * norm),
        loss=compared_with.loss,
        tau=compared_with.tau,
        ridge=ridge,
        lines=LINES,
        missed=MISSED[compared_with.loss] * norm**2,
    )
    best = lines[0]
    return QueryForecast(reserve=release.reserve, bound_est=float(best.expected), offset=best.offset, slope=best.slope)
