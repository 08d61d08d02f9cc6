"""Cells of a domain: each attribute's codes cut into consecutive runs of nearly equal length, cells numbered.

With as many runs as codes a cell is a point. With q runs for each of p real attributes the cells are the q^p cubes of
a grid: code c belongs to run floor(c q / size). Everything is exact in integers; only `draw_inside` is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError
from release.data.domain import Domain, require_records

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

MOST_CELLS = 2**22
"""Every cell gets its own noise, drawn exactly."""
_BYTES_PER_CELL = 100
"""Counts, noisy counts as Python integers, weights and their sums."""


@dataclass(frozen=True)
class Cells:
    """Runs of codes on every axis; cell number i has the digits of i in mixed radix, first axis first."""

    domain: Domain
    per_axis: tuple[int, ...]

    @property
    def count(self) -> int:
        return prod(self.per_axis)

    @property
    def are_points(self) -> bool:
        return self.per_axis == self.domain.sizes

    def first_code(self, axis: int, run: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first code of a run: the least c with floor(c q / size) = run."""
        size, q = self.domain.sizes[axis], self.per_axis[axis]
        found: NDArray[np.int64] = -((-run * size) // q)
        return found

    def numbers(self, codes: Codes) -> NDArray[np.int64]:
        """The cell of every record."""
        found = np.zeros(len(codes), dtype=np.int64)
        for axis in reversed(range(self.domain.p)):
            size, q = self.domain.sizes[axis], self.per_axis[axis]
            found *= q
            found += codes[:, axis].astype(np.int64) * q // size
        return found

    def counts(self, codes: Codes) -> NDArray[np.int64]:
        """How many records each cell contains."""
        require_records(codes, self.domain)
        return np.bincount(self.numbers(codes), minlength=self.count)

    def draw_inside(self, numbers: NDArray[np.int64], generator: np.random.Generator) -> Codes:
        """One point in each of these cells, every code of the cell equally likely."""
        codes = np.empty((len(numbers), self.domain.p), dtype=self.domain.code_type)
        rest = numbers
        for axis, q in enumerate(self.per_axis):
            rest, run = np.divmod(rest, q)
            low, end = self.first_code(axis, run), self.first_code(axis, run + 1)
            codes[:, axis] = low if q == self.domain.sizes[axis] else generator.integers(low, end)
        return codes


def cells_of(domain: Domain, per_axis: int | Sequence[int] | None, *, most_cells: int = MOST_CELLS) -> Cells:
    """A number of runs for each axis (one number for all, cut at the attribute's codes; None: the points themselves).

    Refused before anything is allocated if there are too many cells.
    """
    if per_axis is None:
        runs = domain.sizes
    elif isinstance(per_axis, int):
        if per_axis < 1:
            raise ParameterError("cells_per_axis", per_axis, "at least 1")
        runs = tuple(min(per_axis, size) for size in domain.sizes)
    else:
        runs = tuple(int(q) for q in per_axis)
        if len(runs) != domain.p:
            raise ParameterError("cells_per_axis", len(runs), f"{domain.p} numbers, one per attribute")
        for q, size, name in zip(runs, domain.sizes, domain.names, strict=True):
            if not 1 <= q <= size:
                raise ParameterError(f"cells_per_axis of {name}", q, f"between 1 and its {size} codes")
    count = prod(runs)
    if count > most_cells:
        raise ParameterError(
            "cells",
            count if count < 10**9 else f"about 2^{count.bit_length() - 1}",
            f"at most {most_cells}",
            f"every cell needs its own noise, here about {_memory(count)} of memory; use uniform points or a grid",
        )
    return Cells(domain, runs)


def _memory(count: int) -> str:
    amount = count * _BYTES_PER_CELL
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB"):
        if amount < 1000:
            return f"{amount} {unit}"
        amount //= 1000
    return f"2^{amount.bit_length() - 1} EB"
