"""What shares of single columns say about tables of two: how far a finished table's cells can be from the real ones.

A cell of two columns is at least the sum of its two shares less 1, and at most the lesser of them (Fréchet). So if no
real share of a column is farther from the finished table's than a known error, every cell of every pair lies in a known
interval. Whole numbers of 2^-40, rounded outward: no visible digit is lost. Proof:
docs/proofs/synthbounds.pair-errors.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from release.data.counting import counts, in_batches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

_ONE = 2**40
_MOST_ROWS = 2**22
"""Counts times 2^40 stay below 2^63."""
MOST_CELLS = 2**16
"""Of a pair; larger tables have hardly any records in a cell, and nothing is said about them here."""
_AT_ONCE = 2**20


def frechet_errors(
    rows: Codes, sizes: Sequence[int], errors: Sequence[Fraction], columns: Sequence[int]
) -> dict[tuple[int, int], Fraction]:
    """For every two of these columns, the largest error that a cell of their table can have; 1 if nothing is known.

    `errors` has for every column of the table the largest distance of a real share from that of the rows.
    """
    k, pairs = len(rows), list(combinations(sorted(columns), 2))
    answer = dict.fromkeys(pairs, Fraction(1))
    counted = [(u, v) for u, v in pairs if sizes[u] * sizes[v] <= MOST_CELLS]
    if not counted or not 0 < k <= _MOST_ROWS:
        return answer
    single = counts(rows, sizes, [(u,) for u in columns])
    shares = {u: _interval(single[(u,)], k, errors[u]) for u in columns}
    for batch in in_batches(counted, [sizes[u] * sizes[v] for u, v in counted], at_once=_AT_ONCE):
        found = counts(rows, sizes, batch)
        for u, v in batch:
            (lo_u, hi_u), (lo_v, hi_v) = shares[u], shares[v]
            least = np.maximum(lo_u[:, None] + lo_v[None, :] - _ONE, 0)
            most = np.minimum(hi_u[:, None], hi_v[None, :])
            below, above = _rounded(found[(u, v)], k)
            worst = max(int((above - least).max()), int((most - below).max()), 0)
            answer[(u, v)] = min(Fraction(worst, _ONE), Fraction(1))
    return answer


def _rounded(counted: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Shares in whole numbers of 2^-40, down and up."""
    scaled = counted * _ONE
    return scaled // k, -(-scaled // k)


def _interval(counted: NDArray[np.int64], k: int, error: Fraction) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The intervals of the real shares of a column."""
    below, above = _rounded(counted, k)
    width = ceil(error * _ONE)
    return np.maximum(below - width, 0), np.minimum(above + width, _ONE)
