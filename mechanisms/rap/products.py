"""Tables of counts of several columns of categories, as products of two matrices: smooth in relaxed rows as they are.

A table is the matrix of codes of one part of its columns, for every row, times that of the other part. Products of
columns that occur in many tables are computed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from mechanisms.rap.relaxed import Floats, Layout

Blocks = tuple[int, ...]
"""Places among the columns of categories."""
_Array = TypeVar("_Array", bound="NDArray[Any]")


@dataclass(frozen=True)
class Split:
    """A table as a matrix: which of its columns index the lines, and which the cells of a line."""

    blocks: Blocks
    lines: Blocks
    cells: Blocks

    def arranged(self, table: _Array) -> _Array:
        """A table with an axis for each of `blocks`, as this matrix."""
        axes = [self.blocks.index(block) for block in (*self.lines, *self.cells)]
        height = prod(table.shape[axis] for axis in axes[: len(self.lines)])
        return np.ascontiguousarray(table.transpose(axes).reshape(height, -1))  # type: ignore[return-value]


class Products:
    """Sets of two or more columns, split so that neither part of any set is large."""

    def __init__(self, layout: Layout, sets: Sequence[Blocks]) -> None:
        self._layout = layout
        self.splits = tuple(self._split(blocks) for blocks in sets)
        parts = {part for split in self.splits for part in (split.lines, split.cells)}
        # A part of three columns is the part of its first two times the third.
        firsts = {part[:size] for part in parts for size in range(1, len(part) + 1)}
        self._parts = sorted(firsts | {(block,) for part in parts for block in part}, key=_by_length)

    def _split(self, blocks: Blocks) -> Split:
        """Columns go one by one, the largest first, to the part that is smaller."""
        sizes = self._layout.blocks
        parts: tuple[list[int], list[int]] = [], []
        for block in sorted(blocks, key=lambda place: (-sizes[place], place)):
            min(parts, key=lambda part: prod(sizes[place] for place in part) if part else 0).append(block)
        lines, cells = (tuple(sorted(part)) for part in parts)
        return Split(blocks, lines, cells)

    def parts(self, points: Floats) -> dict[Blocks, Floats]:
        """The products of codes that are needed, for all points."""
        made: dict[Blocks, Floats] = {}
        for part in self._parts:
            last = self._layout.block(points, part[-1])
            made[part] = last if len(part) == 1 else _product(made[part[:-1]], last)
        return made

    def shares(self, points: Floats) -> Iterator[Floats]:
        """The tables of all sets, as matrices, in shares."""
        made = self.parts(points)
        for split in self.splits:
            yield share_matrix(made, split)

    def add_gradient(self, made: Mapping[Blocks, Floats], slopes: dict[Blocks, Floats], gradient: Floats) -> None:
        """Turn slopes of parts into slopes of points; `slopes` is overwritten."""
        for part in reversed(self._parts):
            if part not in slopes:
                continue
            slope = slopes.pop(part)
            last = self._layout.block(gradient, part[-1])
            if len(part) == 1:
                last += slope
                continue
            before, codes = part[:-1], made[part[-1:]]
            factor = made[before]
            several = slope.reshape(len(factor), len(codes), -1)
            passed = several[:, 0] * codes[0]
            for code in range(1, len(codes)):
                passed += several[:, code] * codes[code]
            add_slope(slopes, before, passed)
            several *= factor[:, None]
            last += several.sum(axis=0)


def share_matrix(made: Mapping[Blocks, Floats], split: Split) -> Floats:
    """A table in shares."""
    lines, cells = made[split.lines], made[split.cells]
    found: Floats = lines @ cells.T
    found /= lines.shape[1]
    return found


def add_slope(slopes: dict[Blocks, Floats], part: Blocks, slope: Floats) -> None:
    if part in slopes:
        slopes[part] += slope
    else:
        slopes[part] = slope


def _product(first: Floats, second: Floats) -> Floats:
    """For every point all products of two codes, the second one fastest."""
    found: Floats = (first[:, None] * second[None]).reshape(-1, first.shape[1])
    return found


def _by_length(part: Blocks) -> tuple[int, Blocks]:
    return len(part), part
