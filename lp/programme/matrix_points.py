"""Query matrices on a list of reference points, made in blocks and never stored.

For products of features a query is a shorter product times one last feature. Pricing and applying are then one small
matrix product per block, prefixes x features, instead of queries x points. It does not choose points.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.matrices import (
    BLOCK_CELLS,
    QueryMatrix,
    add_gram,
    blocks,
    cheapest,
    histogram_of,
    split_of,
    symmetric,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.families import Family, ProductFamily

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.int64]


class PointsMatrix(QueryMatrix):
    """Any family on a list of points, or on all points of the domain in their order."""

    def __init__(self, family: Family, points: Codes | None) -> None:
        self.family, self._points = family, points
        self.rows, self.largest = family.count, family.largest
        self.columns = family.domain.size if points is None else len(points)

    def points_at(self, numbers: Numbers) -> Codes:
        return self.family.domain.points(numbers) if self._points is None else self._points[numbers]

    def _range(self, start: int, stop: int) -> Codes:
        """The points of a block, without a copy if they are stored."""
        return self.points_at(np.arange(start, stop)) if self._points is None else self._points[start:stop]

    def price_blocks(self, y: Vector) -> Iterator[tuple[int, Vector]]:
        for start, stop in blocks(self.columns, self.rows):
            yield start, y @ self.family.values(self._range(start, stop))

    def apply(self, h: Vector) -> Vector:
        found = np.zeros(self.rows)
        for start, stop in blocks(self.columns, self.rows):
            found += self.family.values(self._range(start, stop)) @ h[start:stop]
        return found

    def gram(self, d: Vector, numbers: Numbers | None = None) -> Vector:
        if numbers is not None:
            return super().gram(d, numbers)
        found = np.zeros((self.rows, self.rows))
        for start, stop in blocks(self.columns, self.rows):
            add_gram(found, self.family.values(self._range(start, stop)), d[start:stop])
        return symmetric(found)


class ProductPointsMatrix(PointsMatrix):
    """Products of features on a list of points."""

    family: ProductFamily

    def __init__(self, family: ProductFamily, points: Codes | None) -> None:
        super().__init__(family, points)
        prefixes: dict[tuple[int, ...], int] = {}
        self._prefix = np.array([prefixes.setdefault(row[:-1], len(prefixes)) for row in family.rows])
        self._last = np.array([row[-1] for row in family.rows])
        self._prefixes = tuple(prefixes)
        self._scale = np.array(family.row_scale, dtype=np.float64)

    def _parts(self, start: int, stop: int) -> tuple[Vector, Vector]:
        """The values of the prefixes and of the features on a block of points."""
        features = self.family.feature_values(self._range(start, stop))
        prefixes = np.ones((len(self._prefixes), stop - start))
        for out, row in zip(prefixes, self._prefixes, strict=True):
            if row:
                out[:] = features[row[0]]
            for a in row[1:]:
                out *= features[a]
        return prefixes, features

    def price_blocks(self, y: Vector) -> Iterator[tuple[int, Vector]]:
        form = np.zeros((len(self._prefixes), len(self.family.features)))
        form[self._prefix, self._last] = y * self._scale
        for start, stop in blocks(self.columns, len(self._prefixes) + len(self.family.features), BLOCK_CELLS // 2):
            prefixes, features = self._parts(start, stop)
            yield start, np.einsum("ij,ij->j", form @ features, prefixes)

    def apply(self, h: Vector) -> Vector:
        form = np.zeros((len(self._prefixes), len(self.family.features)))
        for start, stop in blocks(self.columns, len(self._prefixes) + len(self.family.features), BLOCK_CELLS // 2):
            prefixes, features = self._parts(start, stop)
            prefixes *= h[start:stop]
            form += prefixes @ features.T
        return np.asarray(form[self._prefix, self._last] * self._scale)

    def gram(self, d: Vector, numbers: Numbers | None = None) -> Vector:
        histograms, splits = histogram_of(self.family), split_of(self.family)
        way = cheapest(self.rows, d.size, histograms, splits)
        if way == "histograms" and histograms is not None:
            return histograms.gram(self._range(0, self.columns) if numbers is None else self.points_at(numbers), d)
        if way == "splits" and splits is not None:
            moments = np.zeros(splits.size)
            for start, stop in blocks(d.size, self.rows, 4 * BLOCK_CELLS):
                points = self._range(start, stop) if numbers is None else self.points_at(numbers[start:stop])
                columns = self.family.values(points)
                splits.add(moments, columns, splits.arrange(columns), d[start:stop])
            return splits.gram(moments)
        return super().gram(d, numbers)
