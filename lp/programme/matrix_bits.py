"""Query matrices of parities and two-level monomials on a list of points, through tables of blocks of bits.

Attributes are taken in blocks of a few bits, and a query of degree d lies in some group of d blocks. One weighted
histogram per group contains the answers of all its queries, and one table per group contains what its queries add to
the price of a point. From integers only sums, differences and products of integers are formed, so products are as exact
as those of the matrix itself. lp.programme.sign_blocks works on the same groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.matrices import QueryMatrix, blocks
from lp.programme.matrix_moments import boolean_masks
from lp.programme.matrix_points import ProductPointsMatrix
from release.statistics.families import ProductFamily

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.families import Family

    Vector = NDArray[np.float64]
    Integers = NDArray[np.int64]

_WIDTHS = {1: 8, 2: 7, 3: 5}
"""Bits of a block by degree: a histogram of 2^15 numbers stays in the cache."""
_PIECE = 2**18
"""Points that are priced at a time."""


@dataclass(frozen=True)
class Group:
    """Some blocks, and the queries of all their bits: numbers in the family, and masks of bits of the group."""

    blocks: tuple[int, ...]
    queries: Integers
    masks: Integers


class BitGroups:
    """Boolean queries of at most d factors by groups of d blocks of this many bits."""

    def __init__(self, family: ProductFamily, width: int) -> None:
        masks = boolean_masks(family)
        assert masks is not None
        self.p, self.degree, self.width = family.domain.p, family.most_factors, width
        self.is_parity = family.name == "parities"
        places = {mask: i for i, mask in enumerate(masks)}
        count = max(self.degree, -(-self.p // width))
        local = [m for m in range(1, 1 << (width * self.degree)) if m.bit_count() <= self.degree]
        bits = (1 << width) - 1
        self.groups: list[Group] = []
        for chosen in combinations(range(count), self.degree):
            # block chosen[0] has the lowest bits of the group
            wide = [sum(((m >> (width * i)) & bits) << (width * b) for i, b in enumerate(chosen)) for m in local]
            known = [(places[w], m) for w, m in zip(wide, local, strict=True) if w in places]
            if known:
                queries, here = zip(*known, strict=True)
                self.groups.append(Group(chosen, np.array(queries), np.array(here)))
        codes = np.arange(1 << width)
        overlap = codes[:, None] & codes
        if self.is_parity:
            self._characters = 1.0 - 2.0 * (np.bitwise_count(overlap) & 1)
        else:
            self._characters = (overlap == codes[:, None]).astype(np.float64)

    @property
    def cells(self) -> int:
        """Cells of the table of one group."""
        return 1 << (self.width * self.degree)

    def codes(self, points: Codes) -> NDArray[np.int32]:
        """The bits of every block of every point, blocks in rows."""
        count = max(max(group.blocks) for group in self.groups) + 1
        found = np.zeros((count, len(points)), dtype=np.int32)
        for j in range(self.p):
            found[j // self.width] |= points[:, j].astype(np.int32) << (j % self.width)
        return found

    def keys(self, codes: NDArray[np.int32], group: Group) -> Integers:
        """The cell of every point in the table of a group."""
        key = codes[group.blocks[-1]].copy()
        for b in reversed(group.blocks[:-1]):
            key <<= self.width
            key |= codes[b]
        return np.asarray(key.astype(np.int64))

    def histogram(self, key: Integers, weights: Vector) -> Vector:
        """The table of a group: the weights of the points in each cell."""
        return np.asarray(np.bincount(key, weights=weights, minlength=self.cells), dtype=np.float64)

    def moments(self, table: Vector) -> Vector:
        """The sum of a table of weights against the query of every mask."""
        return self._transform(self._characters, table)

    def values(self, coefficients: Vector) -> Vector:
        """The value in every cell of the combination of queries with a coefficient for every mask."""
        return self._transform(self._characters.T, coefficients)

    def _transform(self, characters: Vector, table: Vector) -> Vector:
        side = len(characters)
        for i in range(self.degree - 1):  # one axis at a time, the last one from the right: none is moved in memory
            table = characters @ table.reshape(side**i, side, -1)
        return np.asarray(table.reshape(-1, side) @ characters.T).ravel()

    def products(self, first: Integers, second: Integers) -> Integers:
        """The mask of the product of any two queries."""
        return first[:, None] ^ second if self.is_parity else first[:, None] | second


def are_bits(family: Family) -> bool:
    """Whether this is possible."""
    if not isinstance(family, ProductFamily):
        return False
    return boolean_masks(family) is not None and family.most_factors in _WIDTHS


class BitsMatrix(ProductPointsMatrix):
    """Parities or monomials of two-level attributes, of degree at most three, on a list of points."""

    def __init__(self, family: ProductFamily, points: Codes) -> None:
        super().__init__(family, points)
        self._groups = BitGroups(family, _WIDTHS[family.most_factors])
        self._codes = self._groups.codes(points)
        # every query is read off the first group that has it
        self._fresh: list[NDArray[np.bool_]] = []
        seen = np.zeros(self.rows, dtype=bool)
        for group in self._groups.groups:
            self._fresh.append(~seen[group.queries])
            seen[group.queries] = True

    def price_blocks(self, y: Vector) -> Iterator[tuple[int, Vector]]:
        tables = []
        for group, fresh in zip(self._groups.groups, self._fresh, strict=True):
            coefficients = np.zeros(self._groups.cells)
            coefficients[group.masks[fresh]] = y[group.queries[fresh]]
            tables.append(self._groups.values(coefficients) if coefficients.any() else None)
        for start, stop in blocks(self.columns, 1, _PIECE):
            found, codes = np.zeros(stop - start), self._codes[:, start:stop]
            for group, table in zip(self._groups.groups, tables, strict=True):
                if table is not None:
                    found += table.take(self._groups.keys(codes, group))
            yield start, found

    def apply(self, h: Vector) -> Vector:
        found = np.empty(self.rows)
        for group, fresh in zip(self._groups.groups, self._fresh, strict=True):
            if fresh.any():
                table = self._groups.histogram(self._groups.keys(self._codes, group), h)
                found[group.queries[fresh]] = self._groups.moments(table)[group.masks[fresh]]
        return found


def bits_matrix(matrix: QueryMatrix) -> BitsMatrix:
    """The same matrix in this shape."""
    if isinstance(matrix, BitsMatrix):
        return matrix
    assert isinstance(matrix.family, ProductFamily)
    return BitsMatrix(matrix.family, matrix.points_at(np.arange(matrix.columns)))
