"""How large an effect is with the noise taken off: Cramér's V, or Cohen's w of a fit, of the population.

In the directions in which neither records nor noise go together, an effect is a number in each, seen with variance 1
and shrunk by how much of what varies there is records. The squares without their bias are added up, each weighted by
how much of an effect can be seen in its direction: an estimate without a guarantee, which leaves out what is drowned.
The interval supposes nothing about the direction of the effect.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, sqrt
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.infer.chi_square.chi2_law import noncentrality_with
from mechanisms.infer.findings import Interval

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

_LEAST_SPREAD, _MOST_SPREAD = -10.0, 30.0
"""Logarithms of the effect's variance in a direction, in units of one that no noise hides."""


def effect_of_residual(
    name: str,
    *,
    residual: Floats,
    sampling: Floats,
    noise: Floats,
    size: int,
    divisor: int,
    most: float | None,
    level: Fraction,
) -> Interval:
    """Of contrasts with these covariances; its square times `divisor` and the size is Pearson's noncentrality."""
    from scipy.linalg import eigh

    shares, directions = eigh(sampling, sampling + noise)
    shares = np.clip(shares, 0.0, 1.0)
    squares = (directions.T @ residual) ** 2
    statistic, degrees, outside = float(squares.sum()), len(squares), float(1 - level) / 2

    def effect(pearson: float) -> float:
        found = sqrt(max(0.0, pearson) / size / divisor)
        return found if most is None else min(most, found)

    least = noncentrality_with(outside, statistic, degrees)
    largest = noncentrality_with(1 - outside, statistic, degrees)
    # where the noise leaves one value of a column alone, nothing is seen of an effect in any direction
    lo = effect(least / float(shares.max())) if shares.max() > 0 else 0.0
    upper = effect(largest / float(shares.min())) if shares.min() > 0 else most
    return Interval(
        name=name,
        about="population",
        kind="asymptotic",
        level=level,
        estimate=effect(noncentrality_without_noise(squares, shares)),
        lo=Fraction(lo),
        hi=None if upper is None else Fraction(upper),
        is_certified=False,
    )


def noncentrality_without_noise(squares: Floats, shares: Floats) -> float:
    """Pearson's, from squares whose expectations are 1 + share times the part of the noncentrality in a direction."""
    from scipy.optimize import minimize_scalar

    def unlikely(logarithm: float) -> float:
        variances = 1 + exp(logarithm) * shares
        return float((np.log(variances) + squares / variances).sum())

    found = minimize_scalar(unlikely, bounds=(_LEAST_SPREAD, _MOST_SPREAD), method="bounded")
    spread = exp(float(found.x))
    return float((spread * (squares - 1) / (1 + spread * shares)).sum())
