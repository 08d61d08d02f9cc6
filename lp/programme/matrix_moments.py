"""Gram matrices of Boolean product queries through moments: the product of two queries is again a query.

Two parities multiply to the parity of the symmetric difference of their attributes, two monomials to the monomial of
the union. Most entries of the Gram matrix of a weighted list of points are therefore equal to others, and each is a
moment that involves few attributes. Attributes are taken in groups of four: one weighted histogram of 2^16 cells per
choice of four groups contains every moment of order up to four that has an attribute in each of them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.families import ProductFamily

    Vector = NDArray[np.float64]

_GROUP = 4
_MOST_FACTORS = 2
_COUNT_COST, _TABLE_COST, _FIXED_COST = 5e-9, 2e-4, 1.5e-3
"""CPU seconds of one point into one histogram, of one histogram contracted, and of the rest."""


def boolean_masks(family: ProductFamily) -> list[int] | None:
    """The set of attributes of each query as bits, if the family is parities or monomials of Boolean attributes."""
    if family.name not in ("parities", "monomials") or not family.domain.is_boolean:
        return None
    return [sum(1 << family.features[a].attribute for a in row) for row in family.rows]


def grid_moment_family(family: ProductFamily, masks: list[int]) -> tuple[ProductFamily, NDArray[np.int32]]:
    """The family of twice the degree, and for each two queries the number of their product in it (or -1: constant)."""
    from release.statistics.families import FAMILIES

    degree = min(family.domain.p, 2 * family.most_factors)
    moments = FAMILIES[family.name](family.domain, degree)
    places = {sum(1 << moments.features[a].attribute for a in row): i for i, row in enumerate(moments.rows)}
    places[0] = -1
    return moments, product_index(masks, places, symmetric_difference=family.name == "parities")


@lru_cache(maxsize=4)
def boolean_moments(family: ProductFamily) -> PointMoments | None:
    """The method by moments, if it applies; cached, because every part of a matrix asks for it again."""
    masks = boolean_masks(family)
    return None if masks is None or family.most_factors > _MOST_FACTORS else PointMoments(family, masks)


class PointMoments:
    """Gram matrices of Boolean queries of at most two factors on weighted lists of points."""

    def __init__(self, family: ProductFamily, masks: list[int]) -> None:
        p = family.domain.p
        self._parity = family.name == "parities"
        self._groups = [tuple(range(start, min(start + _GROUP, p))) for start in range(0, p, _GROUP)]
        while len(self._groups) < 4:
            self._groups.append(())
        self._choices = list(combinations(range(len(self._groups)), 4))
        codes = np.arange(2**_GROUP)
        bits = (codes[:, None] >> np.arange(_GROUP)) & 1
        subsets = [s for size in range(1, _GROUP + 1) for s in combinations(range(_GROUP), size)]
        signs = 1 - 2 * bits if self._parity else bits
        self._subset_masks = [sum(1 << j for j in s) for s in subsets]
        self._characters = np.array([np.prod(signs[:, list(s)], axis=1) for s in subsets], dtype=np.float64)
        self._pairs = np.kron(self._characters[:_GROUP], self._characters[:_GROUP])
        self._order = 2 * family.most_factors
        self._places, self._gathers = self._layout()
        self._index = product_index(masks, self._places, symmetric_difference=self._parity)

    def _layout(self) -> tuple[dict[int, int], list[list[tuple[tuple[int, ...], int, int]]]]:
        """Where each moment is kept: for every choice of four groups, the sub-choices that are read off it."""
        places: dict[int, int] = {0: 0}
        gathers: list[list[tuple[tuple[int, ...], int, int]]] = []
        done: set[tuple[int, ...]] = {()}
        for choice in self._choices:
            reads = []
            for used in range(1, 5):
                for axes in combinations(range(4), used):
                    groups = tuple(choice[a] for a in axes)
                    if groups in done:
                        continue
                    done.add(groups)
                    most = min(_GROUP, self._order - used + 1)
                    if most < 1:
                        continue
                    kept = [m for m in self._subset_masks if m.bit_count() <= most]
                    start = len(places)
                    self._name(places, groups, kept)
                    reads.append((axes, len(kept), start))
            gathers.append(reads)
        return places, gathers

    def _name(self, places: dict[int, int], groups: tuple[int, ...], kept: list[int]) -> None:
        """Number the products of one part in each group, the last group running fastest."""
        names = [0]
        for g in groups:
            shift = _GROUP * g
            names = [name | (m << shift) for name in names for m in kept]
        for name in names:
            places[name] = len(places)

    def seconds_est(self, count: int) -> float:
        """The expected cost of a Gram matrix of this many points."""
        return len(self._choices) * (count * _COUNT_COST + _TABLE_COST) + _FIXED_COST

    def gram(self, points: Codes, d: Vector) -> Vector:
        """A diag(d) A^T for these points."""
        keys = self._keys(points)
        moments = np.empty(len(self._places))
        moments[0] = d.sum()
        pairs: dict[tuple[int, int], NDArray[np.int64]] = {}
        for choice, reads in zip(self._choices, self._gathers, strict=True):
            first, second = choice[:2], choice[2:]
            if first not in pairs:
                pairs = {first: (keys[first[0]] << 12) | (keys[first[1]] << 8)}
            key = keys[second[0]] << 4
            key |= keys[second[1]]
            key |= pairs[first]
            counts: Vector = np.asarray(np.bincount(key, weights=d, minlength=2 ** (4 * _GROUP)), dtype=np.float64)
            table = counts.reshape(16, 16, 16, 16)
            margins: dict[tuple[int, ...], Vector] = {(0, 1, 2, 3): table}
            for axes, kept, start in reads:
                found = self._contract(_margin(margins, axes), kept)
                moments[start : start + found.size] = found.ravel()
        return moments[self._index]

    def _contract(self, table: Vector, kept: int) -> Vector:
        """The moments with one of the first `kept` characters on each axis."""
        if table.ndim == 4 and kept == _GROUP:  # by far the most frequent: two axes at a time
            return np.asarray(self._pairs @ table.reshape(256, 256) @ self._pairs.T)
        found = table
        for _ in range(table.ndim):
            found = np.tensordot(found, self._characters[:kept], axes=([0], [1]))
        return found

    def _keys(self, points: Codes) -> list[NDArray[np.int64]]:
        keys = []
        for group in self._groups:
            key = np.zeros(len(points), dtype=np.int64)
            for place, attribute in enumerate(group):
                key |= points[:, attribute].astype(np.int64) << place
            keys.append(key)
        return keys


def _margin(known: dict[tuple[int, ...], Vector], axes: tuple[int, ...]) -> Vector:
    """The histogram on fewer axes, summed from the next larger one."""
    if axes not in known:
        missing = next(a for a in range(4) if a not in axes)
        larger = tuple(sorted((*axes, missing)))
        known[axes] = _margin(known, larger).sum(axis=larger.index(missing))
    return known[axes]


def product_index(masks: list[int], places: dict[int, int], *, symmetric_difference: bool) -> NDArray[np.int32]:
    """Where the product of each two queries is kept."""
    found = np.empty((len(masks), len(masks)), dtype=np.int32)
    for out, first in zip(found, masks, strict=True):
        out[:] = [places[first ^ m if symmetric_difference else first | m] for m in masks]
    return found
