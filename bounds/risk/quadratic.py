"""The bound with quadratic bias at its best tilt, in exact rationals.

H(rho) = G(rho) + G(mu/2 - rho) + s (2 S + 2 rho R^2 + 2 max(rho R^2 - b_2, 0)), with G(k) the largest e t - k t^2 for
0 <= t <= 2R, is convex in rho. Floating point only chooses rho; the value there and a tangent below are exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

from bounds.enclosure import Enclosure
from bounds.risk.polynomials import RiskPolynomial

_STEPS = 80
_SMALLEST_SHARE = Fraction(1, 2**40)


@dataclass(frozen=True)
class Tilted:
    """The least value over the tilt, for one polynomial and one s."""

    polynomial: RiskPolynomial
    tilt: Fraction
    bias: Fraction
    marginals: Fraction
    least_lb: Fraction
    """No tilt gives a smaller value."""
    optimisation: Fraction = Fraction(0)
    """The cost of a model that is not exactly optimal on the synthetic data."""

    @property
    def value(self) -> Enclosure:
        total = self.bias + self.marginals + self.optimisation
        return Enclosure(min(self.least_lb, total), total)


@dataclass(frozen=True)
class _Curve:
    """H for one polynomial, in numbers of one kind: Fraction or float."""

    error: Fraction | float
    mu: Fraction | float
    radius: Fraction | float
    cost: Fraction | float
    second: Fraction | float
    s: Fraction | float

    def step(self, bend: Fraction | float) -> Fraction | float:
        """The t at which e t - bend t^2 is largest."""
        return min(2 * self.radius, self.error / (2 * bend)) if bend > 0 else 2 * self.radius

    def bias(self, rho: Fraction | float) -> Fraction | float:
        total: Fraction | float = 0
        for bend in (rho, self.mu / 2 - rho):
            t = self.step(bend)
            total += self.error * t - bend * t * t
        return total

    def marginals(self, rho: Fraction | float) -> Fraction | float:
        bend = rho * self.radius * self.radius
        return self.s * (2 * self.cost + 2 * bend + 2 * max(bend - self.second, 0))

    def slope(self, rho: Fraction | float, *, right: bool = False) -> Fraction | float:
        """A one-sided derivative of H; it differs from the other only at rho R^2 = b_2."""
        square = self.radius * self.radius
        above = rho * square > self.second or (right and rho * square == self.second)
        t, u = self.step(rho), self.step(self.mu / 2 - rho)
        return u * u - t * t + self.s * square * (4 if above else 2)


def best_tilt(polynomial: RiskPolynomial, *, convexity: Fraction, s: Fraction) -> Tilted:
    """The tilt of least value, exactly evaluated."""
    assert polynomial.slope_error is not None
    numbers = (polynomial.slope_error, convexity, polynomial.radius, polynomial.cost, polynomial.scaled(2), s)
    curve = _Curve(*numbers)
    rho, left, right = _minimiser(curve, _Curve(*(float(x) for x in numbers)))
    value = Fraction(curve.bias(rho) + curve.marginals(rho))
    # below the minimiser H lies above its left tangent, beyond it above its right one
    slack = max(Fraction(0), Fraction(left)) * rho + max(Fraction(0), -Fraction(right)) * (convexity / 2 - rho)
    return Tilted(polynomial, rho, Fraction(curve.bias(rho)), Fraction(curve.marginals(rho)), value - slack)


def _minimiser(curve: _Curve, floats: _Curve) -> tuple[Fraction, Fraction | float, Fraction | float]:
    half = Fraction(curve.mu) / 2
    corner = Fraction(curve.second) / Fraction(curve.radius) ** 2
    if 0 < corner < half:
        left, right = curve.slope(corner), curve.slope(corner, right=True)
        if left <= 0 <= right:
            return corner, left, right
    low, high = 0.0, float(half)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if floats.slope(middle) < 0:
            low = middle
        else:
            high = middle
    rho = min(max(Fraction((low + high) / 2), half / 2**60), half * (1 - Fraction(1, 2**60)))
    slope = curve.slope(rho)
    return rho, slope, slope


def best_of(
    pool: Iterable[RiskPolynomial], *, convexity: Fraction, s: Fraction, gap: Fraction = Fraction(0)
) -> Tilted | None:
    """The polynomial and tilt of least value; the lower end is valid for the whole pool."""
    tried = [_within_gap(p, convexity=convexity, s=s, gap=gap) for p in pool]
    if not tried:
        return None
    best = min(tried, key=lambda t: t.value.hi)
    return replace(best, least_lb=min(t.least_lb for t in tried))


def _within_gap(polynomial: RiskPolynomial, *, convexity: Fraction, s: Fraction, gap: Fraction) -> Tilted:
    """For a model that is optimal up to eta: eta/theta, and only the share 1 - theta of the convexity.

    theta is where 2 e^2/((1 - theta) mu) + eta/theta is least, as nearly as floating point allows.
    """
    if gap == 0:
        return best_tilt(polynomial, convexity=convexity, s=s)
    assert polynomial.slope_error is not None
    root = sqrt(gap)
    share = root / (root + float(polynomial.slope_error) * sqrt(2 / convexity))
    theta = min(max(Fraction(share), _SMALLEST_SHARE), 1 - _SMALLEST_SHARE)
    found = best_tilt(polynomial, convexity=convexity * (1 - theta), s=s)
    # every theta keeps less of the convexity than all of it and adds at least eta
    least_lb = best_tilt(polynomial, convexity=convexity, s=s).least_lb + gap
    return replace(found, least_lb=least_lb, optimisation=gap / theta)
