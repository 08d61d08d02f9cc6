"""Mixed marginals made smooth: a product of two sigmoids for two numbers being at most their thresholds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.rap.relaxed import Floats, Layout

_AT_ONCE = 64
"""Number of conditions whose values at all points fit into the cache."""


@dataclass(frozen=True, eq=False)
class TargetCorners:
    """Noisy shares of the records with two numbers below a corner, split by a column of categories."""

    block: int
    """Place of the column among those of categories."""
    pairs: NDArray[np.intp]
    """For each condition a line of places among the numbers."""
    most: Floats
    """For each condition a line with the two thresholds, from 0 to 1."""
    shares: Floats
    """For each condition a line with a share for every code."""
    weights: Floats
    """Weights of the squared errors, one for each condition."""

    def with_others(self, others: Iterable[TargetCorners]) -> TargetCorners:
        same = [self, *others]
        names = ("pairs", "most", "shares", "weights")
        return TargetCorners(self.block, *(np.concatenate([getattr(part, name) for part in same]) for name in names))

    def twin(self, layout: Layout) -> MixedTwin:
        return MixedTwin(layout, self)


class MixedTwin:
    """Corners split by the same column."""

    def __init__(self, layout: Layout, corners: TargetCorners, kind: type[Any] = np.float32) -> None:
        self._layout, self._corners = layout, corners
        self._most, self._shares = corners.most.astype(kind), corners.shares.astype(kind)
        self._weights = corners.weights.astype(kind)[:, None]

    def add_gradient(self, points: Floats, gradient: Floats, sharpness: float) -> float:
        count, kind = points.shape[1], points.dtype.type
        by, by_slopes = (self._layout.block(values, self._corners.block) for values in (points, gradient))
        numbers, slopes_of_numbers = (self._layout.numbers_of(values) for values in (points, gradient))
        half, value = kind(sharpness / 2), 0.0
        for start in range(0, len(self._most), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            pairs = self._corners.pairs[some]
            sides = [np.tanh(half * (self._most[some, side, None] - numbers[pairs[:, side]])) for side in (0, 1)]
            met = (1 + sides[0]) * (1 + sides[1])
            met *= kind(0.25)
            error = met @ by.T
            error *= 1 / count
            error -= self._shares[some]
            pull = self._weights[some] * error
            value += float(np.vdot(pull, error))
            pull *= 2 / count
            by_slopes += pull.T @ met
            met *= pull @ by
            for side in (0, 1):
                # a sigmoid s has the slope k s (1 - s), and 1 - s is half of 1 - tanh
                slopes = met * (1 - sides[side])
                chosen = np.eye(len(numbers), dtype=kind)[pairs[:, side]]
                slopes_of_numbers -= half * (chosen.T @ slopes)
        return value
