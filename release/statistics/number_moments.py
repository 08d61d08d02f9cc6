"""First and second moments of numbers from 0 to 1: sums of x_i and of x_i x_j, over all records or by a label's values.

A number is the nearest multiple of 2^-15 to code / (codes - 1), so that products are whole numbers over 2^30, which
double precision adds up exactly. A record adds from 0 to 1 to one answer of a query: without a label, a replaced one
moves it by at most 1. Proof: docs/proofs/synthbounds.threshold-queries.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema
from release.files.fields import within
from release.one_thread import one_thread
from release.statistics.public_queries import (
    NumberQueries,
    columns_json,
    read_columns,
    require_columns,
    rounded_ratio,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.public_queries import Integers

MOMENTS = "moments"
MOST_COLUMNS = 200
BITS = 15
_BLOCK_ROWS = 2**14
"""Products are at most 2^30, so this many of them add up to less than 2^53."""


@dataclass(frozen=True)
class NumberMoments(NumberQueries):
    """All x_i, then all x_i x_j for i <= j, row by row; for each of the columns `by` in turn, if there are any."""

    KIND: ClassVar[str] = MOMENTS
    denominator: ClassVar[int] = 2 ** (2 * BITS)

    schema: Schema
    numbers: tuple[int, ...]
    by: tuple[int, ...] = ()
    count: int = field(init=False)

    def __post_init__(self) -> None:
        r = len(self.numbers)
        object.__setattr__(self, "count", (r + r * (r + 1) // 2) * max(1, len(self.by)))
        require_columns(self, least=1, most=MOST_COLUMNS)

    @property
    def text(self) -> str:
        return f"{self.count:,} moments of {self.numbers_text}" + (f", by {self.labels_text}" if self.by else "")

    @cached_property
    def factors(self) -> tuple[tuple[int, ...], ...]:
        """For every moment, of one column of `by` or of none, the places among `numbers` of the factors."""
        r = range(len(self.numbers))
        return (*((i,) for i in r), *((i, j) for i in r for j in r if i <= j))

    @cached_property
    def widths(self) -> Integers:
        """The number of answers of each query: one per value of its label, whose queries follow each other."""
        sizes = [self.schema.columns[place].size for place in self.by] or [1]
        return np.repeat(np.array(sizes, dtype=np.int64), len(self.factors))

    @cached_property
    def starts(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.widths)])

    @cached_property
    def _values(self) -> list[NDArray[np.float64]]:
        """For every number the multiple of 2^-BITS that each code stands for."""
        found = []
        for place in self.numbers:
            codes = np.arange(self.schema.columns[place].size, dtype=np.int64)
            found.append(rounded_ratio(codes << BITS, len(codes) - 1).astype(float))
        return found

    def sums(self, records: Codes) -> Integers:
        found = np.zeros(int(self.starts[-1]), dtype=np.int64)
        upper = np.triu_indices(len(self.numbers))
        with one_thread():
            for column, place in enumerate(self.by or (-1,)):
                size = 1 if place < 0 else self.schema.columns[place].size
                begin = int(self.starts[column * len(self.factors)])
                answers = found[begin : begin + size * len(self.factors)].reshape(len(self.factors), size)
                for value in range(size):
                    chosen = records if place < 0 else records[records[:, place] == value]
                    for first in range(0, len(chosen), _BLOCK_ROWS):
                        block = chosen[first : first + _BLOCK_ROWS]
                        x = np.stack([table[block[:, u]] for table, u in zip(self._values, self.numbers, strict=True)])
                        one, two = x.sum(axis=1).astype(np.int64) << BITS, (x @ x.T)[upper].astype(np.int64)
                        answers[:, value] += np.concatenate([one, two])
        return found

    def squared_moved(self, queries: Sequence[int], adjacency: Adjacency) -> int:
        self.require_queries(queries)
        twice = adjacency is Adjacency.REPLACE_ONE and bool(self.by)
        return len(queries) * (2 if twice else 1) * self.denominator**2

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.KIND, **columns_json(self)}

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        _, numbers, by = read_columns(body, cls.KIND, schema, where)
        return within(lambda: cls(schema, numbers, by), where)
