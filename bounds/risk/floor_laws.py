"""Two distributions of the mean of signs, of equal moments and different minimisers: data for floors of excess risk.

A linear programme in floating point finds them; they are then made exact, and what they prove is enclosed. Proof:
docs/proofs/synthbounds.risk-floor.md, (F2) 5 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb

from bounds.approximation.exchange import barycentric_weights
from bounds.enclosure import Enclosure, as_fmpq, precision

_BITS = 192
_MOST_SIZES = 41
_HIGHEST_DEGREE = 12
_SLACKS = (1e-6, 0.0)
"""Of the slope at R, so that rounding does not make it positive; for large R there may be none to spare."""
_STEPS = (0.1, 0.25, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
_GOLDEN = 24
_ROUNDED = -120
"""R may have been rounded up by less than two to this power, and no slope is steeper than 1."""


def logistic_gain(weights: Sequence[arb], means: Sequence[Fraction], *, start: Fraction) -> arb:
    """The largest g(start) - g(t), g(t) = E log(1 + e^(-t z)), as nearly as a search for t in [0, start] finds it."""

    def risk(t: Fraction) -> arb:
        terms = (w * (-arb(as_fmpq(t * z))).exp().log1p() for w, z in zip(weights, means, strict=True))
        return sum(terms, arb(0))

    unit = start / 2**_GOLDEN
    low, high = 0, 2**_GOLDEN
    while high - low > 2:  # g is convex
        left, right = low + (high - low) // 3, high - (high - low) // 3
        low, high = (low, right) if risk(left * unit).mid() < risk(right * unit).mid() else (left, high)
    return risk(start) - risk((low + high) // 2 * unit) - arb(2) ** _ROUNDED


@lru_cache(maxsize=256)
def at_the_border(radius: Fraction, degree: int, features: int) -> Enclosure | None:
    """Data whose synthetic minimiser is R; None if the programme finds none."""
    if degree > _HIGHEST_DEGREE or features < degree + 2:
        return None
    found = [_made_exact(law, radius, degree) for law in _programmes(radius, degree, _means(features))]
    return max((e for e in found if e is not None), key=lambda e: e.lo, default=None)


def _means(features: int) -> list[Fraction]:
    """Means of that many signs; of many, some that are evenly apart."""
    count = min(features + 1, _MOST_SIZES)
    chosen = {round(i * features / (count - 1)) for i in range(count)}
    return [Fraction(2 * k - features, features) for k in sorted(chosen)]


def _programmes(radius: Fraction, degree: int, means: list[Fraction]) -> list[dict[Fraction, float]]:
    """The signed weights r - s of the best distributions, one for every step from R to a smaller model."""
    import numpy as np
    from scipy.optimize import linprog

    z, size = np.array([float(x) for x in means]), len(means)
    r_est = float(radius)
    moments = np.polynomial.chebyshev.chebvander(z, degree).T
    ones, zeros = np.ones(size), np.zeros(size)
    equal = np.vstack([np.hstack([moments, -moments]), np.concatenate([ones, zeros])])
    slope = np.concatenate([zeros, z * np.tanh(r_est * z / 2) - z])

    def solved(step: float, slack: float) -> Any:
        gain = np.logaddexp(0, -r_est * z) - np.logaddexp(0, -step * r_est * z)
        return linprog(
            np.concatenate([-gain, zeros]),
            A_eq=equal,
            b_eq=np.concatenate([np.zeros(degree + 1), [1]]),
            A_ub=slope[None, :],
            b_ub=[-slack],
        )

    for slack in _SLACKS:
        answers = [solved(step, slack) for step in _STEPS]
        laws = [answer.x[:size] - answer.x[size:] for answer in answers if answer.status == 0]
        if laws:
            return [{x: float(w) for x, w in zip(means, law, strict=True) if abs(w) > 1e-9} for law in laws]
    return []


def _made_exact(law: dict[Fraction, float], radius: Fraction, degree: int) -> Enclosure | None:
    """Rational weights near these whose moments up to the degree are exactly 0, and what they prove."""
    points = sorted(law)
    if not degree + 2 <= len(points) <= degree + 3:
        return None
    weights = dict.fromkeys(points, Fraction(0))
    for these, end in ((points[: degree + 2], points[0]), (points[-degree - 2 :], points[-1])):
        if len(points) == degree + 2 and end == points[-1]:
            continue  # one divided difference is all there is
        ratios = [Fraction(int(w.p), int(w.q)) for w in barycentric_weights([as_fmpq(x) for x in these])]
        share = Fraction(law[end]).limit_denominator(2**40) / ratios[these.index(end)]
        for x, ratio in zip(these, ratios, strict=True):
            weights[x] += share * ratio
    mass = sum((w for w in weights.values() if w > 0), Fraction(0))
    if not mass:
        return None
    real = {x: w / mass for x, w in weights.items() if w > 0}
    synthetic = {x: -w / mass for x, w in weights.items() if w < 0}
    with precision(_BITS):
        slope = sum(
            (as_fmpq(w * x) * ((arb(as_fmpq(radius * x)) / 2).tanh() - 1) for x, w in synthetic.items()), arb(0)
        )
        if not slope <= 0:
            return None
        gain = logistic_gain([arb(as_fmpq(w)) for w in real.values()], list(real), start=radius)
        return Enclosure.of(gain) if gain > 0 else None
