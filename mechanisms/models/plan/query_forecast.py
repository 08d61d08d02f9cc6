"""An estimate of what one query would certify, paid for from the reserved budget of a release.

The noise of a query is known in advance. For an excess this is nearly everything: only the suboptimality left by
training is missing. For a gradient the rest is guessed: the slope of the risk along the model, the noise of the release
that a trained model carries, and what synthetic records miss.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.classes import INSIDE, ModelClass, within_norm
from bounds.certify.excess_query import ExcessPlan
from bounds.certify.loss_ranges import oscillation, supremum
from bounds.certify.margin_losses import LOSSES
from bounds.certify.problem import KnownMoments
from bounds.errors import NotApplicable
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.confirm.line import MISSED, rank_lines
from mechanisms.models.confirm.prove_excess import EXCESS_PART
from mechanisms.models.query_parameters import EXCESS, GRADIENT
from release.moments.planned import MomentPlan
from release.statistics.label_counts import LABEL_SHARE
from release.statistics.least_loss import GAP_SHARES

SHARES = (Fraction(1, 6), Fraction(2, 5))
"""Shares of the budget for one query that are considered if none is given."""
LINES = ((Fraction(0), Fraction(0)), (Fraction(1, 2), Fraction(0)), (Fraction(1), Fraction(1)))


@dataclass(frozen=True, kw_only=True)
class QueryForecast:
    """What one query would certify, paid for by a share of the budget; an estimate."""

    ask: str
    """gradient or excess."""
    reserve: Fraction
    bound_est: float
    offset: Fraction = Fraction(0)
    """The line taken out of the slopes of a gradient: see mechanisms.models.confirm.line."""
    slope: Fraction = Fraction(0)


def forecasts(
    release: MomentPlan,
    known: KnownMoments,
    coefficients: tuple[Fraction, ...],
    compared_with: ModelClass,
    scores: tuple[Fraction, Fraction],
    *,
    multiplier_est: float,
    beta: Fraction,
) -> tuple[QueryForecast, ...]:
    """Queries of both kinds, if possible, for a model with these coefficients and this least and largest score.

    The known moments bound an intercept that the norm does not.
    """
    found = [gradient_forecast(release, coefficients, compared_with, beta=beta, multiplier_est=multiplier_est)]
    try:
        class_reach = within_norm(compared_with, known).reach
    except NotApplicable:  # a free intercept, and too much noise to see both labels
        pass
    else:
        own_reach = max(abs(end) for end in scores)
        found.append(excess_forecast(release, compared_with, own_reach=own_reach, class_reach=class_reach, beta=beta))
    return tuple(query for query in found if query is not None)


def gradient_forecast(
    release: MomentPlan,
    coefficients: tuple[Fraction, ...],
    compared_with: ModelClass,
    *,
    beta: Fraction,
    multiplier_est: float,
) -> QueryForecast | None:
    """What a query for the gradient is expected to certify; None if it certifies nothing for the class.

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
    return QueryForecast(
        ask=GRADIENT,
        reserve=release.reserve,
        bound_est=float(best.expected),
        offset=best.offset,
        slope=best.slope,
    )


def excess_forecast(
    release: MomentPlan, compared_with: ModelClass, *, own_reach: Fraction, class_reach: Fraction, beta: Fraction
) -> QueryForecast | None:
    """What a query for the excess is expected to certify for a model as good as the best; None if it is impossible.

    Scores of the model are at most `own_reach` in size, and those of the class at most `class_reach`.
    """
    loss, hidden = compared_with.loss, release.adjacency is Adjacency.ADD_REMOVE
    if loss not in LOSSES or (hidden and compared_with.ridge is not None):
        return None
    moved = supremum if hidden else oscillation
    plan = ExcessPlan(
        own_moved=moved(loss, own_reach),
        least_moved=moved(loss, class_reach) * (1 + Fraction(1, GAP_SHARES[loss])),
        slack=oscillation(loss, class_reach) / GAP_SHARES[loss],
        error=Fraction(0),
        failure=beta * EXCESS_PART,
    )
    mu_squared = release.mu_squared_reserved * (1 - LABEL_SHARE)
    bound = plan.expected(Fraction(0), n=release.stated_size, mu_squared=mu_squared)
    return QueryForecast(ask=EXCESS, reserve=release.reserve, bound_est=float(bound))
