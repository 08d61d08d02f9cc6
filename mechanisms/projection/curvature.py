"""The second derivative of the dual of a tilt, if there are too many statistics to form it: products and few points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from mechanisms.projection.statistics import Floats, Statistics

ROUGH_POINTS = 4_000
"""This many points are enough if curvature is only needed roughly."""
_NOTHING = 1e-9
"""Points that together have only this share of the weight are left out."""
_MOST_PRODUCTS = 200
"""Most products for one solution by conjugate gradients."""


def _sampled(weights: Floats) -> Floats:
    """Weights on a systematic sample of the points that represent all of them."""
    if len(weights) <= ROUGH_POINTS:
        return weights
    reached = np.cumsum(weights)
    some = np.searchsorted(reached, (np.arange(ROUGH_POINTS) + 0.5) / ROUGH_POINTS * reached[-1])
    return np.bincount(np.minimum(some, len(weights) - 1), minlength=len(weights)) / ROUGH_POINTS


class RoughCurvature:
    """The curvature at some weights, from some of the points: accurate enough that few products are needed."""

    def __init__(self, statistics: Statistics, weights: Floats) -> None:
        some = _sampled(weights)
        means = statistics.means(some)
        self.formed = statistics.gram(some, left_out=_NOTHING, single=True) - np.outer(means, means)

    def inverse(self, ridge: Floats) -> Callable[[Floats], Floats]:
        """The inverse of curvature plus ridge, as a map of vectors."""
        from scipy.linalg import cho_factor, cho_solve

        whole = self.formed.copy()
        whole[np.diag_indices_from(whole)] += 1.001 * ridge
        factor = cho_factor(whole, overwrite_a=True)
        return lambda given: cho_solve(factor, given)


class Curvature:
    """The second derivative of the dual as a map of vectors; the matrix is never formed."""

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
        """The size of a vector, measured roughly as the gain of the dual."""
        return float(np.sqrt(given @ self._inverse(given)))

    def solved(self, given: Floats, *, forcing: float) -> Floats:
        """The vector that it maps to the given one, up to this part of it, by conjugate gradients."""
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
