"""Gram matrices of products of features on every point of a domain, through its small tables.

The product of two queries on at most d attributes each involves no more than 2d of them, so its weighted sum is read
off a table of the weights on these attributes. All such tables come from one recursion over the attributes, which sums
out one at a time and is long past the large ones when the choices become many. This gives the Gram matrix of cells;
other products of features are combinations of cells.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations_with_replacement
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from release.statistics.families import ProductFamily

    Vector = NDArray[np.float64]

_ADD_COST, _CALL_COST, _GATHER_COST = 5e-10, 4e-6, 2e-9
"""CPU seconds of one addition, one call of numpy, one entry that is gathered."""
_MOST_CELLS = 5000
"""Cells of all tables of the queries' attributes: the Gram matrix of them is held."""


def table_moments(family: ProductFamily) -> TableMoments | None:
    """The method by tables, if it applies."""
    found = TableMoments(family)
    return found if found.cells <= _MOST_CELLS else None


class TableMoments:
    """Gram matrices of a family for weights on all points of its domain."""

    def __init__(self, family: ProductFamily) -> None:
        self._family, self._sizes = family, family.domain.sizes
        attributes = [tuple(sorted({family.features[a].attribute for a in row})) for row in family.rows]
        self._sets = list(dict.fromkeys(attributes))
        self._set_of_row = attributes
        self._starts: dict[tuple[int, ...], int] = {}
        cells = 0
        for columns in self._sets:
            self._starts[columns] = cells
            cells += prod(self._sizes[j] for j in columns)
        self.cells = cells
        self._most = min(len(self._sizes), 2 * max(len(columns) for columns in self._sets))

    def seconds_est(self) -> float:
        """The expected cost of a Gram matrix."""
        added, calls, left = 0.0, 0, prod(self._sizes)
        # with 0, 1, ... attributes kept so far: how many tables there are, and their cells
        cells, choices = [1], [1]
        for size in reversed(self._sizes):
            added += left * sum(cells[: self._most])
            calls += sum(choices[: self._most])
            left //= size
            cells = [a + size * b for a, b in zip([*cells, 0], [0, *cells], strict=True)]
            choices = [a + b for a, b in zip([*choices, 0], [0, *choices], strict=True)]
        calls += sum(choices[: self._most + 1])
        return added * _ADD_COST + calls * _CALL_COST + self.cells**2 * _GATHER_COST

    def gram(self, d: Vector) -> Vector:
        """A diag(d) A^T over every point."""
        tables = np.concatenate([[0.0], *(table for _, table in self._tables(d))])
        found = np.asarray(np.take(tables, self._index))
        combined = self._combination
        return found if combined is None else np.asarray(combined @ (combined @ found).T)

    def _tables(self, d: Vector) -> list[tuple[tuple[int, ...], Vector]]:
        """The weights summed on every nonempty choice of at most this many attributes."""
        found: list[tuple[tuple[int, ...], Vector]] = []

        def visit(weights: Vector, kept: tuple[int, ...], last: int) -> None:
            # weights: cells of the kept attributes x points of attributes 0..last, the last one slowest
            if last < 0 or len(kept) == self._most:
                if kept:
                    found.append((kept, weights.sum(axis=1)))
                return
            size, rest = self._sizes[last], weights.shape[1] // self._sizes[last]
            visit(weights.reshape(-1, size, rest).sum(axis=1), kept, last - 1)
            visit(weights.reshape(-1, rest), (*kept, last), last - 1)

        visit(d.reshape(1, -1), (), len(self._sizes) - 1)
        return found

    @cached_property
    def _index(self) -> NDArray[np.int32]:
        """Where the weight on two cells at once is found in the tables; 0 where they exclude each other."""
        starts, position = {}, 1
        for kept, table in self._tables(np.zeros(prod(self._sizes))):
            starts[frozenset(kept)] = position
            position += table.size
        found = np.zeros((self.cells, self.cells), dtype=np.int32)
        for first, second in combinations_with_replacement(self._sets, 2):
            both = sorted({*first, *second}, reverse=True)  # the order in which `_tables` keeps them
            strides = {j: prod(self._sizes[i] for i in both if i < j) for j in both}
            ours, theirs = self._codes(first), self._codes(second)
            place = np.full((len(ours), len(theirs)), starts[frozenset(both)])
            agree = np.ones(place.shape, dtype=bool)
            for j, codes in zip(first, ours.T, strict=True):
                place += (codes * strides[j])[:, None]
            for j, codes in zip(second, theirs.T, strict=True):
                if j in first:
                    agree &= ours[:, first.index(j)][:, None] == codes
                else:
                    place += codes * strides[j]
            rows = slice(self._starts[first], self._starts[first] + len(ours))
            columns = slice(self._starts[second], self._starts[second] + len(theirs))
            found[rows, columns] = np.where(agree, place, 0)
            found[columns, rows] = found[rows, columns].T
        return found

    def _codes(self, columns: tuple[int, ...]) -> NDArray[np.int64]:
        """The cells of a set of attributes, the first one slowest."""
        sizes = tuple(self._sizes[j] for j in columns)
        return np.stack(np.unravel_index(np.arange(prod(sizes)), sizes), axis=1)

    @cached_property
    def _combination(self) -> csr_matrix | None:
        """Every query as a combination of cells; None where it is one cell, in order."""
        from scipy.sparse import csr_matrix

        rows, columns, values = [], [], []
        for i, (row, attributes) in enumerate(zip(self._family.rows, self._set_of_row, strict=True)):
            codes = self._codes(attributes)
            value = np.full(len(codes), float(self._family.row_scale[i]))
            for a in row:
                feature = self._family.features[a]
                value *= np.array(feature.table, dtype=np.float64)[codes[:, attributes.index(feature.attribute)]]
            used = np.flatnonzero(value)
            rows += [i] * used.size
            columns += (self._starts[attributes] + used).tolist()
            values += value[used].tolist()
        shape = (len(self._family.rows), self.cells)
        if shape[0] == shape[1] and columns == list(range(shape[1])) and set(values) == {1.0}:
            return None
        return csr_matrix((values, (rows, columns)), shape=shape)
