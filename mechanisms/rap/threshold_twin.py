"""Thresholds of numbers made smooth: how far a record is beyond a plane, as a sigmoid of its distance from it.

The sigmoid is (1 + tanh(s u / 2)) / 2 for a distance u on the same side as in the query and sharpness s.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mechanisms.rap.relaxed import Floats, Layout

_AT_ONCE = 64
"""Number of planes whose values at all points fit into the cache."""
_FEW = 4
"""Up to this many codes a product for each is cheaper than one more array of all points and planes."""


@dataclass(frozen=True, eq=False)
class TargetPlanes:
    """Noisy shares of the records beyond some planes, split by a column of categories or counted together."""

    block: int | None
    """Place of that column among those of categories; None if all records are counted together."""
    slopes: Floats
    """For each plane a line with a weight for every number from 0 to 1."""
    levels: Floats
    shares: Floats
    """For each plane a line with a share for every code of the column, or a single share."""
    weights: Floats
    """Weights of the squared errors, one for each plane."""

    def with_others(self, others: Iterable[TargetPlanes]) -> TargetPlanes:
        same = [self, *others]
        names = ("slopes", "levels", "shares", "weights")
        return TargetPlanes(self.block, *(np.concatenate([getattr(part, name) for part in same]) for name in names))

    def twin(self, layout: Layout) -> ThresholdTwin:
        return ThresholdTwin(layout, self)


class ThresholdTwin:
    """Planes split by the same column."""

    def __init__(self, layout: Layout, planes: TargetPlanes, kind: type[Any] = np.float32) -> None:
        self._layout, self._block = layout, planes.block
        # a number that is 1 in all points carries the levels
        self._planes = np.hstack([planes.slopes, -planes.levels[:, None]]).astype(kind)
        self._shares = planes.shares.astype(kind)
        self._weights = planes.weights.astype(kind)[:, None]

    def add_gradient(self, points: Floats, gradient: Floats, sharpness: float) -> float:
        count, kind = points.shape[1], points.dtype.type
        one = np.ones((1, count), kind)
        by, by_slopes = one, np.zeros_like(one)
        if self._block is not None:
            by, by_slopes = (self._layout.block(values, self._block) for values in (points, gradient))
        lifted = np.vstack([self._layout.numbers_of(points), one])
        slopes_of_numbers = self._layout.numbers_of(gradient)
        planes = self._planes * kind(sharpness / 2)
        slopes, per_point = np.ascontiguousarray(planes[:, :-1].T), kind(0.5 / count)
        at_zero = by.sum(axis=1) * per_point - self._shares
        errors, pulls = np.empty_like(self._shares), np.empty_like(self._shares)
        # for each number and each code, if codes are few
        few = (len(slopes), len(by), count) if len(by) <= _FEW else (0, 0, count)
        squares = np.zeros((few[0] * few[1], count), kind)
        beyond = np.empty((min(_AT_ONCE, len(planes)), count), kind)
        for start in range(0, len(planes), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            error, pull, slope = errors[some], pulls[some], slopes[:, some]
            beyond = beyond[: len(error)]
            np.matmul(planes[some], lifted, out=beyond)
            np.tanh(beyond, out=beyond)
            np.matmul(beyond, by.T, out=error)
            error *= per_point
            error += at_zero[some]
            # the slope of a square is twice the error, and that of a share half that of tanh
            np.multiply(error, self._weights[some] / kind(count), out=pull)
            by_slopes += pull.T @ beyond
            np.square(beyond, out=beyond)
            if len(squares):
                squares += (slope[:, None] * pull.T).reshape(-1, len(pull)) @ beyond
            else:
                beyond *= pull @ by
                slopes_of_numbers -= slope @ beyond
        by_slopes += pulls.sum(axis=0)[:, None]
        # the slope of tanh is 1 - tanh^2, and the part of the 1 needs no array of all points and planes
        slopes_of_numbers += (slopes @ pulls) @ by
        if len(squares):
            slopes_of_numbers -= (squares.reshape(few) * by).sum(axis=1)
        return float((self._weights * errors * errors).sum())
