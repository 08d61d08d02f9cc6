"""Weights as near to the base weights as noisy statistics allow: the information projection of wang2023, softened.

Weights are proportional to base weights times exp(theta . statistics). Theta minimises the dual of

    KL(weights | base) + sum over statistics of (residual / sd)^2 / (2 strength),

a smooth convex function, by Newton's method with backtracking. Noisy statistics that no table can have are no obstacle:
the quadratic term projects them. All of it is floating point and nothing is certified; certificates judge the results.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.projection.curvature import Curvature, RoughCurvature

if TYPE_CHECKING:
    from mechanisms.projection.statistics import Floats, Statistics

STRENGTH = 10.0
"""An error of sqrt(2 strength) standard deviations costs as much as one nat of entropy."""
_MOST_STEPS = 60
"""After this many steps the weights are used as they are: their residuals are reported, not promised."""
_ENOUGH = 1e-7
"""Newton's method stops when no gradient exceeds this many standard deviations."""
LEAST_SD = 1e-5
"""Smaller noise is fitted as if it were this large; below it, doubles cannot resolve contradictions."""
MOST_DENSE = 10**4
"""By default, curvature is not formed beyond this many statistics."""
_ENOUGH_MULTIPLIED = 1e-3
"""The same if curvature is not formed."""
_FORCING = 0.1
"""The part of the gradient that a step by conjugate gradients may leave at most."""
_DOUBLE_STATISTICS = 400
_SINGLE_RIDGE = 1e-5
"""Beyond this many statistics curvature is computed in single precision, unless the ridge is too small for it.
Gradients are always computed in double precision, so the answer is the same."""
_LEFT_OUT = 1e-3
"""Points whose weights together are this share of the ridge are left out of the curvature: they cannot affect it."""


@dataclass(frozen=True, eq=False)
class Tilt:
    """Fitted weights, which add up to 1, and how far their statistics are from the targets."""

    weights: Floats
    theta: Floats
    residuals_sd: Floats
    """Statistic minus target, in standard deviations of the noise."""
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
    statistics: Statistics,
    targets: Floats,
    sds: Floats,
    *,
    base: Floats | None = None,
    strength: float = STRENGTH,
    least_sd: float = LEAST_SD,
    start: Floats | None = None,
    dense: int = MOST_DENSE,
    rough: RoughCurvature | None = None,
    enough: float | None = None,
) -> Tilt:
    """The tilt of the base weights (default: equal) to these targets.

    The search begins at `start` (default: zeros) and ends when no gradient exceeds `enough` deviations. Beyond `dense`
    statistics curvature is only applied to vectors, never formed; a `rough` one makes that quicker.
    """
    count = statistics.points
    log_base = np.full(count, -np.log(count)) if base is None else np.log(base)
    widths = np.maximum(sds, least_sd)
    ridge = strength * widths**2
    formed = statistics.count <= dense
    near = widths * (enough or (_ENOUGH if formed else _ENOUGH_MULTIPLIED))

    def dual(theta: Floats) -> tuple[float, Floats]:
        exponents = log_base + statistics.combined(theta)
        largest = exponents.max()
        weights = np.exp(exponents - largest)
        total = weights.sum()
        value = largest + np.log(total) - theta @ targets + (ridge * theta * theta).sum() / 2
        return float(value), weights / total

    theta = np.zeros(statistics.count) if start is None else start
    value, weights = dual(theta)
    for step in range(_MOST_STEPS + 1):
        means = statistics.means(weights)
        gradient = means - targets + ridge * theta
        settled = bool((np.abs(gradient) <= near).all())
        if settled or step == _MOST_STEPS:
            break
        if formed:
            direction = _newton_direction(statistics, weights, means, ridge, gradient)
        else:
            curvature = Curvature(statistics, weights, ridge, rough)
            direction = -curvature.solved(gradient, forcing=min(_FORCING, curvature.size_of(gradient) ** 0.5))
        slope = float(gradient @ direction)
        length = 1.0
        while True:
            tried = theta + length * direction
            new_value, new_weights = dual(tried)
            if new_value <= value + 1e-4 * length * slope or abs(slope) <= 1e-13 * max(1.0, abs(value)):
                break
            length /= 2
            if length < 1e-12:  # rounding hides any further progress
                return Tilt(weights, theta, (means - targets) / widths, step, settled)
        theta, value, weights = tried, new_value, new_weights
    return Tilt(weights, theta, (means - targets) / widths, step, settled)


def _newton_direction(
    statistics: Statistics, weights: Floats, means: Floats, ridge: Floats, gradient: Floats
) -> Floats:
    from scipy.linalg import LinAlgWarning, solve

    single = statistics.count > _DOUBLE_STATISTICS and float(ridge.min()) > _SINGLE_RIDGE
    hessian = statistics.gram(weights, left_out=_LEFT_OUT * float(ridge.min()), single=single) - np.outer(means, means)
    hessian[np.diag_indices_from(hessian)] += ridge
    # Scaled to a unit diagonal, so that pivots of different columns compare.
    scale = 1 / np.sqrt(np.maximum(hessian.diagonal(), ridge))
    with warnings.catch_warnings():  # the search shortens a direction spoilt by rounding
        warnings.simplefilter("ignore", LinAlgWarning)
        found: Floats = -scale * solve(hessian * np.outer(scale, scale), scale * gradient, assume_a="sym")
    return found if found @ gradient < 0 else -gradient / (1 + ridge)
