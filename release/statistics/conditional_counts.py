"""Queries that count the records that meet a condition on numbers, for every value of another column: a class label.

A record meets a condition or not, and has one value of the column, so it adds 1 to at most one answer of a query: one
record more or less moves the answers of m queries by at most sqrt(m) in L2, and a replaced one by sqrt(2 m). Conditions
are drawn by a seed, each number of them in a separate stream, so that few queries are the first of many. Proof:
docs/proofs/synthbounds.threshold-queries.md.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bounds.errors import ParameterError
from bounds.exact import require_range
from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema
from release.files.fields import read_counter, read_whole, within
from release.one_thread import one_thread
from release.statistics.public_queries import NumberQueries, columns_json, read_columns, require_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.public_queries import Integers

MOST_COLUMNS = 200
_MOST_VALUES = 2**24
"""Drawn for conditions, or answered; the limit is that for cells of tables."""
_BLOCK_ROWS = 2**13
_BLOCK_QUERIES = 64
"""This many records and queries at a time stay in cache."""


@dataclass(frozen=True)
class ConditionalCounts(NumberQueries):
    """`count` conditions on the columns `numbers`, each counted by the values of one of the columns `by`."""

    LEAST_NUMBERS: ClassVar[int] = 1

    schema: Schema
    numbers: tuple[int, ...]
    by: tuple[int, ...]
    count: int
    seed: int = 0

    def __post_init__(self) -> None:
        require_columns(self, least=self.LEAST_NUMBERS, most=MOST_COLUMNS)
        if not self.by:
            raise ParameterError("label", "none", "at least one column whose values are told apart")
        each = max(len(self.numbers), *(self.schema.columns[place].size for place in self.by))
        if self.count * each > _MOST_VALUES:
            why = "answers of all values of the labels are kept together"
            raise ParameterError("thresholds", self.count, f"at most {_MOST_VALUES // each:,} of these columns", why)
        require_range("seed", self.seed, self.seed, least=0, below=2**64)

    @abstractmethod
    def prepared(self, codes: Codes) -> NDArray[np.number]:
        """The columns `numbers` of records' codes, one line per column, in the arithmetic of `met`."""

    @abstractmethod
    def met(self, numbers: NDArray[np.number], queries: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of the `prepared` records meet the conditions of these queries, one line per query."""

    @cached_property
    def conditioned(self) -> NDArray[np.intp]:
        """For every query the place, among `by`, of the column by whose values it counts."""
        return np.arange(self.count) % len(self.by)

    @cached_property
    def widths(self) -> Integers:
        """The number of answers of each query."""
        sizes = np.array([self.schema.columns[place].size for place in self.by], dtype=np.int64)
        return sizes[self.conditioned]

    @cached_property
    def starts(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.widths)])

    def sums(self, records: Codes) -> Integers:
        return self._counted(records, np.arange(self.count))

    def sums_of(self, records: Codes, queries: Sequence[int]) -> Integers:
        self.require_queries(queries)
        found: Integers = self._counted(records, np.array(queries))[self.places(queries)]
        return found

    def _counted(self, records: Codes, asked: NDArray[np.intp]) -> Integers:
        """All answers, of which those to other queries are 0."""
        found = np.zeros(int(self.starts[-1]), dtype=np.int64)
        with one_thread():
            for column, place in enumerate(self.by):
                # records of one value lie together, so that they are counted as a slice
                ordered = records[np.argsort(records[:, place], kind="stable")]
                queries = asked[self.conditioned[asked] == column]
                for first in range(0, len(ordered), _BLOCK_ROWS):
                    self._add_block(ordered[first : first + _BLOCK_ROWS], place, queries, found)
        return found

    def _add_block(self, records: Codes, place: int, queries: NDArray[np.intp], found: Integers) -> None:
        values, begins = np.unique(records[:, place], return_index=True)
        slices = list(zip(values.tolist(), begins.tolist(), [*begins[1:].tolist(), len(records)], strict=True))
        numbers = self.prepared(records)
        for start in range(0, len(queries), _BLOCK_QUERIES):
            some = queries[start : start + _BLOCK_QUERIES]
            for at, line in zip(self.starts[some].tolist(), self.met(numbers, some), strict=True):
                for value, begin, end in slices:
                    found[at + value] += np.count_nonzero(line[begin:end])

    def squared_moved(self, queries: Sequence[int], adjacency: Adjacency) -> int:
        self.require_queries(queries)
        return len(queries) * (2 if adjacency is Adjacency.REPLACE_ONE else 1)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.KIND, **columns_json(self), "count": self.count, "seed": str(self.seed)}

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        fields, numbers, by = read_columns(body, cls.KIND, schema, where, "count", "seed")
        count, seed = read_whole(fields["count"], f"{where}: count"), read_counter(fields["seed"], f"{where}: seed")
        return within(lambda: cls(schema, numbers, by, count, seed), where)
