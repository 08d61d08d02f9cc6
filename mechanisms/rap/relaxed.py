"""Relaxed rows: every column of categories is a point of a simplex, every number one of [0, 1]; and the projection.

A relaxed row is called a point, and is a column of an array, so that the values of one code at all points are
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
"""An upper bound on everything; NumPy clips faster at two bounds than at one."""


@dataclass(frozen=True)
class Layout:
    """Which lines of the array belong to which column: categories block by block, then a line for each number."""

    blocks: tuple[int, ...]
    """Number of codes of each column of categories."""
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
    """Projection onto simplices and [0, 1]; its work arrays are reused."""

    def __init__(self, layout: Layout, points: Floats) -> None:
        """A projection for points in an array like this one."""
        kind, count = points.dtype, points.shape[1]
        self._layout = layout
        self._sizes = np.array(layout.blocks, dtype=np.intp)
        # a line for each block, 1 at its codes: sums of blocks are products with it
        self._ones = np.repeat(np.eye(len(layout.blocks), dtype=kind), self._sizes, axis=1)
        self._of_code = np.repeat(np.arange(len(layout.blocks)), self._sizes)
        self._left, self._other = (np.empty((layout.categories_end, count), kind) for _ in range(2))
        self._above = np.empty((layout.categories_end, count), bool)

    def __call__(self, points: Floats) -> None:
        """Move every point to the nearest one of its simplices, or near it, and its numbers into [0, 1]; in place.

        The amount to subtract from all codes of a block so that the rest adds up to 1 is the root of a convex function.
        A few Newton steps approach it from below, the closer the less points had moved, and the result is divided by
        its sum: there is no loop that rounding could keep from ending, and the sum is always 1.
        """
        numbers = self._layout.numbers_of(points)
        np.clip(numbers, 0, 1, out=numbers)
        if not self._layout.blocks:
            return
        shares = points[: self._layout.categories_end]
        # Points that moved a little still have most of their codes above 0; a point without any starts from all codes.
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
        """What remains above 0 after this much is subtracted from every code of a block."""
        np.take(taken, self._of_code, axis=0, out=self._left, mode="clip")
        np.subtract(shares, self._left, out=self._left)
        np.clip(self._left, 0, _MOST, out=self._left)

    def _counts(self) -> Floats:
        """Number of codes of each block that remain above 0."""
        np.greater(self._left, 0, out=self._above)
        np.copyto(self._other, self._above)
        found: Floats = self._ones @ self._other
        return found
