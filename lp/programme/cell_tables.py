"""The tables of which a family of cells consists, and the nearest tables that agree with each other on shared margins.

The queries "cells" are whole tables, one after the other, the last attribute of a table fastest. Noisy tables
contradict each other: two of them sum to different margins. Which tables are consistent, and the projection onto them,
needs no reference points; lp.programme.table_bound and lp.programme.table_projection start from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from release.statistics.families import Family, ProductFamily

    Vector = NDArray[np.float64]


@dataclass(frozen=True)
class CellTable:
    """Cells start .. stop - 1 of the family: one for every combination of codes of these attributes."""

    attributes: tuple[int, ...]
    sizes: tuple[int, ...]
    start: int

    @property
    def cells(self) -> int:
        return prod(self.sizes)

    @property
    def stop(self) -> int:
        return self.start + self.cells

    @property
    def span(self) -> slice:
        return slice(self.start, self.stop)

    def margin_places(self, kept: tuple[int, ...]) -> NDArray[np.int64]:
        """For every cell, its place in the table of the kept attributes, in their order."""
        codes = np.indices(self.sizes).reshape(len(self.sizes), -1)
        found = np.zeros(self.cells, dtype=np.int64)
        for attribute in kept:
            place = self.attributes.index(attribute)
            found = found * self.sizes[place] + codes[place]
        return found


def are_cells(family: Family) -> bool:
    """Whether the queries are the cells of whole tables."""
    return family.name == "cells"


def cell_tables(family: ProductFamily) -> tuple[CellTable, ...]:
    """The tables of a family of cells, in order."""
    found: list[CellTable] = []
    start = 0
    while start < family.count:
        attributes = tuple(family.features[a].attribute for a in family.rows[start])
        found.append(CellTable(attributes, tuple(family.domain.sizes[j] for j in attributes), start))
        start = found[-1].stop
    assert start == family.count
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Margins:
    """The margins on s attributes of all tables that have them: how to sum, average and spread."""

    sums: csr_array
    """Margins (one block a table and a set of s attributes) x cells."""
    averages: csr_array
    """Agreed margins x margins: weighted, the coarser a table the more."""
    agreed: NDArray[np.int64]
    """Which agreed margin a margin should be."""
    share: Vector
    """One over the cells that a margin sums."""


class Consistency:
    """Tables that agree on every shared margin and sum to 1."""

    def __init__(self, tables: tuple[CellTable, ...]) -> None:
        self.tables = tables

    @cached_property
    def _margins(self) -> list[_Margins]:
        most = max(len(table.attributes) for table in self.tables)
        return [_margins(self.tables, factors) for factors in range(most)]

    def equations(self) -> tuple[csr_array, Vector]:
        """Every margin is the agreed one: rows and right sides. Unknowns are the cells, then the agreed margins."""
        from scipy.sparse import csr_array, hstack, vstack

        totals, *others = self._margins
        found, wanted = [totals.sums], [np.ones(totals.share.size)]
        for margins in others:
            count, agreed = margins.share.size, margins.averages.shape[0]
            chosen = csr_array((np.full(count, -1.0), (np.arange(count), margins.agreed)), shape=(count, agreed))
            found = [hstack([part, csr_array((part.shape[0], agreed))]) for part in found]
            before = found[0].shape[1] - agreed - self.tables[-1].stop
            found.append(hstack([margins.sums, csr_array((count, before)), chosen]))
            wanted.append(np.zeros(count))
        return csr_array(vstack(found, format="csr")), np.concatenate(wanted)

    def nearest(self, cells: Vector) -> Vector:
        """The Euclidean projection: the totals are set to 1, then the margins on 1, 2, ... attributes are averaged.

        What is changed in a later step sums to 0 over each attribute, so it disturbs no earlier one.
        """
        found = cells
        for step, margins in enumerate(self._margins):
            sums = margins.sums @ found
            wanted = margins.averages @ sums if step else np.ones(1)
            found = found + margins.sums.T @ ((wanted[margins.agreed] - sums) * margins.share)
        return found


def _margins(tables: tuple[CellTable, ...], factors: int) -> _Margins:
    from scipy.sparse import csr_array

    columns, places, agreed, share = [], [], [], []
    starts: dict[tuple[int, ...], int] = {}
    count = total = 0
    for table in tables:
        for kept in combinations(table.attributes, factors):
            length = prod(size for j, size in zip(table.attributes, table.sizes, strict=True) if j in kept)
            if kept not in starts:
                starts[kept], total = total, total + length
            columns.append(np.arange(table.start, table.stop))
            places.append(count + table.margin_places(kept))
            agreed.append(starts[kept] + np.arange(length))
            share.append(np.full(length, length / table.cells))
            count += length
    which, weight, where = np.concatenate(agreed), np.concatenate(share), np.concatenate(places)
    sums = csr_array((np.ones(where.size), (where, np.concatenate(columns))), shape=(count, tables[-1].stop))
    whole = np.bincount(which, weight, total)
    averages = csr_array((weight / whole[which], (which, np.arange(count))), shape=(total, count))
    return _Margins(sums, averages, which, weight)
