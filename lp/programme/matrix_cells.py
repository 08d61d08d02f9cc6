"""Query matrices of cells on a list of points: a point is in one cell of every table, and the matrix is never made.

Applying takes one histogram per table, pricing one look-up; both cost tables x points whatever the number of cells, so
76,000 cells are no harder than 700. Sums of integers are exact while they stay below 2^53, like those of every query
matrix, which is all that an exact certificate needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.cell_tables import CellTable, are_cells, cell_tables
from lp.programme.matrix_points import PointsMatrix, ProductPointsMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from lp.programme.matrices import QueryMatrix
    from release.data.domain import Codes
    from release.statistics.families import ProductFamily

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.int64]

HELD_BYTES = 2**28
"""Up to this many bytes the cells of all points are held; beyond that they are recomputed from the codes every time."""


class CellsMatrix(ProductPointsMatrix):
    """Cells of whole tables on a list of points."""

    family: ProductFamily

    def __init__(self, family: ProductFamily, points: Codes) -> None:
        PointsMatrix.__init__(self, family, points)  # products of features are not needed
        self.tables = cell_tables(family)
        self._codes = np.ascontiguousarray(points.T)
        self._held: list[Numbers] | None = None
        if len(self.tables) * self.columns * 8 <= HELD_BYTES:
            self._held = [_places(table, self._codes) for table in self.tables]

    def places(self, number: int) -> Numbers:
        """The cell of every point in the table with this number, counted from the table's first cell."""
        return _places(self.tables[number], self._codes) if self._held is None else self._held[number]

    def price_blocks(self, y: Vector) -> Iterator[tuple[int, Vector]]:
        yield 0, self.price(y)

    def price(self, y: Vector) -> Vector:
        found, taken = np.zeros(self.columns), np.empty(self.columns)
        for number, table in enumerate(self.tables):
            values = y[table.span]
            if values.any():
                found += np.take(values, self.places(number), out=taken, mode="clip")
        return found

    def apply(self, h: Vector) -> Vector:
        found = np.empty(self.rows)
        for number, table in enumerate(self.tables):
            found[table.span] = np.bincount(self.places(number), h, table.cells)
        return found

    def apply_at(self, numbers: Numbers, weights: Vector) -> Vector:
        codes, found = self._codes[:, numbers], np.empty(self.rows)
        for table in self.tables:
            found[table.span] = np.bincount(_places(table, codes), weights, table.cells)
        return found

    def indicator_rows(self, rows: Numbers) -> csr_array:
        """The rows with these numbers, ascending, as a sparse matrix."""
        from scipy.sparse import csr_array

        place = np.full(self.rows, -1)
        place[rows] = np.arange(rows.size)
        found, columns = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for number, table in enumerate(self.tables):
            wanted = place[table.span]
            if (wanted >= 0).any():
                here = wanted[self.places(number)]
                inside = np.flatnonzero(here >= 0)
                found.append(here[inside])
                columns.append(inside)
        row = np.concatenate(found)
        return csr_array((np.ones(row.size), (row, np.concatenate(columns))), shape=(rows.size, self.columns))


def cells_matrix(matrix: QueryMatrix) -> CellsMatrix:
    """The same matrix as one of cells."""
    if isinstance(matrix, CellsMatrix):
        return matrix
    assert are_cells(matrix.family)
    return CellsMatrix(matrix.family, matrix.points_at(np.arange(matrix.columns)))  # type: ignore[arg-type]


def _places(table: CellTable, codes: Codes) -> Numbers:
    found: Numbers = codes[table.attributes[0]].astype(np.int64)
    for attribute, size in zip(table.attributes[1:], table.sizes[1:], strict=True):
        found *= size
        found += codes[attribute]
    return found
