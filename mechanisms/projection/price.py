"""The price of a residual: the one at which the fit is estimated to be nearest to the real statistics.

A low price fits the noise, too, and leaves few rows to stand for all; a high one ignores what the release says. The
real statistics are not known, but Stein's unbiased estimate of a fit's squared distance from them, in variances of the
noise, is

    sum of residuals^2 - number of statistics + 2 (degrees of freedom of the fit).

The price with the least estimate is chosen from a fixed ladder. All is a function of the release and the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.projection.curvature import ROUGH_POINTS, Curvature, RoughCurvature
from mechanisms.projection.tilting import LEAST_SD, Tilt, fit_tilt

if TYPE_CHECKING:
    from mechanisms.projection.statistics import Floats, Statistics

LADDER = tuple(round(10 ** (step / 2)) for step in range(2, 12))
"""Strengths that are tried: neighbours differ by a factor of about three, and the estimate is flat between them."""
_FIRST = LADDER.index(1000)
_ENOUGH, _ENOUGH_MULTIPLIED = 1e-3, 0.05
"""Accuracy in deviations for fits that are only compared."""
_MOST_ROUGH = 6_000
"""Beyond this many statistics not even the curvature from few points is formed."""
_PROBES = 4
"""Random signs by which the degrees of freedom of many statistics are estimated, the same for every price."""


@dataclass(frozen=True, eq=False)
class Priced:
    """A tilt with the strength of its price; infinite if the base is as near as any."""

    tilt: Tilt
    strength: float
    error_est: float | None
    """Stein's estimate of the mean square distance from the real statistics, in variances of the noise, if made."""


def fit_by_noise(statistics: Statistics, targets: Floats, sds: Floats, *, base: Floats, dense: int) -> Priced:
    """The tilt with the price that is estimated to be best."""
    ladder = _Ladder(statistics, targets, sds, base, dense)
    place = _FIRST
    step = -1 if ladder.error(place - 1) < ladder.error(place) else 1
    while 0 <= place + step < len(LADDER) and ladder.error(place + step) < ladder.error(place):
        place += step
    untouched = (statistics.means(base) - targets) / ladder.widths
    unfitted = float(untouched @ untouched)
    error_est = min(unfitted, ladder.error(place)) / max(1, statistics.count) - 1
    if unfitted <= ladder.error(place):
        return Priced(Tilt(base, np.zeros(statistics.count), untouched, 0), inf, error_est)
    strength = float(LADDER[place])
    start, rough = ladder.thetas[place], ladder.rough
    tilt = fit_tilt(statistics, targets, sds, base=base, strength=strength, start=start, dense=dense, rough=rough)
    return Priced(tilt, strength, error_est)


class _Ladder:
    """Fits that are only compared: quick, each from where the last one ended."""

    def __init__(self, statistics: Statistics, targets: Floats, sds: Floats, base: Floats, dense: int) -> None:
        self.widths = np.maximum(sds, LEAST_SD)
        self.thetas: dict[int, Floats] = {}
        self._given, self._base, self._dense = (statistics, targets, sds), base, dense
        self._errors: dict[int, float] = {}
        self._theta = np.zeros(statistics.count)
        self._quick = statistics.count > dense or statistics.points > 2 * ROUGH_POINTS
        few = self._quick and statistics.count <= _MOST_ROUGH
        self.rough = RoughCurvature(statistics, base) if few else None

    def error(self, place: int) -> float:
        """Stein's estimate for this rung, except for the number of statistics, which is the same for all."""
        if place not in self._errors:
            strength = float(LADDER[place])
            tilt = fit_tilt(
                *self._given,
                base=self._base,
                strength=strength,
                start=self._theta,
                dense=0 if self._quick else self._dense,
                rough=self.rough,
                enough=_ENOUGH_MULTIPLIED if self._quick else _ENOUGH,
            )
            self.thetas[place] = self._theta = tilt.theta
            ridge = strength * self.widths**2
            freedom = _freedom(self._given[0], tilt.weights, ridge, self._dense, self.rough)
            self._errors[place] = float(tilt.residuals_sd @ tilt.residuals_sd) + 2 * freedom
        return self._errors[place]


def _freedom(statistics: Statistics, weights: Floats, ridge: Floats, dense: int, rough: RoughCurvature | None) -> float:
    """The trace of curvature over curvature plus ridge: how much the fit follows its targets."""
    if statistics.count <= dense:
        scale = 1 / np.sqrt(ridge)
        values = np.linalg.eigvalsh(RoughCurvature(statistics, weights).formed * np.outer(scale, scale)).clip(min=0)
        return float((values / (1 + values)).sum())
    products = Curvature(statistics, weights, ridge, rough)
    signs = np.random.Generator(np.random.Philox(key=statistics.count)).choice([-1.0, 1.0], (_PROBES, statistics.count))
    kept = [float(sign @ (ridge * products.solved(sign, forcing=0.05))) for sign in signs]
    return statistics.count - float(np.mean(kept))
