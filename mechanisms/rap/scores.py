"""How far points are from the records on tables and on conditional counts, in whole numbers, only for choices.

As in `mechanisms.select.scores`, answers of the points are put on a public lattice, distances from the exact answers
are whole numbers, and adding or removing one record changes a distance by at most `RECORD_STEPS`, because it is counted
in one cell of a table, and in one answer of a query. That is the L1 distance; in L2 it would not be less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.rap.products import Products
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.rap.relaxed import Floats
    from mechanisms.rap.roles import Roles
    from release.log.steps import Columns
    from release.statistics.conditional_counts import ConditionalCounts

_QUERIES = 64
"""Number of queries whose conditions at all points fit into the cache."""


class TableDistances:
    """Distances of points from the exact tables of some sets of columns."""

    def __init__(self, roles: Roles, sets: Sequence[Columns], exact: Sequence[NDArray[np.int64]]) -> None:
        self._products = Products(roles.layout, [roles.blocks(columns) for columns in sets])
        splits = zip(self._products.splits, exact, strict=True)
        self._exact = [split.arranged(table) for split, table in splits]

    def of(self, points: Floats, total: float) -> list[int]:
        """Distances in steps, for points that stand for this many records."""
        tables = zip(self._products.shares(points), self._exact, strict=True)
        return [distance(shares, exact, total) for shares, exact in tables]


def query_distances(
    roles: Roles, queries: ConditionalCounts, exact: NDArray[np.int64], points: Floats, total: float
) -> list[int]:
    """Distances in steps for every query, with conditions on the schema's numbers and the points' shares of codes."""
    answers = query_shares(roles, queries, points)
    steps = _steps_apart(answers, exact, total)
    return [int(found) for found in np.add.reduceat(steps, queries.starts[:-1])]


def query_shares(roles: Roles, queries: ConditionalCounts, points: Floats) -> NDArray[np.float64]:
    """Answers of the points to all queries, one after the other, in shares."""
    count = points.shape[1]
    numbers = queries.prepared(_codes(roles, queries, points))
    found = np.empty(int(queries.starts[-1]))
    by = [np.ascontiguousarray(roles.layout.block(points, block).T) for block in roles.blocks(queries.by)]
    for start in range(0, queries.count, _QUERIES):
        end = min(start + _QUERIES, queries.count)
        met = queries.met(numbers, np.arange(start, end)).astype(points.dtype)
        for column, shares in enumerate(by):
            lines = np.flatnonzero(queries.conditioned[start:end] == column)
            places = queries.starts[start + lines][:, None] + np.arange(shares.shape[1])
            found[places] = (met if len(lines) == end - start else met[lines]) @ shares / count
    return found


def distance(shares: Floats, exact: NDArray[np.int64], total: float) -> int:
    """The sum of the distances of all cells, in steps."""
    return int(_steps_apart(shares.astype(np.float64), exact, total).sum())


def _steps_apart(shares: NDArray[np.float64], exact: NDArray[np.int64], total: float) -> NDArray[np.float64]:
    """Whole numbers, whose sums are exact: no total is above MOST_RECORDS."""
    steps = np.rint(shares * (total * RECORD_STEPS))
    steps -= exact * float(RECORD_STEPS)
    found: NDArray[np.float64] = np.abs(steps)
    return found


def number_codes(roles: Roles, points: Floats) -> NDArray[np.int64]:
    """Codes of the numbers on the grid of the schema, with a line for each number."""
    tops = np.array(roles.tops)[:, None]
    found: NDArray[np.int64] = np.rint(roles.layout.numbers_of(points) * tops).astype(np.int64)
    return found


def _codes(roles: Roles, queries: ConditionalCounts, points: Floats) -> NDArray[np.int64]:
    """Points as records, as far as conditions on numbers need it."""
    records = np.zeros((points.shape[1], len(roles.shape.sizes)), dtype=np.int64)
    records[:, list(roles.numbers)] = number_codes(roles, points).T
    return records
