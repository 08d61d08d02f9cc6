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

_NEWTON_STEPS = 3


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

    @cached_property
    def _sizes(self) -> NDArray[np.intp]:
        return np.array(self.blocks, dtype=np.intp)

    @cached_property
    def _indicator(self) -> NDArray[np.float32]:
        """A line a block: 1 where its lines are. Sums of blocks are products with it."""
        return np.repeat(np.eye(len(self.blocks), dtype=np.float32), self._sizes, axis=1)

    def project(self, values: Floats) -> None:
        """Move every point to the nearest one of its simplices, or very near it, and its numbers into [0, 1]; in place.

        What is taken from all codes of a block such that the rest adds up to 1 is the root of a convex function. A
        few of Newton's steps come near it from below, and what is left is divided by its sum: there is no loop that
        rounding could keep from ending, and the sum is 1 whatever the steps did.
        """
        numbers = self.numbers_of(values)
        np.clip(numbers, 0, 1, out=numbers)
        if not self.blocks:
            return
        shares, ones = values[: self.categories_end], self._indicator.astype(values.dtype, copy=False)
        above = shares > 0
        counts = ones @ above
        # Points that moved a little still have most of their codes above 0; one without any starts from all of them.
        taken = (ones @ (shares * above) - 1) / np.maximum(counts, 1)
        empty = counts == 0
        if empty.any():
            everything = (ones @ shares - 1) / self._sizes[:, None].astype(values.dtype)
            taken = np.where(empty, everything, taken)
        for _ in range(_NEWTON_STEPS - 1):
            left = shares - np.repeat(taken, self._sizes, axis=0)
            above = left > 0
            left *= above
            taken += (ones @ left - 1) / np.maximum(ones @ above, 1)
        shares -= np.repeat(taken, self._sizes, axis=0)
        shares *= shares > 0
        shares /= np.repeat(ones @ shares, self._sizes, axis=0)
