"""Queries that count the records that meet a condition on numbers, for every value of another column: a class label.

A record meets a condition or not, and has one value of the column, so it adds 1 to one answer of a query at most: one
record more or less moves the answers of m queries by at most sqrt(m) in L2, and one that is replaced by sqrt(2 m).
Proof: docs/proofs/synthbounds.threshold-queries.md.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema
from release.statistics.public_queries import MOST_QUERIES, PublicQueries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.public_queries import Integers

_BLOCK_ROWS = 2**14
_BLOCK_QUERIES = 64
"""So many records and queries at a time stay in cache."""


class ConditionalCounts(PublicQueries):
    """Conditions on the columns `numbers`, each counted by the values of one of the columns `by`."""

    numbers: tuple[int, ...]
    """Places of the columns that conditions are on."""
    by: tuple[int, ...]
    """Places of the columns whose values are told apart."""

    def require_columns(self, most_numbers: int) -> None:
        """Refuse columns that no such query can be asked of."""
        if not 1 <= len(self.numbers) <= most_numbers:
            raise ParameterError("numbers", f"{len(self.numbers)} columns", f"1 to {most_numbers}", _WHICH)
        if not self.by or set(self.by) & set(self.numbers):
            raise ParameterError("label", "among the numbers", "another column than those taken as numbers")
        if not 1 <= self.count <= MOST_QUERIES:
            raise ParameterError("queries", self.count, f"1 to {MOST_QUERIES:,}")

    @property
    @abstractmethod
    def conditioned(self) -> NDArray[np.intp]:
        """For every query the place, among `by`, of the column whose values are told apart."""

    @abstractmethod
    def met(self, numbers: NDArray[np.number], start: int, end: int) -> NDArray[np.bool_]:
        """Which of the records meet the conditions of queries from start to end, a line a query.

        `numbers` are the records' codes of the columns `numbers`, a line a column, as `prepared` gave them.
        """

    @abstractmethod
    def prepared(self, codes: Codes) -> NDArray[np.number]:
        """Codes of the columns `numbers`, a line a column, in the arithmetic of `met`."""

    @cached_property
    def widths(self) -> Integers:
        """How many answers each query has."""
        sizes = np.array([self.schema.columns[place].size for place in self.by], dtype=np.int64)
        return sizes[self.conditioned]

    @cached_property
    def starts(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.widths)])

    def sums(self, records: Codes) -> Integers:
        found = np.zeros(int(self.starts[-1]), dtype=np.int64)
        for column, place in enumerate(self.by):
            chosen = np.flatnonzero(self.conditioned == column)
            order = np.argsort(records[:, place], kind="stable")
            codes = records[order, place]
            for first in range(0, len(order), _BLOCK_ROWS):
                block = order[first : first + _BLOCK_ROWS]
                values, begins = np.unique(codes[first : first + _BLOCK_ROWS], return_index=True)
                ends = [*begins[1:].tolist(), len(block)]
                numbers = self.prepared(records[block])
                for start, end in _runs(chosen):
                    lines = self.met(numbers, start, end)
                    for query, line in enumerate(lines, start):
                        at = int(self.starts[query])
                        for value, a, b in zip(values.tolist(), begins.tolist(), ends, strict=True):
                            found[at + value] += np.count_nonzero(line[a:b])
        return found

    def squared_moved(self, queries: Sequence[int], adjacency: Adjacency) -> int:
        self.require_queries(queries)
        return len(queries) * (2 if adjacency is Adjacency.REPLACE_ONE else 1)

    def by_json(self) -> dict[str, list[str]]:
        names = self.schema.names
        return {"numbers": [names[u] for u in self.numbers], "by": [names[u] for u in self.by]}


_WHICH = "ordered columns of many values and without missing cells, or those that are named (--numbers)"


def label_places(schema: Schema, labels: Sequence[str]) -> tuple[int, ...]:
    """Labels in the order of the schema; each is a column once."""
    from release.statistics.public_queries import column_place

    places = [column_place(schema, label, "label") for label in labels]
    if len(set(places)) < len(places):
        raise ParameterError("label", "a column twice", "each column once")
    return tuple(sorted(places))


def _runs(queries: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Rising numbers as ranges of at most `_BLOCK_QUERIES` that follow each other."""
    breaks = np.flatnonzero(np.diff(queries) != 1) + 1
    for part in np.split(queries, breaks):
        for start in range(0, len(part), _BLOCK_QUERIES):
            inside = part[start : start + _BLOCK_QUERIES]
            if len(inside):
                yield int(inside[0]), int(inside[-1]) + 1
