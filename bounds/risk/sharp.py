"""The sharp edition at given marginals: the least of all bounds that apply, with the polynomial that gives it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.arithmetic.ball import BALL
from bounds.enclosure import Enclosure, Undecided
from bounds.errors import NotApplicable, NotCertified
from bounds.pieces.excess_risk import GIVEN_POLYNOMIAL
from bounds.quantities import Quantities
from bounds.risk.loss import Loss, even_oscillation
from bounds.risk.polynomials import (
    HIGHEST_DEGREE,
    RiskPolynomial,
    completed,
    loss_itself,
    of_method,
    optimal_at,
    slope_pool,
)
from bounds.risk.quadratic import best_of
from bounds.risk.tables import PAIR, Tables

_BITS = 80
_ZERO = Enclosure(Fraction(0), Fraction(0))


@dataclass(frozen=True)
class Part:
    """One term of a bound."""

    name: str
    value: Enclosure


@dataclass(frozen=True)
class RiskBound:
    """One bound on the excess risk and where it comes from."""

    route: str
    value: Enclosure
    parts: tuple[Part, ...]
    polynomial: RiskPolynomial | None = None
    tilt: Fraction | None = None
    proof: str = "synthbounds.excess-risk"
    proved_least: bool = True
    """The lower end of the value is a proved limit of the route; False if a worse polynomial had to be taken."""

    @property
    def least_lb(self) -> Fraction:
        """The route gives nothing smaller."""
        return self.value.lo if self.proved_least else Fraction(0)


def best_bounds(
    loss: Loss, tables: Tables, s: Enclosure, *, gap: Fraction, approximation: str | None
) -> list[RiskBound]:
    """Every bound that applies, the least first; with a given approximation, only that polynomial."""
    found = [no_data(loss)]
    if tables.hold_everything:
        found.append(all_attributes(loss, s, gap))
    if tables.hold_all_features:
        found += all_features(loss, s, gap)
    degree = min(tables.degree, HIGHEST_DEGREE)
    if approximation is not None:
        found.append(by_method(loss, tables, s, approximation, gap))
    elif degree >= 2 and s.hi < 1:
        found += by_polynomial(loss, degree, s, gap)
        found += by_optimality(loss, degree, s, gap)
    carried = [b for b in found if b.polynomial is None or not tables.paired or b.polynomial.orders[1] <= PAIR]
    return sorted(carried, key=lambda bound: bound.value.hi)


def no_data(loss: Loss) -> RiskBound:
    return RiskBound("no data", loss.oscillation, (Part("approximation", loss.oscillation), Part("marginals", _ZERO)))


def all_attributes(loss: Loss, s: Enclosure, gap: Fraction) -> RiskBound:
    marginals = Enclosure(s.lo * loss.oscillation.lo, s.hi * loss.oscillation.hi)
    return _assembled("all attributes", _ZERO, marginals, gap)


def all_features(loss: Loss, s: Enclosure, gap: Fraction) -> list[RiskBound]:
    """For slope*x plus an even function g: s (2 |slope| R + osc(g)), without any polynomial."""
    slope = loss.question.function.even_with_slope
    if slope is None:
        return []
    even = even_oscillation(loss)
    linear = 2 * abs(slope) * loss.radius
    marginals = Enclosure(s.lo * (linear + even.lo), s.hi * (linear + even.hi))
    return [replace(_assembled("all features", _ZERO, marginals, gap), proof="zhou2024.logistic")]


def by_method(loss: Loss, tables: Tables, s: Enclosure, approximation: str, gap: Fraction) -> RiskBound:
    """The general theorem with the polynomial of a named method, at the degree that the marginals carry."""
    degree = tables.degree
    if degree < 2:
        raise NotApplicable(f"marginals = {tables.order}: marginals of order 1 carry polynomials of degree 0 only")
    if approximation == "optimal":
        if s.hi >= 1:
            raise NotApplicable("approximation = optimal: no polynomial helps from a marginal error of 1 on")
        return optimal_bound(loss, degree, s, gap)
    return given_polynomial(of_method(loss, degree, approximation), s, gap, approximation)


def by_polynomial(loss: Loss, degree: int, s: Enclosure, gap: Fraction) -> list[RiskBound]:
    """The best polynomial; if it cannot be certified, the minimax polynomials of all degrees."""
    itself = loss_itself(loss, degree)
    if itself is not None:
        return [given_polynomial(itself, s, gap, itself.method)]
    try:
        return [optimal_bound(loss, degree, s, gap)]
    except (NotCertified, Undecided):
        tried = []
        for even in range(2, degree + 1, 2):
            try:
                found = given_polynomial(of_method(loss, even, "minimax"), s, gap, "minimax polynomial")
                tried.append(replace(found, proved_least=False))
            except (NotCertified, NotApplicable):
                continue
        return tried


def optimal_bound(loss: Loss, degree: int, s: Enclosure, gap: Fraction) -> RiskBound:
    """OPT is concave in s and non-negative at 0, so OPT(s) >= (s/s0) OPT(s0) for s below s0."""
    above = short_above(s.hi)
    polynomial = optimal_at(loss, degree, above)
    bound = given_polynomial(polynomial, s, gap, "optimal polynomial")
    assert polynomial.optimum_lb is not None
    shrink = s.lo / above if above else Fraction(1)
    least = max(polynomial.optimum_lb * shrink, Fraction(0)) + gap
    return RiskBound(bound.route, Enclosure(min(least, bound.value.hi), bound.value.hi), bound.parts, polynomial)


def given_polynomial(polynomial: RiskPolynomial, s: Enclosure, gap: Fraction, route: str) -> RiskBound:
    """The theorem's own terms, which grow with the oscillation and with s, at both ends."""
    ends = [
        Quantities(BALL, {"oscillation": error, "marginal_error": distance, "coefficient_cost": polynomial.cost})
        for error, distance in ((polynomial.oscillation.lo, s.lo), (polynomial.oscillation.hi, s.hi))
    ]
    approximation = Enclosure(*(GIVEN_POLYNOMIAL.approximation(q, BALL) for q in ends))
    marginals = Enclosure(*(GIVEN_POLYNOMIAL.marginals(q, BALL) for q in ends))
    return _assembled(route, approximation, marginals, gap, polynomial)


