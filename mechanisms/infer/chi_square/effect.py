"""How large an effect is with the noise taken off: Cramér's V, or Cohen's w of a fit, of the population.

In directions that make both records and noise uncorrelated, an effect has one coordinate per direction, seen with
variance 1 and shrunk by the records' part of the variance there. The squares, corrected for bias, are added up, each
weighted by how visible an effect is in its direction: an estimate without a guarantee, which leaves out what the noise
drowns. The interval assumes nothing about the direction of the effect. If the number of records is private and a least
number stands for it, the squares vary by less than 1, and the interval holds for all variances up to 1: it is wider.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.infer.chi_square.chi2_law import critical_value, noncentrality_with
from mechanisms.infer.findings import Interval

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats
    from mechanisms.infer.chi_square.shown import ShownPair

_LEAST_SPREAD, _MOST_SPREAD = -10.0, 30.0
"""Logarithms of the effect's variance in a direction, in units of an effect that no noise hides."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """An effect whose square times `divisor` and the number of records is Pearson's noncentrality."""

    name: str
    size: int
    size_is_public: bool
    divisor: int
    most: float | None
    """The largest possible effect."""

    def of(self, noncentrality: float) -> float:
        found = sqrt(max(0.0, noncentrality) / self.size / self.divisor)
        return found if self.most is None else min(self.most, found)


def measure_of_pair(shown: ShownPair) -> Measure:
    return Measure(
        name="Cramér's V",
        size=shown.size,
        size_is_public=shown.size_is_public,
        divisor=min(shown.levels) - 1,
        most=1.0,
    )


def effect_of_residual(
    measure: Measure, *, residual: Floats, sampling: Floats, noise: Floats, level: Fraction
) -> Interval:
    """The effect from contrasts with these covariances."""
    from scipy.linalg import eigh

    shares, directions = eigh(sampling, sampling + noise)
    shares = np.clip(shares, 0.0, 1.0)
    squares = (directions.T @ residual) ** 2
    return effect_interval(
        measure,
        statistic=float(squares.sum()),
        shares=shares,
        noncentrality=noncentrality_without_noise(squares, shares),
        level=level,
    )


def effect_interval(
    measure: Measure, *, statistic: float, shares: Floats, noncentrality: float, level: Fraction
) -> Interval:
    """Interval around Pearson's noncentrality without the noise; `shares` are the records' parts of the variances."""
    degrees = len(shares)
    least, largest = noncentralities(statistic, degrees, level, is_whole=measure.size_is_public)
    # if the noise leaves only one value of a column, no direction shows anything of an effect
    lo = measure.of(least / float(shares.max())) if shares.max() > 0 else 0.0
    upper = measure.of(largest / float(shares.min())) if shares.min() > 0 else measure.most
    possible = inf if measure.most is None else measure.most**2 * measure.size * measure.divisor
    alone = noncentralities(degrees + min(max(0.0, noncentrality), possible), degrees, level, is_whole=True)
    return Interval(
        name=measure.name,
        about="population",
        kind="asymptotic",
        level=level,
        estimate=None if upper is None else min(max(lo, measure.of(noncentrality)), upper),
        lo=Fraction(lo),
        hi=None if upper is None else Fraction(upper),
        is_certified=False,
        width_without_privacy=measure.of(alone[1]) - measure.of(alone[0]),
        note=_note(lo, upper, measure.most),
    )


def _note(lo: float, upper: float | None, most: float | None) -> str:
    if upper is None:
        return "no upper end: in some direction the records do not vary at these shares; merge values whose share is 0"
    if lo == 0 and upper == most:
        return "excludes nothing: the noise hides some direction; merge rare values, or release only this pair"
    return ""


def noncentralities(statistic: float, degrees: int, level: Fraction, *, is_whole: bool) -> tuple[float, float]:
    """Interval for the noncentrality, from the squared length of a normal vector with variances 1, or only at most 1.

    A very short vector would exclude every noncentrality, even 0. So nothing that fits at least as well as half of all
    vectors without an effect is excluded, which makes the interval longer and never empty.
    """
    outside = float(1 - level)
    if is_whole:
        least = noncentrality_with(outside / 2, statistic, degrees)
        return least, noncentrality_with(1 - outside / 2, max(statistic, critical_value(0.5, degrees)), degrees)
    length, radius = sqrt(statistic), sqrt(critical_value(outside, degrees))
    return max(0.0, length - radius) ** 2, (length + radius) ** 2


def noncentrality_without_noise(squares: Floats, shares: Floats) -> float:
    """Pearson's noncentrality, from squares with expectations 1 + share times its part in a direction."""
    from scipy.optimize import minimize_scalar

    def unlikely(logarithm: float) -> float:
        variances = 1 + exp(logarithm) * shares
        return float((np.log(variances) + squares / variances).sum())

    found = minimize_scalar(unlikely, bounds=(_LEAST_SPREAD, _MOST_SPREAD), method="bounded")
    spread = exp(float(found.x))
    return float((spread * (squares - 1) / (1 + spread * shares)).sum())
