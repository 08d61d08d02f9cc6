"""The bounds at given numbers, and the best of them over all marginals that could be used.

Every bound of the sharp edition costs at least s (osc(phi) - mu R^2/2) for marginals s apart, s <= 1 (remark on
docs/proofs/synthbounds.quadratic-bias.md): marginals whose noise alone costs more than a bound already found are left
out, and nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.enclosure import Enclosure
from bounds.model import Theorem
from bounds.risk.closed_form import closed_form
from bounds.risk.loss import Loss
from bounds.risk.moments import moments_choice
from bounds.risk.polynomials import HIGHEST_DEGREE
from bounds.risk.private_marginals import nu_of
from bounds.risk.question import RiskQuestion
from bounds.risk.sharp import RiskBound, best_bounds
from bounds.risk.tables import Tables

MOST_PRINTED_ORDERS = 64
_LARGEST_TABLE = 10**900
"""Cells of a table of all attributes beyond which it is not tried: no data set has as many records."""


@dataclass(frozen=True)
class Found:
    """The best marginals, every bound that applies to them, the least first."""

    tables: Tables
    bounds: tuple[RiskBound, ...]
    least_lb: Fraction
    """No marginals and no bound of the edition give less."""

    @property
    def value(self) -> Enclosure:
        return Enclosure(min(self.least_lb, self.bounds[0].value.hi), self.bounds[0].value.hi)


def tables_to_try(question: RiskQuestion) -> tuple[Tables, ...]:
    """For the given order; otherwise for every order that can matter, and for all attributes at once.

    In the sharp edition odd orders carry no higher degree. If private marginals may have the label only in pairs, they
    do; both ways are tried for almost all attributes.
    """
    m, last = question.features, question.highest_order
    if question.release == "moments":
        return (Tables(m, 2),)
    if question.order is not None:
        orders: tuple[int, ...] = (question.order,)
    elif question.edition != "sharp":
        return tuple(Tables(m, order) for order in range(2, min(last, MOST_PRINTED_ORDERS) + 1))
    else:
        orders = tuple(range(2, min(last, HIGHEST_DEGREE) + 1, 2))
        # all features are enough for a loss that is linear plus even, all attributes for any
        whole = (m, last) if question.loss.question.function.even_with_slope is not None else (last,)
        orders += tuple(o for o in whole if o >= 2 and o not in orders and question.levels**o <= _LARGEST_TABLE)
    paired = question.private and question.edition == "sharp" and question.loss.is_logistic
    found = [Tables(m, order, paired) for order in orders]
    # sets of almost all attributes are so few that pairs with the label cost more than they save
    found += [Tables(m, order) for order in orders if paired and order >= m]
    return tuple(found)


def distance_at(question: RiskQuestion, tables: Tables, *, n: int | None, epsilon: Fraction | None) -> Enclosure:
    """s: given, or the distance of private marginals over n."""
    if question.marginal_error is not None:
        return Enclosure.of(question.marginal_error)
    assert n is not None
    assert epsilon is not None
    nu = nu_of(question, tables, epsilon)
    return Enclosure(nu.lo / n, nu.hi / n)


def bounds_at(
    question: RiskQuestion, theorem: Theorem, tables: Tables, *, n: int | None, epsilon: Fraction | None
) -> tuple[RiskBound, ...]:
    """Every bound of the edition for these marginals, the least first; hypotheses are not looked at."""
    if question.release == "moments":
        assert n is not None
        assert epsilon is not None
        return (moments_choice(question, n=n, epsilon=epsilon).bound,)
    if question.edition != "sharp":
        return (closed_form(question, theorem, tables.order, n=n, epsilon=epsilon),)
    s = distance_at(question, tables, n=n, epsilon=epsilon)
    return tuple(best_bounds(question.loss, tables, s, gap=question.gap, approximation=question.approximation))


def cost_lb(loss: Loss, s: Fraction) -> Fraction:
    """No bound of the sharp edition is smaller for marginals s apart."""
    return min(s, Fraction(1)) * max(loss.oscillation.lo - loss.convexity * loss.radius**2 / 2, Fraction(0))


def best_found(question: RiskQuestion, theorem: Theorem, *, n: int | None, epsilon: Fraction | None) -> Found:
    """The marginals of least bound."""
    best: Found | None = None
    for tables in tables_to_try(question):
        if best is not None and question.edition == "sharp":
            least = cost_lb(question.loss, distance_at(question, tables, n=n, epsilon=epsilon).lo)
            if least >= best.bounds[0].value.hi:
                continue
        bounds = bounds_at(question, theorem, tables, n=n, epsilon=epsilon)
        least = min(b.least_lb for b in bounds)
        if best is None:
            best = Found(tables, bounds, least)
        elif bounds[0].value.hi < best.bounds[0].value.hi:
            best = Found(tables, bounds, min(least, best.least_lb))
        else:
            best = Found(best.tables, best.bounds, min(least, best.least_lb))
    assert best is not None
    return best