def by_optimality(loss: Loss, degree: int, s: Enclosure, gap: Fraction) -> list[RiskBound]:
    """The theorem of the quadratic bias; a model that is optimal up to eta keeps a share of the convexity."""
    pool = slope_pool(loss, degree)
    best = best_of(pool, convexity=loss.convexity, s=s.hi, gap=gap)
    below = best if s.is_exact else best_of(pool, convexity=loss.convexity, s=s.lo, gap=gap)
    if best is None or below is None:
        return []
    parts = [
        Part("approximation", Enclosure.of(best.bias)),
        Part("marginals", Enclosure(best.marginals * s.lo / s.hi if s.hi else Fraction(0), best.marginals)),
    ]
    if best.optimisation:
        parts.append(Part("optimisation", Enclosure.of(best.optimisation)))
    value = Enclosure(min(below.least_lb, best.value.hi), best.value.hi)
    polynomial = completed(loss, best.polynomial)
    return [RiskBound("quadratic bias", value, tuple(parts), polynomial, best.tilt, "synthbounds.quadratic-bias")]


def _assembled(
    route: str, first: Enclosure, second: Enclosure, gap: Fraction, polynomial: RiskPolynomial | None = None
) -> RiskBound:
    parts = [Part("approximation", first), Part("marginals", second)]
    if gap:
        parts.append(Part("optimisation", Enclosure.of(gap)))
    total = Enclosure(sum((p.value.lo for p in parts), Fraction(0)), sum((p.value.hi for p in parts), Fraction(0)))
    return RiskBound(route, total, tuple(parts), polynomial)


def short_above(value: Fraction) -> Fraction:
    """A number of 80 binary digits, not below the value: so that a polynomial computed for it can be reused."""
    if value <= 0:
        return Fraction(0)
    shift = _BITS - (value.numerator.bit_length() - value.denominator.bit_length())
    unit = Fraction(1, 1 << shift) if shift >= 0 else Fraction(1 << -shift)
    return -(-value // unit) * unit
