"""A tree of columns, edge by edge: Kruskal's algorithm, with each edge chosen by the exponential mechanism.

An edge is a pair of columns; its quality is how far the pair's table is from that of independent columns, as an
integer. If not every pair may be an edge, the result is a forest with a tree for each part that can be joined. The
allowed pairs decide the number of edges, before any of them is looked at.
Columns that a public fact names together are one clique of the model whatever is measured. So that edges add nothing to
it but their own tables, they lie within such a fact, or join columns that neither facts nor edges connect.
Proof that scores, choices and charges are as stated: docs/proofs/synthbounds.marginal-log.md, (b), (d) and (e).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from mechanisms.tilt.targets import nearest_shares
from release.data.counting import in_batches
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.log.make import OpenLog
    from release.log.steps import TableStep

    Floats = NDArray[np.float64]

Pair = tuple[int, int]
MOST_COLUMNS = 200
"""Each choice is among nearly all pairs of columns, and there are about as many choices as columns."""
_AT_ONCE = 2**22
"""Cells of tables in memory at the same time."""


def require_few(columns: int) -> None:
    """Refuse a table of too many columns, before anything is spent."""
    if columns > MOST_COLUMNS:
        raise NotApplicable(f"columns = {columns}: a tree is chosen for at most {MOST_COLUMNS}")


class Parts:
    """Which columns are connected; joining two that already are is refused."""

    def __init__(self) -> None:
        self._part: dict[int, int] = {}

    def of(self, column: int) -> int:
        return self._part.get(column, column)

    def are_apart(self, pair: Pair) -> bool:
        return self.of(pair[0]) != self.of(pair[1])

    def join(self, pair: Pair) -> bool:
        """Whether the edge joined two parts."""
        if not self.are_apart(pair):
            return False
        one, other = self.of(pair[0]), self.of(pair[1])
        self._part |= {column: one for column, part in self._part.items() if part == other} | {other: one}
        return True


class Facts:
    """Sets of columns that public facts name together, and the parts that they connect."""

    def __init__(self, facts: Sequence[Sequence[int]] = ()) -> None:
        self._sets = [frozenset(columns) for columns in facts]
        self._parts = Parts()
        for columns in facts:
            for pair in pairwise(columns):
                self._parts.join(pair)

    def are_inside(self, pair: Pair) -> bool:
        return any(columns.issuperset(pair) for columns in self._sets)

    def allow(self, pair: Pair) -> bool:
        return self.are_inside(pair) or self._parts.are_apart(pair)

    def ends(self, pair: Pair) -> Pair:
        """What an edge joins: two columns inside a fact, or else the parts that facts connect with each of them.

        The two kinds are numbered separately, so edges of one kind never join what the other has joined. Together
        they are a forest of columns, whose number of edges does not depend on which are chosen.
        """
        a, b = pair
        return pair if self.are_inside(pair) else (-1 - self._parts.of(a), -1 - self._parts.of(b))


NO_FACTS = Facts()


def edges_of_forest(pairs: Sequence[Pair], facts: Facts = NO_FACTS) -> int:
    """Number of edges of any forest of the pairs that joins everything they can join.

    >>> edges_of_forest([(0, 1), (1, 2), (0, 2), (5, 6)])
    3
    """
    parts = Parts()
    return sum(parts.join(facts.ends(pair)) for pair in pairs)


def choose_forest(
    log: OpenLog, pairs: Sequence[Pair], qualities: Mapping[Pair, int], *, rho: Fraction, facts: Facts = NO_FACTS
) -> list[Pair]:
    """A forest of the pairs, chosen with equal parts of rho for each edge; one record changes a quality by one record.

    If the pairs already are a forest, all are taken, at no cost.
    """
    edges, parts, chosen = edges_of_forest(pairs, facts), Parts(), []
    if edges == len(pairs):
        return list(pairs)
    for _ in range(edges):
        apart = [pair for pair in pairs if parts.are_apart(facts.ends(pair))]
        found = log.choose(apart, [qualities[pair] for pair in apart], moved=RECORD_STEPS, rho=rho / edges)
        edge = (found[0], found[1])
        parts.join(facts.ends(edge))
        chosen.append(edge)
    return chosen


def published_shares(tables: Sequence[TableStep], total: float) -> list[Floats]:
    """For every column the shares nearest to its noisy table; these tables begin a log, in the order of columns."""
    return [nearest_shares(np.array(table.counts, float) / total) for table in tables]


def distances_from_product(
    log: OpenLog, pairs: Sequence[Pair], shares: Sequence[Floats], total: float
) -> dict[Pair, int]:
    """How far the records are, on each pair, from independent columns with these shares, in steps of a record."""
    found: dict[Pair, int] = {}
    cells = [len(shares[a]) * len(shares[b]) for a, b in pairs]
    for some in in_batches(pairs, cells, at_once=_AT_ONCE):
        for (a, b), counts in zip(some, log.counts_of(some).values(), strict=True):
            independent = np.rint(np.multiply.outer(shares[a], shares[b]) * (total * RECORD_STEPS))
            # Whole numbers, below 2^53 since no total is above MOST_RECORDS: the sum is exact, and one record moves it
            # by RECORD_STEPS at most.
            found[a, b] = int(np.abs(counts * float(RECORD_STEPS) - independent).sum())
    return found
