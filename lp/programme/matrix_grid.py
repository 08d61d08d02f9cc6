"""Query matrices on all points of a domain: products of features split over two halves of the attributes.

A point is (high, low), and a query is a product of a part in the high attributes and a part in the low ones. Pricing
all points is then a short list of small matrix products of inner dimension 1 + number of high parts, a Kronecker
factorisation that needs no transform of the full length, no butterflies, and no memory beyond one block. On the
Boolean cube it replaces the Walsh-Hadamard transform (parities) and the subset-sum transform (monomials).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.matrices import BLOCK_CELLS, QueryMatrix, blocks
from lp.programme.matrix_moments import boolean_masks, grid_moment_family
from lp.programme.matrix_tables import TableMoments, table_moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.families import ProductFamily

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.int64]


class GridMatrix(QueryMatrix):
    """Products of features on every point of the domain; column number = point number."""

    family: ProductFamily

    def __init__(self, family: ProductFamily) -> None:
        self.family = family
        domain = family.domain
        self.rows, self.columns, self.largest = family.count, domain.size, family.largest
        self._scale = np.array(family.row_scale, dtype=np.float64)
        split, low_points = 0, 1
        while split < domain.p and low_points * domain.sizes[split] <= max(domain.sizes[0], self.columns**0.5 * 1.5):
            low_points *= domain.sizes[split]
            split += 1
        self._low_points, self._high_points = low_points, domain.size // low_points
        low_parts: dict[tuple[int, ...], int] = {(): 0}
        high_parts: dict[tuple[int, ...], int] = {(): 0}
        low_index, high_index = [], []
        for row in family.rows:
            low = tuple(a for a in row if family.features[a].attribute < split)
            high = tuple(a for a in row if family.features[a].attribute >= split)
            low_index.append(low_parts.setdefault(low, len(low_parts)))
            high_index.append(high_parts.setdefault(high, len(high_parts)))
        self._low_of_row, self._high_of_row = np.array(low_index), np.array(high_index)
        numbers = np.arange(self._low_points)
        self._low = _part_values(family, tuple(low_parts), domain.points(numbers))
        numbers = np.arange(self._high_points) * self._low_points
        self._high = _part_values(family, tuple(high_parts), domain.points(numbers))
        # high parts that occur with a low part; the others add up to one function of the high half alone
        self._mixed = np.unique(self._high_of_row[self._low_of_row > 0])

    def points_at(self, numbers: Numbers) -> Codes:
        return self.family.domain.points(numbers)

    def price_blocks(self, y: Vector) -> Iterator[tuple[int, Vector]]:
        form = np.zeros((len(self._high), len(self._low)))
        form[self._high_of_row, self._low_of_row] = y * self._scale
        alone = form[:, 0] @ self._high
        form[:, 0] = 0
        right = np.vstack([form[self._mixed] @ self._low, np.ones(self._low_points)])
        left = np.vstack([self._high[self._mixed], alone]).T.copy()
        for start, stop in blocks(self._high_points, self._low_points):
            yield start * self._low_points, (left[start:stop] @ right).ravel()

    def apply(self, h: Vector) -> Vector:
        table = h.reshape(self._high_points, self._low_points)
        form = np.zeros((len(self._high), len(self._low)))
        if len(self._high) <= len(self._low):
            for start, stop in blocks(self._high_points, self._low_points, 8 * BLOCK_CELLS):
                form += (self._high[:, start:stop] @ table[start:stop]) @ self._low.T
        else:
            for start, stop in blocks(self._high_points, self._low_points, 8 * BLOCK_CELLS):
                form += self._high[:, start:stop] @ (table[start:stop] @ self._low.T)
        return np.asarray(form[self._high_of_row, self._low_of_row] * self._scale)

    @cached_property
    def _moments(self) -> tuple[GridMatrix, NDArray[np.int32]] | None:
        """Moments of twice the degree, and which of them is the product of two queries; for Boolean attributes."""
        masks = boolean_masks(self.family)
        if masks is None:
            return None
        family, index = grid_moment_family(self.family, masks)
        return GridMatrix(family), index

    def gram(self, d: Vector, numbers: Numbers | None = None) -> Vector:
        if numbers is not None:
            return super().gram(d, numbers)
        if self._moments is None:
            return super().gram(d) if self._tables is None else self._tables.gram(d)
        moments, index = self._moments
        return np.append(moments.apply(d), d.sum())[index]

    @cached_property
    def _tables(self) -> TableMoments | None:
        return table_moments(self.family)

    @cached_property
    def weighs_all_at_once(self) -> bool:  # type: ignore[override]
        return self._moments is None and self._tables is not None


def _part_values(family: ProductFamily, parts: tuple[tuple[int, ...], ...], points: Codes) -> Vector:
    """Products of features, one row a part; the empty product is 1."""
    features = family.feature_values(points)
    found = np.ones((len(parts), len(points)))
    for out, part in zip(found, parts, strict=True):
        for a in part:
            out *= features[a]
    return found
