"""Weights of most entropy on given points whose moments are the noisy ones, as far as the noise lets them.

Weights are proportional to base weights times exp(theta . statistics). Theta minimises the dual of

    KL(weights | base) + sum over statistics of (residual / sd)^2 / (2 strength),

a smooth convex function, by Newton's method with backtracking. Noisy moments that no table has are no obstacle: the
quadratic term projects them. The statistics are the products y f_i and f_i f_j; the matrix of all of them at all points
is never stored. Floating point throughout, and nothing here is certified: certificates judge a model, however made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STRENGTH = 10.0
"""An error of sqrt(2 strength) standard deviations costs as much as one nat of entropy: noise has its price."""
_MOST_STEPS = 60
"""Whatever weights there are after so many steps are taken: their residuals are reported, not promised."""
_ENOUGH = 1e-7
"""Newton's method stops when no gradient exceeds this many standard deviations."""
_LEAST_SD = 1e-5
"""Smaller noise is fitted as if it were this large: beyond, doubles do not resolve what contradicts itself."""
_DOUBLE_STATISTICS = 400
_SINGLE_RIDGE = 1e-5
"""Beyond so many statistics curvature is computed in single precision, unless the ridge is too small for it. Gradients
are always computed in double precision, so the answer is the same."""
_LEFT_OUT = 1e-3
"""Points whose weights together are this share of the ridge are left out of the curvature: they cannot matter to it."""
_CHUNK = 2**21
"""So many statistics are in memory at once."""


@dataclass(frozen=True, eq=False)
class MomentStatistics:
    """The functions y f_i, for the listed i, and f_i f_j, for the listed pairs, at given points."""

    features: Floats
    labels: Floats
    singles: NDArray[np.intp]
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]]

    @property
    def count(self) -> int:
        return len(self.singles) + len(self.pairs[0])

    def combined(self, theta: Floats) -> Floats:
        """theta . statistics at every point."""
        p = self.features.shape[1]
        linear, quadratic = np.zeros(p), np.zeros((p, p))
        linear[self.singles] = theta[: len(self.singles)]
        quadratic[self.pairs] = theta[len(self.singles) :]
        found: Floats = self.labels * (self.features @ linear)
        found += ((self.features @ quadratic) * self.features).sum(axis=1)
        return found

    def means(self, weights: Floats) -> Floats:
        """The weighted sum of every statistic."""
        weighted = self.features * weights[:, None]
        return np.concatenate([(self.labels @ weighted)[self.singles], (weighted.T @ self.features)[self.pairs]])

    def gram(self, weights: Floats, *, left_out: float = 0.0, single: bool = False) -> Floats:
        """The weighted sum of all products of two statistics, good enough for a Newton step."""
        found = np.zeros((self.count, self.count))
        order = np.argsort(weights)
        heavy = order[np.searchsorted(np.cumsum(weights[order]), left_out) :]
        roots = np.sqrt(weights)
        rows = max(1, _CHUNK // self.count)
        for start in range(0, len(heavy), rows):
            part = heavy[start : start + rows]
            f = self.features[part]
            values = np.concatenate(
                [f[:, self.singles] * self.labels[part, None], f[:, self.pairs[0]] * f[:, self.pairs[1]]], axis=1
            )
            values *= roots[part, None]
            if single:
                narrow = values.astype(np.float32)
                found += narrow.T @ narrow
            else:
                found += values.T @ values
        return found


@dataclass(frozen=True, eq=False)
class Tilt:
    """Fitted weights, which add up to 1, and how far their moments are from the targets."""

    weights: Floats
    theta: Floats
    residuals_sd: Floats
    """Moment minus target, in standard deviations of the noise."""
    steps: int
    settled: bool = True
    """Whether the minimum was reached."""

    @property
    def largest_residual_sd(self) -> float:
        return float(np.abs(self.residuals_sd).max(initial=0.0))

    @property
    def effective_size(self) -> float:
        """The number of equal weights with the same sum of squares."""
        return float(1 / (self.weights @ self.weights))


def fit_tilt(
    statistics: MomentStatistics,
    targets: Floats,
    sds: Floats,
    *,
    base: Floats | None = None,
    strength: float = STRENGTH,
) -> Tilt:
    """The tilt of the base weights (default: equal) to these targets."""
    count = len(statistics.labels)
    log_base = np.full(count, -np.log(count)) if base is None else np.log(base)
    widths = np.maximum(sds, _LEAST_SD)
    ridge = strength * widths**2

    def dual(theta: Floats) -> tuple[float, Floats]:
        exponents = log_base + statistics.combined(theta)
        largest = exponents.max()
        weights = np.exp(exponents - largest)
        total = weights.sum()
        value = largest + np.log(total) - theta @ targets + (ridge * theta * theta).sum() / 2
        return float(value), weights / total

    theta = np.zeros(statistics.count)
    value, weights = dual(theta)
    for step in range(_MOST_STEPS + 1):
        means = statistics.means(weights)
        gradient = means - targets + ridge * theta
        settled = bool((np.abs(gradient) <= _ENOUGH * widths).all())
        if settled or step == _MOST_STEPS:
            break
        direction = _newton_direction(statistics, weights, means, ridge, gradient)
        slope = float(gradient @ direction)
        length = 1.0
        while True:
            tried = theta + length * direction
            new_value, new_weights = dual(tried)
            if new_value <= value + 1e-4 * length * slope or abs(slope) <= 1e-13 * max(1.0, abs(value)):
                break
            length /= 2
            if length < 1e-12:  # rounding hides any further progress
                return Tilt(weights, theta, (means - targets) / sds, step, settled)
        theta, value, weights = tried, new_value, new_weights
    return Tilt(weights, theta, (means - targets) / sds, step, settled)


def _newton_direction(
    statistics: MomentStatistics, weights: Floats, means: Floats, ridge: Floats, gradient: Floats
) -> Floats:
    from scipy.linalg import solve

    single = statistics.count > _DOUBLE_STATISTICS and float(ridge.min()) > _SINGLE_RIDGE
    hessian = statistics.gram(weights, left_out=_LEFT_OUT * float(ridge.min()), single=single) - np.outer(means, means)
    hessian[np.diag_indices_from(hessian)] += ridge
    # Scaled to a unit diagonal, so that pivots of different columns compare.
    scale = 1 / np.sqrt(np.maximum(hessian.diagonal(), ridge))
    found: Floats = -scale * solve(hessian * np.outer(scale, scale), scale * gradient, assume_a="sym")
    return found if found @ gradient < 0 else -gradient / (1 + ridge)
