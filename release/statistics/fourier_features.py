"""Random Fourier features in whole numbers: cosines and sines of a phase of every record, summed for every label.

A phase is a sum of public weights, one for every code that a record has, modulo 2^16 parts of a turn; cosines and sines
are in a public table, in steps of 2^-12. Weights of nominal codes are independent. Those of ordered codes are a random
walk, so that neighbours turn alike. On average over all pairs of different codes, the difference in turn is the same in
every column. What one record adds has a known length, whatever it is. Proof:
docs/proofs/synthbounds.fourier-features.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bounds.errors import DataError, NotApplicable, ParameterError
from bounds.exact import require_range
from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema
from release.files.fields import read_counter, read_whole, within
from release.files.strict_json import is_text, require_object, shown
from release.statistics.public_queries import PublicQueries, bell_numbers, rounded_ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.columns import Column
    from release.data.domain import Codes
    from release.statistics.public_queries import Integers

FOURIER = "fourier-features"
TURN = 2**16
"""Phases are whole numbers modulo this."""
STEPS = 2**12
"""A cosine of 1, in whole numbers."""
VARIANCE = Fraction(1, 20)
"""Half the mean square of the difference, in turns, of the phases of two records that have no code in common."""
MOST_ANSWERS = 10**6
_MOST_WEIGHTS = 2**22
"""Weights of one column are drawn at once: some hundred MB."""
_ROOT_BITS = 16
_BLOCK_ROWS = 2**12
"""Sums over this many rows are whole numbers up to 2^24, which single precision adds up exactly."""


@dataclass(frozen=True)
class FourierFeatures(PublicQueries):
    """`count` frequencies of all columns but the label; each has a cosine for every value of the label, then a sine."""

    KIND: ClassVar[str] = FOURIER
    denominator: ClassVar[int] = STEPS

    schema: Schema
    label: int | None
    """The place of the column by whose values sums are taken; None if all records are taken together."""
    count: int
    seed: int = 0

    def __post_init__(self) -> None:
        require_range("seed", self.seed, self.seed, least=0, below=2**64)
        if self.label is not None:
            require_range("label", self.label, self.label, least=0, below=len(self.schema.columns))
        most = self.most(self.schema, self.label)
        if not 1 <= self.count <= most:
            codes, labels = sum(self.schema.columns[place].size for place in self.turning), self.labels
            why = f"for {codes:,} codes and {labels:,} values of the label"
            raise ParameterError("features", self.count, f"1 to {most:,}", why)

    @classmethod
    def most(cls, schema: Schema, label: int | None) -> int:
        """The largest number of frequencies, at least 1; refused if there may be none."""
        sizes = schema.domain.sizes
        labels = 1 if label is None else sizes[label]
        codes = sum(sizes) - (0 if label is None else labels)
        if not codes:
            raise NotApplicable("fourier features need columns besides the label: the schema has none")
        most = min(_MOST_WEIGHTS // codes, MOST_ANSWERS // (2 * labels))
        if most < 1:
            raise NotApplicable(f"fourier features take at most {_MOST_WEIGHTS:,} codes; the columns have {codes:,}")
        return most

    @property
    def text(self) -> str:
        by = "" if self.label is None else f", by {self.schema.names[self.label]}"
        return f"cosines and sines of {self.count:,} random phases of {len(self.turning)} columns{by}"

    @cached_property
    def turning(self) -> tuple[int, ...]:
        """Places of the columns that turn a phase."""
        return tuple(place for place in range(len(self.schema.columns)) if place != self.label)

    @cached_property
    def labels(self) -> int:
        """How many values are distinguished."""
        return 1 if self.label is None else self.schema.columns[self.label].size

    @cached_property
    def starts(self) -> Integers:
        return np.arange(self.count + 1, dtype=np.int64) * (2 * self.labels)

    def weights(self, place: int) -> NDArray[np.uint16]:
        """By how much every code of a column turns every phase, one line per code."""
        return self._weights[place]

    @cached_property
    def _weights(self) -> dict[int, NDArray[np.uint16]]:
        return {place: self._column_weights(place) for place in self.turning}

    def _column_weights(self, place: int) -> NDArray[np.uint16]:
        column = self.schema.columns[place]
        drawn = bell_numbers(self.seed, place + 1, column.size * self.count).reshape(column.size, self.count)
        share = VARIANCE / len(self.turning)
        found = rounded_ratio(drawn * _root(share), 2**_ROOT_BITS)
        if _is_walk(column):
            values = column.value_count
            steps = np.cumsum(drawn[:values], axis=0)
            found[:values] = rounded_ratio(steps * _root(share * 6 / (values + 1)), 2**_ROOT_BITS)
        return (found % TURN).astype(np.uint16)

    def sums(self, records: Codes) -> Integers:
        found = np.zeros((2, self.labels, self.count), dtype=np.int64)
        tables = [table.astype(np.float32) for table in waves()]
        for start in range(0, len(records), _BLOCK_ROWS):
            rows = records[start : start + _BLOCK_ROWS]
            phases = np.zeros((len(rows), self.count), dtype=np.uint16)
            for place in self.turning:
                phases += self._weights[place][rows[:, place]]
            chosen = np.ones((1, len(rows)), np.float32)
            if self.label is not None:
                chosen = (rows[:, self.label] == np.arange(self.labels)[:, None]).astype(np.float32)
            for part, table in zip(found, tables, strict=True):
                part += (chosen @ table[phases]).astype(np.int64)
        return found.transpose(2, 0, 1).ravel()

    def squared_moved(self, queries: Sequence[int], adjacency: Adjacency) -> int:
        self.require_queries(queries)
        return squared_length() * len(queries) * (4 if adjacency is Adjacency.REPLACE_ONE else 1)

    def to_json(self) -> dict[str, Any]:
        label = None if self.label is None else self.schema.names[self.label]
        return {"kind": self.KIND, "label": label, "count": self.count, "seed": str(self.seed)}

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        fields = require_object(body, where, {"kind", "label", "count", "seed"})
        label = fields["label"]
        if label is not None and not (is_text(label) and label in schema.names):
            raise DataError(f"{where}: label = {shown(label)}: must be a column of the schema, or null")
        place = None if label is None else schema.names.index(str(label))
        count = read_whole(fields["count"], f"{where}: count")
        seed = read_counter(fields["seed"], f"{where}: seed")
        return within(lambda: cls(schema, place, count, seed), where)


@cache
def waves() -> tuple[Integers, Integers]:
    """Cosine and sine of every phase, rounded.

    No value is within 10^-6 of a half, so every way to compute it gives the same whole numbers.

    >>> [int(table[TURN // 6]) for table in waves()]
    [2048, 3547]
    """
    angles = 2 * np.pi / TURN * np.arange(TURN)
    return np.rint(STEPS * np.cos(angles)).astype(np.int64), np.rint(STEPS * np.sin(angles)).astype(np.int64)


@cache
def squared_length() -> int:
    """Of the cosine and sine of one phase, at most.

    >>> round(squared_length() / STEPS**2, 4)
    1.0003
    """
    cosines, sines = waves()
    return int((cosines**2 + sines**2).max())


def _is_walk(column: Column) -> bool:
    return column.is_ordered and column.value_count > 1


def _root(square: Fraction) -> int:
    """The root times 2^16, rounded down."""
    return isqrt((square.numerator << 2 * _ROOT_BITS) // square.denominator)
