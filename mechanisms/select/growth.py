"""The size of the junction tree with one more table, for many candidate tables at once.

Columns are eliminated one by one, always the (first) one with the smallest clique, as `mechanisms.pgm.order` does for a
single model. Neighbours are bits, so that a step is a few operations on whole arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bits = NDArray[np.uint16]

_BITS = 16
"""Bits of a word: products of sizes are looked up word by word."""
_AT_ONCE = 2**22
"""Words of neighbours in memory at the same time."""


class Growth:
    """The candidates as bits, for repeated use.

    >>> Growth((2, 3, 5), [(0,), (0, 2)]).cells([(0, 1), (1, 2)], np.array([0, 1])).tolist()
    [21.0, 30.0]
    """

    def __init__(self, sizes: Sequence[int], candidates: Sequence[Sequence[int]]) -> None:
        self._sizes = tuple(sizes)
        self._products = _products(self._sizes)
        self._members = _as_members(candidates, len(sizes))
        self._own = _as_bits(np.eye(len(sizes), dtype=bool))

    def cells(self, scopes: Sequence[Sequence[int]], which: NDArray[np.intp]) -> NDArray[np.float64]:
        """Cells of the maximal cliques of the model of `scopes` and one candidate; exact below 2^53."""
        near = np.eye(len(self._sizes), dtype=bool)
        for scope in scopes:
            near[np.ix_(scope, scope)] = True
        there = _as_bits(near)
        step = max(1, _AT_ONCE // there.size)
        parts = [self._grown(there, self._members[which[at : at + step]]) for at in range(0, len(which), step)]
        return np.concatenate([np.empty(0), *parts])

    def _grown(self, there: Bits, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Sizes by word, column and candidate; an eliminated column has infinite cost and is no neighbour."""
        every, columns = np.arange(len(members)), np.arange(len(self._sizes))
        word, shift = columns // _BITS, (columns % _BITS).astype(np.uint16)[:, None]
        near = there[:, :, None] | np.where(members.T, _as_bits(members)[:, None], np.uint16(0))
        cost = self._cells(near)
        cliques = np.zeros_like(near)
        total = np.zeros(len(members))
        for step in columns:
            gone = cost.argmin(axis=0)
            clique, here = near[:, gone, every], self._own[:, gone]
            is_maximal = (clique[:, None] & ~cliques[:, :step]).any(axis=0).all(axis=0)
            total += np.where(is_maximal, cost[gone, every], 0.0)
            cliques[:, step] = clique
            cost[gone, every] = np.inf
            rest = clique & ~here
            is_touched = ((rest[word] >> shift) & 1).astype(bool)
            near = np.where(is_touched, (near | rest[:, None]) & ~here[:, None], near)
            np.copyto(cost, self._cells(near), where=is_touched)
        return total

    def _cells(self, bits: Bits) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self._products[0][bits[0]]
        for word, table in zip(bits[1:], self._products[1:], strict=True):
            found *= table[word]
        return found


def _as_members(sets: Sequence[Sequence[int]], p: int) -> NDArray[np.bool_]:
    members = np.zeros((len(sets), p), dtype=bool)
    for row, columns in zip(members, sets, strict=True):
        row[list(columns)] = True
    return members


def _as_bits(members: NDArray[np.bool_]) -> Bits:
    """A word for every 16 columns, a bit for each: by word and set."""
    words = []
    for start in range(0, members.shape[1], _BITS):
        part = members[:, start : start + _BITS]
        words.append(part @ (1 << np.arange(part.shape[1])))
    return np.array(words).astype(np.uint16)


def _products(sizes: tuple[int, ...]) -> list[NDArray[np.float64]]:
    """For every word, the product of the sizes of the columns whose bits are set."""
    tables = []
    for start in range(0, len(sizes), _BITS):
        table = np.ones(1)
        for size in sizes[start : start + _BITS]:
            table = np.concatenate([table, table * size])
        tables.append(table)
    return tables
