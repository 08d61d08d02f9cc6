"""The matrix of a density LP: every query at every reference point, never stored when it is large.

Column j holds the integers of all queries at reference point j; the true value is integer / family.denominator. There
are several shapes: a matrix small enough to be stored (here), all points of the domain (lp.programme.matrix_grid), and
a list of points (lp.programme.matrix_points, for cells lp.programme.matrix_cells). What they promise is exactness:
`price` and `apply` of integer-valued arguments are exact whenever largest * sum|argument| < 2^53, because every partial
sum is then an integer that float64 holds, whatever the order of summation. Nothing here depends on the LP itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrix_moments import PointMoments
    from lp.programme.matrix_splits import SplitMoments
    from release.data.domain import Codes
    from release.statistics.families import Family

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.int64]

DENSE_CELLS = 2**21
"""A matrix of at most this many cells (16 MB) is simply held."""
BLOCK_CELLS = 2**19
"""Larger ones are made in blocks of about this many cells (4 MB), which stay in the cache."""
_SYRK_COST = 2.8e-11
"""CPU seconds of one multiply-add of a symmetric update."""
_TINY_CELLS = 2**15
"""Below this size nothing is faster than a plain matrix product."""
MOST_COLUMNS = 2**28
"""More reference points are refused: one number for each of them must fit into memory."""


class QueryMatrix(ABC):
    """Integers of all queries (rows) at all reference points (columns)."""

    family: Family
    rows: int
    columns: int
    largest: int
    """The largest |integer entry| that the family allows."""
    weighs_all_at_once: bool = False
    """Whether a Gram matrix over all columns, however many, costs no more than pricing them a few times."""

    @abstractmethod
    def points_at(self, numbers: Numbers) -> Codes:
        """The codes of the reference points with these column numbers, one row each."""

    @abstractmethod
    def price_blocks(self, y: Vector) -> Iterator[tuple[int, Vector]]:
        """A^T y in consecutive pieces: the first column number of the piece, and its values (valid until the next)."""

    @abstractmethod
    def apply(self, h: Vector) -> Vector:
        """A h for a weight on every column."""

    def columns_at(self, numbers: Numbers) -> Vector:
        """The columns with these numbers, side by side: rows x len(numbers)."""
        return self.family.values(self.points_at(numbers))

    def price(self, y: Vector) -> Vector:
        """A^T y for every column."""
        found = np.empty(self.columns)
        for start, values in self.price_blocks(y):
            found[start : start + values.size] = values
        return found

    def apply_at(self, numbers: Numbers, weights: Vector) -> Vector:
        """A h for the h with these weights on these columns and none elsewhere."""
        found = np.zeros(self.rows)
        for start, stop in blocks(len(numbers), self.rows):
            found += self.columns_at(numbers[start:stop]) @ weights[start:stop]
        return found

    def gram(self, d: Vector, numbers: Numbers | None = None) -> Vector:
        """A diag(d) A^T over all columns, or over those with these numbers (d then has one entry for each)."""
        every = np.arange(self.columns) if numbers is None else numbers
        found = np.zeros((self.rows, self.rows))
        for start, stop in blocks(len(every), self.rows):
            add_gram(found, self.columns_at(every[start:stop]), d[start:stop])
        return symmetric(found)


class DenseMatrix(QueryMatrix):
    """A matrix that is stored as it is."""

    def __init__(self, family: Family, points: Codes) -> None:
        self.family, self._points = family, points
        self.rows, self.columns, self.largest = family.count, len(points), family.largest
        self._entries = family.values(points)

    def points_at(self, numbers: Numbers) -> Codes:
        return self._points[numbers]

    def columns_at(self, numbers: Numbers) -> Vector:
        return self._entries[:, numbers]

    def price(self, y: Vector) -> Vector:
        return y @ self._entries

    def price_blocks(self, y: Vector) -> Iterator[tuple[int, Vector]]:
        yield 0, y @ self._entries

    def apply(self, h: Vector) -> Vector:
        return self._entries @ h

    def apply_at(self, numbers: Numbers, weights: Vector) -> Vector:
        return self._entries[:, numbers] @ weights

    @cached_property
    def _arranged(self) -> Vector:
        """A copy of the entries, in the order that split moments need."""
        splits = split_of(self.family)
        assert splits is not None
        return splits.arrange(self._entries)

    def gram(self, d: Vector, numbers: Numbers | None = None) -> Vector:
        entries = self._entries if numbers is None else self._entries[:, numbers]
        if self.rows * d.size <= _TINY_CELLS:
            return (entries * d) @ entries.T
        histograms, splits = histogram_of(self.family), split_of(self.family)
        way = cheapest(self.rows, d.size, histograms, splits)
        if way == "histograms" and histograms is not None:
            return histograms.gram(self._points if numbers is None else self._points[numbers], d)
        if way == "splits" and splits is not None:
            moments = np.zeros(splits.size)
            splits.add(moments, entries, self._arranged if numbers is None else self._arranged[:, numbers], d)
            return splits.gram(moments)
        found = np.zeros((self.rows, self.rows))
        add_gram(found, entries, d)
        return symmetric(found)


def build_matrix(family: Family, points: Codes) -> QueryMatrix:
    """The matrix of a family on these distinct reference points."""
    from lp.programme.cell_tables import are_cells
    from lp.programme.matrix_bits import BitsMatrix, are_bits
    from lp.programme.matrix_cells import CellsMatrix
    from lp.programme.matrix_points import PointsMatrix, ProductPointsMatrix
    from release.statistics.families import ProductFamily

    if not 1 <= len(points) <= MOST_COLUMNS:
        raise ParameterError("reference points", len(points), f"between 1 and {MOST_COLUMNS}")
    if family.count * len(points) <= DENSE_CELLS:
        return DenseMatrix(family, points)
    if not isinstance(family, ProductFamily):
        return PointsMatrix(family, points)
    if are_bits(family):
        return BitsMatrix(family, points)
    return CellsMatrix(family, points) if are_cells(family) else ProductPointsMatrix(family, points)


def full_matrix(family: Family) -> QueryMatrix:
    """The matrix of a family on every point of its domain; column number = point number."""
    from lp.programme.matrix_grid import GridMatrix
    from lp.programme.matrix_points import PointsMatrix
    from release.statistics.families import ProductFamily

    size = family.domain.size
    if size > MOST_COLUMNS:
        raise ParameterError("domain", f"{float(size):.3g} points", f"at most {MOST_COLUMNS} points", "to use them all")
    if family.count * size <= DENSE_CELLS:
        return DenseMatrix(family, family.domain.points(np.arange(size)))
    return GridMatrix(family) if isinstance(family, ProductFamily) else PointsMatrix(family, None)


def histogram_of(family: Family) -> PointMoments | None:
    """Gram matrices by histograms, if that is possible."""
    from lp.programme.matrix_moments import boolean_moments
    from release.statistics.families import ProductFamily

    return boolean_moments(family) if isinstance(family, ProductFamily) else None


def split_of(family: Family) -> SplitMoments | None:
    """Gram matrices by split sets, if that is possible."""
    from lp.programme.matrix_splits import split_moments
    from release.statistics.families import ProductFamily

    return split_moments(family) if isinstance(family, ProductFamily) else None


def gram_seconds(
    rows: int, count: int, histograms: PointMoments | None, splits: SplitMoments | None
) -> dict[str, float]:
    """The ways to the Gram matrix of this many columns, and the expected cost of each."""
    times = {"columns": count * rows * (rows * _SYRK_COST + 2e-9)}
    if histograms is not None:
        times["histograms"] = histograms.seconds_est(count)
    if splits is not None:
        times["splits"] = splits.seconds_est(count)
    return times


def cheapest(rows: int, count: int, histograms: PointMoments | None, splits: SplitMoments | None) -> str:
    """The way to the Gram matrix of this many columns that should take the least time."""
    times = gram_seconds(rows, count, histograms, splits)
    return min(times, key=times.__getitem__)


def blocks(count: int, rows: int, cells: int = BLOCK_CELLS) -> Iterator[tuple[int, int]]:
    """Consecutive ranges of 0..count - 1 whose rows x range has about `cells` cells."""
    step = max(64, cells // max(1, rows))
    for start in range(0, count, step):
        yield start, min(start + step, count)


def add_gram(total: Vector, columns: Vector, d: Vector) -> None:
    """Add the lower triangle of columns diag(d) columns^T, d >= 0, to `total`, a C-ordered square."""
    from scipy.linalg.blas import dsyrk

    scaled = columns * np.sqrt(d)
    # total.T is Fortran-ordered, so its upper triangle is the lower triangle of total; no copy is made
    dsyrk(1.0, scaled.T, beta=1.0, c=total.T, trans=1, lower=0, overwrite_c=1)


def symmetric(total: Vector) -> Vector:
    """Fill the upper triangle from the lower one, in place."""
    size = len(total)
    for start in range(0, size, 256):
        stop = min(start + 256, size)
        corner = np.tril(total[start:stop, start:stop])
        total[start:stop, start:stop] = corner + np.tril(corner, -1).T
        total[start:stop, stop:] = total[stop:, start:stop].T
    return total
