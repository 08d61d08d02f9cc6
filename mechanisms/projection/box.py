"""The projection as wang2023 states it: statistics within gamma of their targets, weights as near to base as can be.

The dual, log of the weighted mean of exp(theta . (statistics - targets)) plus gamma times the sum of |theta|, is
minimised orthant by orthant: Newton's method on the terms that are not 0, or ought not to be, and no term crosses 0 in
one step. If no weights reach the box, the dual falls for ever; if statistics repeat each other, the search may end
early. In both cases it has not settled, and the weights must not be used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from mechanisms.projection.statistics import Floats, Places, Statistics

    Dual: TypeAlias = Callable[[Floats], tuple[float, Floats]]

_MOST_STEPS = 80
_ENOUGH = 1e-10
"""Largest violation of the conditions of the minimum, on the scale of the statistics."""
_DAMPING, _FLAT = 1e-13, 1e-20
_LARGEST = 1e6
"""If the minimum is attained by weights of the points, no term is larger; beyond it, the dual falls for ever."""
_STILL = 1e-9
"""A violation below this is good enough if rounding keeps it from falling further."""


@dataclass(frozen=True, eq=False)
class Boxed:
    """Weights with every statistic within gamma of its target, if the search settled."""

    weights: Floats
    theta: Floats
    residuals: Floats
    """Statistic minus target."""
    steps: int
    settled: bool

    @property
    def effective_size(self) -> float:
        return float(1 / (self.weights @ self.weights))


def fit_box(statistics: Statistics, targets: Floats, gamma: float, *, base: Floats) -> Boxed:
    """The projection of the base weights to the box around the targets."""
    log_base = np.log(base)

    def dual(theta: Floats) -> tuple[float, Floats]:
        exponents = log_base + statistics.combined(theta)
        largest = exponents.max()
        weights = np.exp(exponents - largest)
        total = weights.sum()
        value = largest + np.log(total) - theta @ targets + gamma * np.abs(theta).sum()
        return float(value), weights / total

    theta = np.zeros(statistics.count)
    value, weights = dual(theta)
    settled, step = False, 0
    for step in range(_MOST_STEPS + 1):
        means = statistics.means(weights)
        residuals = means - targets
        steepest = _steepest(theta, residuals, gamma)
        violation = float(np.abs(steepest).max(initial=0.0))
        settled = violation <= (_STILL if step == _MOST_STEPS else _ENOUGH)
        if settled or step == _MOST_STEPS or float(np.abs(theta).max(initial=0.0)) > _LARGEST:
            break
        signs = np.where(theta != 0, np.sign(theta), -np.sign(steepest))
        free = np.flatnonzero(signs)
        direction = np.zeros(len(theta))
        direction[free] = -_solved(statistics, weights, means, free, steepest[free])
        moved = _line_search(dual, theta, value, direction, steepest, signs)
        if moved is None:
            settled = violation <= _STILL
            break
        theta, value, weights = moved
    return Boxed(weights, theta, statistics.means(weights) - targets, step, settled)


def _steepest(theta: Floats, slope: Floats, gamma: float) -> Floats:
    """The gradient of the dual; for terms that are 0, the least of its subgradients."""
    return np.where(theta != 0, slope + gamma * np.sign(theta), np.sign(slope) * np.maximum(np.abs(slope) - gamma, 0))


def _solved(statistics: Statistics, weights: Floats, means: Floats, free: Places, slope: Floats) -> Floats:
    """The Newton step in some terms, with just enough damping for redundant statistics."""
    curvature = statistics.gram(weights)[np.ix_(free, free)] - np.outer(means[free], means[free])
    scale = 1 / np.sqrt(np.maximum(curvature.diagonal(), _FLAT))
    scaled = curvature * np.outer(scale, scale)
    values, vectors = np.linalg.eigh(scaled)
    values = np.maximum(values, _DAMPING * max(1.0, float(values[-1])))
    found: Floats = scale * (vectors @ ((vectors.T @ (scale * slope)) / values))
    return found


def _line_search(
    dual: Dual, theta: Floats, value: float, direction: Floats, steepest: Floats, signs: Floats
) -> tuple[Floats, float, Floats] | None:
    """The first of ever shorter steps, kept in its orthant, that lowers the dual; None if none does."""
    length = min(1.0, _LARGEST / max(float(np.abs(direction).max()), 1.0))
    while length > 1e-9:
        tried = theta + length * direction
        tried = np.where(np.sign(tried) == signs, tried, 0.0)
        new_value, new_weights = dual(tried)
        if new_value <= value + 1e-4 * float(steepest @ (tried - theta)):
            return tried, new_value, new_weights
        length /= 2
    return None
