"""The cost of a release of moments and the noise it needs: sensitivity, budget, standard deviations, exactly.

With x the features divided by the root of their largest squared norm, so in the unit ball, and a label |y| <= 1, a
record adds (a y x, x x', c x^(x)4) to what is released. Everything here is a rational number, computed from public
numbers alone and rounded to the side of more noise. Proofs: docs/proofs/synthbounds.moment-release.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from bounds.enclosure import decimal_text
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from release.statistics.features import FeatureMap

MULTIPLICITIES = (1, 4, 6, 12, 24)
"""How often a product of four features occurs in the full tensor, by which of its factors are equal."""
DIGITS = 15
"""Significant digits of standard deviations and of the ratio of noise and sensitivity; rounded up."""
_BRACKET = Fraction(1, 2**64)


@dataclass(frozen=True, kw_only=True)
class NoiseDeviations:
    """Standard deviations of the noise in lattice steps: multiples of 2^-bits (4^-bits for a label that is a number),
    4^-bits and 16^-bits."""

    first: Fraction
    second_diagonal: Fraction
    second_off_diagonal: Fraction
    fourth: tuple[Fraction, ...] | None
    """By multiplicity, in the order of MULTIPLICITIES."""


def squared_sensitivity(adjacency: Adjacency, *, weight: Fraction, fourth_weight: Fraction | None) -> Fraction:
    """How far one record moves the weighted moments at most, squared; weights are a^2 and c^2.

    Exact without fourth moments; with them rounded up, in the 18th digit or beyond.

    >>> squared_sensitivity(Adjacency.REPLACE_ONE, weight=Fraction(1), fourth_weight=None)
    Fraction(9, 2)
    """
    a2, c2 = weight, fourth_weight or Fraction(0)
    if adjacency is Adjacency.ADD_REMOVE:
        return a2 + 1 + c2
    if a2 >= 2 + 4 * c2:
        return 4 * a2
    if c2 == 0:
        return 2 + 2 * a2 + a2**2 / 2
    return _largest(a2, c2)


def _largest(a2: Fraction, c2: Fraction) -> Fraction:
    """At least the maximum over s in [-1, 0] of h(s) = 2 a2 (1 - s) + 2 (1 - s^2) + 2 c2 (1 - s^4), a concave function.

    Bisection encloses where the slope vanishes; from the left end of the bracket on, a tangent bounds h.
    """

    def slope(s: Fraction) -> Fraction:
        return -2 * a2 - 4 * s - 8 * c2 * s**3

    lo, hi = Fraction(-1), Fraction(0)
    while hi - lo > _BRACKET:
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if slope(middle) >= 0 else (lo, middle)
    value = 2 * a2 * (1 - lo) + 2 * (1 - lo**2) + 2 * c2 * (1 - lo**4)
    return Fraction(decimal_text(value + slope(lo) * (hi - lo), 18, up=True))


def noise_deviations(
    features: FeatureMap, *, mu_squared: Fraction, squared: Fraction, weight: Fraction, fourth_weight: Fraction | None
) -> NoiseDeviations:
    """The standard deviations that cost mu^2 at that squared sensitivity, each rounded up."""
    base = squared / mu_squared  # the variance of the noise on x x', in units of x
    norm, one = features.squared_norm, features.one
    second = base * norm**2 * one**4
    fourth = None
    if fourth_weight is not None:
        whole = base / fourth_weight * norm**4 * one**8
        fourth = tuple(root_at_least(whole / m) for m in MULTIPLICITIES)
    return NoiseDeviations(
        first=root_at_least(base / weight * norm * (one * features.label_one) ** 2),
        second_diagonal=root_at_least(second),
        second_off_diagonal=root_at_least(second / 2),
        fourth=fourth,
    )


def multiplicity(indices: tuple[int, int, int, int]) -> int:
    """How many orders four indices have."""
    found = math.factorial(4)
    for index in set(indices):
        found //= math.factorial(indices.count(index))
    return found
