"""The Rényi condition number kappa(nu||mu) = sum nu^2/mu: exact from tables, its bounds, and how often the
perturbed histogram makes it infinite. Proofs: docs/proofs/synthbounds.renyi-bounds.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from flint import arb, fmpq

from bounds.arithmetic.ball import BALL
from bounds.enclosure import Enclosure
from bounds.errors import DataError
from bounds.model import Term
from bounds.registry import find_theorem
from bounds.shown import Shown
from bounds.sizes.routes import enclose_formula
from bounds.solve import enclose

MOST_SUBSET_POINTS = 14
MOST_UNIFORM_POINTS = 4000


@dataclass(frozen=True)
class RenyiReport(Shown):
    """kappa of two tables with everything the bounds are made of; None stands for infinity."""

    points: int
    kappa: Fraction | None
    total_variation: Fraction
    least_ratio: Fraction
    """beta = min mu/nu over the points with nu > 0."""
    direct_bound: Fraction | None
    """1 + TV/beta."""
    ratio_bound: Fraction | None
    """1/beta."""
    through_bound: Enclosure | None
    """Equation (10) through an intermediate distribution, if one was given."""
    infinite_at: int | None
    """First point, counted from 1, where mu vanishes and nu does not."""


def condition_number(
    nu: Sequence[Fraction], mu: Sequence[Fraction], through: Sequence[Fraction] | None = None
) -> RenyiReport:
    """Exact kappa(nu||mu) of two probability tables, and the bounds on it.

    >>> half = Fraction(1, 2)
    >>> condition_number([half, half], [Fraction(1, 4), Fraction(3, 4)]).kappa
    Fraction(4, 3)
    """
    for name, table in (("nu", nu), ("mu", mu), ("through", through)):
        if table is not None:
            _require_distribution(name, table, len(nu))
    total_variation = _total_variation(nu, mu)
    missing = next((i for i, (a, b) in enumerate(zip(nu, mu, strict=True)) if a > 0 and b == 0), None)
    beta = _least_ratio(nu, mu)
    if missing is not None:
        return RenyiReport(len(nu), None, total_variation, beta, None, None, None, missing + 1)
    kappa = sum((a * a / b for a, b in zip(nu, mu, strict=True) if a > 0), Fraction(0))
    return RenyiReport(
        points=len(nu),
        kappa=kappa,
        total_variation=total_variation,
        least_ratio=beta,
        direct_bound=1 + total_variation / beta,
        ratio_bound=1 / beta,
        through_bound=None if through is None else _through(nu, through, mu),
        infinite_at=None,
    )


def _require_distribution(name: str, table: Sequence[Fraction], points: int) -> None:
    if len(table) != points:
        raise DataError(f"{name} has {len(table)} points, nu has {points}: both tables must list the same points")
    if not table or any(value < 0 for value in table):
        raise DataError(f"{name} must list at least one probability, none negative")
    if sum(table) != 1:
        raise DataError(f"{name} must add up to 1")


def _total_variation(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((abs(x - y) for x, y in zip(a, b, strict=True)), Fraction(0)) / 2


def _least_ratio(nu: Sequence[Fraction], mu: Sequence[Fraction]) -> Fraction:
    return min(b / a for a, b in zip(nu, mu, strict=True) if a > 0)


def _through(nu: Sequence[Fraction], middle: Sequence[Fraction], mu: Sequence[Fraction]) -> Enclosure | None:
    """Equation (10) as corrected, with the intermediate distribution in the middle."""
    values = {
        "tv": _total_variation(nu, middle),
        "beta": _least_ratio(nu, middle),
        "tv2": _total_variation(middle, mu),
        "beta2": _least_ratio(middle, mu),
    }
    if values["beta"] == 0 or values["beta2"] == 0:
        return None
    edition = find_theorem("synthbounds.renyi-bounds").edition("corrected")
    assert edition is not None
    term: Term = edition.routes[0].terms[0]
    return enclose_formula(term.formula, (), values)


@dataclass(frozen=True)
class InfiniteKappa:
    """Probability that the perturbed histogram empties a cell that nu occupies, so that kappa is infinite."""

    lower: Enclosure
    upper: Enclosure
    exact: bool
    method: str


def infinite_kappa_probability(nu: Sequence[Fraction], n: int, epsilon: Fraction) -> InfiniteKappa:
    """Certified P(some occupied cell is emptied) for counts with Laplace noise of scale 2/epsilon.

    Exact by inclusion and exclusion for uniform nu and for few points; otherwise between the bound of negative
    association and the union bound. (Should every cell be emptied, the measure is undefined: counted here.)
    """
    occupied = [value for value in nu if value > 0]
    if len(set(occupied)) == 1 and len(occupied) <= MOST_UNIFORM_POINTS:
        both = enclose(
            lambda: 1 - _all_survive_uniform(len(occupied), occupied[0], n, epsilon),
            first_bits=96 + 2 * len(occupied),  # alternating terms as large as C(N, s)/2^s cancel
        )
        both = _as_probability(both)
        return InfiniteKappa(both, both, True, "inclusion and exclusion over equal cells")
    if len(occupied) <= MOST_SUBSET_POINTS:
        both = enclose(lambda: 1 - _all_survive_subsets(occupied, n, epsilon))
        both = _as_probability(both)
        return InfiniteKappa(both, both, True, "inclusion and exclusion over all subsets")
    lower = enclose(lambda: 1 - _independent_survival(occupied, n, epsilon))
    upper = enclose(lambda: BALL.min(fmpq(1), _union(occupied, n, epsilon)))
    lower, upper = _as_probability(lower), _as_probability(upper)
    return InfiniteKappa(lower, upper, False, "negative association below, union bound above")


def _as_probability(enclosure: Enclosure) -> Enclosure:
    """A probability lies in [0, 1], whatever the ball around it."""
    return Enclosure(max(enclosure.lo, Fraction(0)), min(enclosure.hi, Fraction(1)))


def _kept(share: Fraction, n: int, epsilon: Fraction) -> arb:
    """(1 - share (1 - e^(-epsilon/2)))^n: the moment that inclusion and exclusion needs."""
    loss = -(arb(fmpq(-epsilon.numerator, epsilon.denominator * 2)).expm1())
    return (1 - arb(fmpq(share.numerator, share.denominator)) * loss) ** n


def _all_survive_uniform(points: int, share: Fraction, n: int, epsilon: Fraction) -> arb:
    total = arb(0)
    for size in range(points + 1):
        total += comb(points, size) * arb(fmpq(-1, 2)) ** size * _kept(size * share, n, epsilon)
    return total


def _all_survive_subsets(nu: Sequence[Fraction], n: int, epsilon: Fraction) -> arb:
    sums = [(Fraction(0), 0)]
    for value in nu:
        sums += [(share + value, size + 1) for share, size in sums]
    return sum((arb(fmpq(-1, 2)) ** size * _kept(share, n, epsilon) for share, size in sums), arb(0))


def _independent_survival(nu: Sequence[Fraction], n: int, epsilon: Fraction) -> arb:
    product = arb(1)
    for value in nu:
        product *= 1 - _kept(value, n, epsilon) / 2
    return product


def _union(nu: Sequence[Fraction], n: int, epsilon: Fraction) -> arb:
    return sum((_kept(value, n, epsilon) / 2 for value in nu), arb(0))
