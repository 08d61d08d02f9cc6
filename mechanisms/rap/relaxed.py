"""Relaxed rows: every column of categories is a point of a simplex, every number one of [0, 1]; and how they stay so.

A relaxed row is called a point, and stands in a column of an array, so that what is about one code of all points is
contiguous.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]
    """Single precision in a fit; double precision where gradients are tested."""

_NEWTON_STEPS = 2
_MOST = 2.0**20
"""Nothing is above this; with two bounds to clip at, NumPy is faster than with one."""


@dataclass(frozen=True)
class Layout:
    """Which lines of the array belong to which column: categories block by block, then numbers, a line each."""

    blocks: tuple[int, ...]
    """How many codes the columns of categories have."""
    numbers: int

    @cached_property
    def starts(self) -> tuple[int, ...]:
        return tuple(int(at) for at in np.cumsum([0, *self.blocks]))

    @property
    def categories_end(self) -> int:
        """Where the lines of numbers begin."""
        return self.starts[-1]

    @property
    def height(self) -> int:
        return self.categories_end + self.numbers

    def block(self, values: Floats, place: int) -> Floats:
        """The lines of a column of categories, a view."""
        return values[self.starts[place] : self.starts[place + 1]]

    def numbers_of(self, values: Floats) -> Floats:
        """The lines of the numbers, a view."""
        return values[self.categories_end :]


class Projection:
    """Onto simplices and [0, 1]; what it computes with is kept from one time to the next."""

    def __init__(self, layout: Layout, points: Floats) -> None:
        """For points in an array like this one."""
        kind, count = points.dtype, points.shape[1]
        self._layout = layout
        self._sizes = np.array(layout.blocks, dtype=np.intp)
        # a line a block, 1 where its codes are: sums of blocks are products with it
        self._ones = np.repeat(np.eye(len(layout.blocks), dtype=kind), self._sizes, axis=1)
        self._of_code = np.repeat(np.arange(len(layout.blocks)), self._sizes)
        self._left, self._other = (np.empty((layout.categories_end, count), kind) for _ in range(2))
        self._above = np.empty((layout.categories_end, count), bool)

    def __call__(self, points: Floats) -> None:
        """Move every point to the nearest one of its simplices, or near it, and its numbers into [0, 1]; in place.

        What is taken from all codes of a block such that the rest adds up to 1 is the root of a convex function. A
        few of Newton's steps come near it from below, the nearer the less points had moved, and what is left is
        divided by its sum: there is no loop that rounding could keep from ending, and the sum is 1 whatever they did.
        """
        numbers = self._layout.numbers_of(points)
        np.clip(numbers, 0, 1, out=numbers)
        if not self._layout.blocks:
            return
        shares = points[: self._layout.categories_end]
        # Points that moved a little still have most of their codes above 0; one without any starts from all of them.
        np.clip(shares, 0, _MOST, out=self._left)
        counts, sums = self._counts(), self._ones @ self._left
        if not counts.all():
            empty, sizes = counts == 0, self._sizes[:, None].astype(points.dtype)
            counts, sums = np.where(empty, sizes, counts), np.where(empty, self._ones @ shares, sums)
        taken = (sums - 1) / counts
        for _ in range(_NEWTON_STEPS - 1):
            self._take(shares, taken)
            taken += (self._ones @ self._left - 1) / np.maximum(self._counts(), 1)
        self._take(shares, taken)
        np.take(self._ones @ self._left, self._of_code, axis=0, out=self._other, mode="clip")
        np.divide(self._left, self._other, out=shares)

    def _take(self, shares: Floats, taken: Floats) -> None:
        """What is above 0 once so much is taken from every code of a block."""
        np.take(taken, self._of_code, axis=0, out=self._left, mode="clip")
        np.subtract(shares, self._left, out=self._left)
        np.clip(self._left, 0, _MOST, out=self._left)

    def _counts(self) -> Floats:
        """How many codes of each block are left above 0."""
        np.greater(self._left, 0, out=self._above)
        np.copyto(self._other, self._above)
        found: Floats = self._ones @ self._other
        return found
