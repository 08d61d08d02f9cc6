"""The second derivative of the dual of a tilt, where statistics are too many to form it: by products and few points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from mechanisms.projection.statistics import Floats, Statistics

ROUGH_POINTS = 4_000
"""So many points are enough for curvature that is only roughly needed."""
_NOTHING = 1e-9
"""Points whose weights together are this share are none of them."""
_MOST_PRODUCTS = 200
"""Of one solution by conjugate gradients."""


def _sampled(weights: Floats) -> Floats:
    """Weights of some of the points, taken systematically, that stand for all of them."""
    if len(weights) <= ROUGH_POINTS:
        return weights
    reached = np.cumsum(weights)
    some = np.searchsorted(reached, (np.arange(ROUGH_POINTS) + 0.5) / ROUGH_POINTS * reached[-1])
    return np.bincount(np.minimum(some, len(weights) - 1), minlength=len(weights)) / ROUGH_POINTS


class RoughCurvature:
    """The curvature at some weights, from some of the points: near enough to make steps of products few."""

    def __init__(self, statistics: Statistics, weights: Floats) -> None:
        some = _sampled(weights)
        means = statistics.means(some)
        self.formed = statistics.gram(some, left_out=_NOTHING, single=True) - np.outer(means, means)

    def inverse(self, ridge: Floats) -> Callable[[Floats], Floats]:
        """Of curvature plus ridge, times a vector."""
        from scipy.linalg import cho_factor, cho_solve

        whole = self.formed.copy()
        whole[np.diag_indices_from(whole)] += 1.001 * ridge
        factor = cho_factor(whole, overwrite_a=True)
        return lambda given: cho_solve(factor, given)


class Curvature:
    """The second derivative of the dual, by which vectors are multiplied; it is never formed."""

    def __init__(
        self, statistics: Statistics, weights: Floats, ridge: Floats, rough: RoughCurvature | None = None
    ) -> None:
        self._statistics, self._weights, self._ridge = statistics, weights, ridge
        if rough is not None:
            self._inverse = rough.inverse(ridge)
            return
        spread = np.maximum(statistics.squares(weights) - statistics.means(weights) ** 2, 0) + ridge
        self._inverse = lambda given: given / spread

    def times(self, place: Floats) -> Floats:
        values = self._statistics.combined(place)
        product = self._statistics.means(self._weights * (values - self._weights @ values))
        found: Floats = product + self._ridge * place
        return found

    def size_of(self, given: Floats) -> float:
        """In what the dual would gain, about."""
        return float(np.sqrt(given @ self._inverse(given)))

    def solved(self, given: Floats, *, forcing: float) -> Floats:
        """What it takes to the given vector, but for this part of it, by conjugate gradients."""
        left, found = given, np.zeros(len(given))
        near = self._inverse(left)
        along = near
        size = first = float(left @ near)
        for _ in range(_MOST_PRODUCTS):
            if size <= forcing**2 * first:
                break
            product = self.times(along)
            length = size / float(along @ product)
            found = found + length * along
            left = left - length * product
            near = self._inverse(left)
            size, before = float(left @ near), size
            along = near + size / before * along
        return found
