"""First and second moments of numbers, of all records or by the values of a column: smooth as they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mechanisms.rap.relaxed import Floats, Layout


_FIELDS = ("means", "weights")


@dataclass(frozen=True, eq=False)
class TargetMoments:
    """Noisy means of products of two of the numbers (with 1 as the last of them), for each code of a column."""

    block: int | None
    """Place of the column among those of categories; None if all records are taken together."""
    means: Floats
    """A symmetric matrix for every code, or a single one."""
    weights: Floats
    """Weights of the squared errors; 0 for means that were not asked."""

    def with_others(self, others: Iterable[TargetMoments]) -> TargetMoments:
        """No mean is asked twice."""
        same = [self, *others]
        return TargetMoments(self.block, *(np.sum([getattr(part, name) for part in same], axis=0) for name in _FIELDS))

    def twin(self, layout: Layout) -> MomentTwin:
        return MomentTwin(layout, self)


class MomentTwin:
    """Means of products, on the matrices above."""

    def __init__(self, layout: Layout, moments: TargetMoments, kind: type[Any] = np.float32) -> None:
        self._layout, self._block = layout, moments.block
        self._means, self._weights = moments.means.astype(kind), moments.weights.astype(kind)

    def add_gradient(self, points: Floats, gradient: Floats, sharpness: float) -> float:
        count = points.shape[1]
        one = np.ones((1, count), points.dtype)
        by, by_slopes = one, np.zeros_like(one)
        if self._block is not None:
            by, by_slopes = (self._layout.block(values, self._block) for values in (points, gradient))
        factors, value = np.vstack([self._layout.numbers_of(points), one]), 0.0
        for shares, slopes, means, weights in zip(by, by_slopes, self._means, self._weights, strict=True):
            error = (factors * shares) @ factors.T / count - means
            pull = weights * error
            value += float(np.vdot(pull, error))
            pulled = pull @ factors
            pulled *= 2 / count
            slopes += np.einsum("in,in->n", pulled, factors)
            self._layout.numbers_of(gradient)[:] += 2 * shares * pulled[:-1]
        return value
