"""Queries that are public before any record is seen, each answered by a few whole numbers: a protocol, and its reader.

A log may ask them beside tables of counts, and errors of a finished table may be taken over them. They are drawn by a
public seed from what a schema says, so a file names the seed and not the queries. Drawing is in whole numbers alone:
the raw output of a counter-based generator, which is specified, and sums of it, so that every machine draws the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bounds.errors import DataError, ParameterError
from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema
from release.files.strict_json import is_text, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Integers = NDArray[np.int64]

MOST_QUERIES = 10**6
LEAST_VALUES = 10
"""Ordered columns of so many values are taken as numbers where nobody says which are."""
_PARTS, _BITS = 12, 16
DEVIATION = 2**_BITS
"""Of `bell_numbers`: twelve uniform numbers have the variance of one times twelve parts of a twelfth."""
LARGEST = _PARTS * DEVIATION // 2
"""No such number is larger in size."""


class PublicQueries(ABC):
    """Queries of a schema, numbered from 0; the answers of all of them stand one after the other, in whole numbers."""

    KIND: ClassVar[str]
    schema: Schema
    count: int
    """How many queries."""
    seed: int

    @property
    @abstractmethod
    def text(self) -> str:
        """In words."""

    @property
    @abstractmethod
    def starts(self) -> Integers:
        """Where the answers of each query begin among all, and, last, how many there are."""

    @abstractmethod
    def sums(self, records: Codes) -> Integers:
        """All answers, exactly: sums over records of whole numbers."""

    @abstractmethod
    def squared_moved(self, queries: Sequence[int], adjacency: Adjacency) -> int:
        """At most so much one record moves the answers of these queries together: the square, in L2."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The object that `from_json` reads back."""

    @classmethod
    @abstractmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        """Strictly; `where` begins every complaint."""

    def places(self, queries: Sequence[int]) -> Integers:
        """Where the answers of these queries stand among all, one query after the other."""
        starts = self.starts
        return np.concatenate([np.arange(starts[q], starts[q + 1]) for q in queries])

    def require_queries(self, queries: Sequence[int]) -> None:
        """Refuse numbers that are none of a query, or stand twice."""
        if not queries or len(set(queries)) < len(queries) or not 0 <= min(queries) <= max(queries) < self.count:
            raise ParameterError("queries", f"{len(queries)} of them", f"different ones, from 0 to {self.count - 1}")


def number_places(schema: Schema, names: Sequence[str] | None = None) -> tuple[int, ...]:
    """Columns that are taken as numbers, in the order of the schema: ordered ones of many values, or the named ones.

    A column with a code for missing cells has no place on a line, so it is never one.
    """
    if names is None:
        found = [u for u, c in enumerate(schema.columns) if c.is_ordered and not c.missing and c.size >= LEAST_VALUES]
        return tuple(found)
    places = [column_place(schema, name, "numbers") for name in names]
    for place in places:
        column = schema.columns[place]
        if column.missing:
            raise ParameterError("numbers", shown(column.name), "columns without missing cells")
    if len(set(places)) < len(places):
        raise ParameterError("numbers", "a column twice", "each column once")
    return tuple(sorted(places))


def column_place(schema: Schema, name: str, parameter: str) -> int:
    """The place of a named column."""
    if name not in schema.names:
        raise ParameterError(parameter, shown(name), "a column of the schema")
    return schema.names.index(name)


def read_names(body: object, schema: Schema, where: str) -> list[str]:
    """Names of different columns of a schema, in its order."""
    if not isinstance(body, list) or not all(is_text(name) and name in schema.names for name in body):
        raise DataError(f"{where} = {shown(body)}: must be a list of columns of the schema")
    names = [str(name) for name in body]
    if names != [name for name in schema.names if name in names]:
        raise DataError(f"{where} = {shown(body)}: must be different columns in the order of the schema")
    return names


def raw_numbers(seed: int, stream: int, count: int) -> NDArray[np.uint64]:
    """Uniform numbers of 64 bits: the specified output of Philox, keyed by the seed and counted by the stream."""
    found: NDArray[np.uint64] = np.random.Philox(key=seed, counter=[0, 0, 0, stream]).random_raw(count)
    return found


def bell_numbers(seed: int, stream: int, count: int) -> Integers:
    """Whole numbers that are nearly Gaussian, with mean 0 and deviation `DEVIATION`: sums of uniform ones.

    >>> bell_numbers(0, 1, 3).tolist()
    [-74718, -23410, -109943]
    """
    raw = raw_numbers(seed, stream, count * _PARTS * _BITS // 64)
    parts = raw.astype("<u8").view("<u2").reshape(count, _PARTS)
    found: Integers = parts.sum(axis=1, dtype=np.int64) - LARGEST
    return found


def rounded_ratio(numerator: Integers, denominator: int) -> Integers:
    """The nearest whole number to each quotient, ties up."""
    return (2 * numerator + denominator) // (2 * denominator)


def mean_moved(queries: PublicQueries, adjacency: Adjacency) -> Fraction:
    """By how much one record moves the mean of all answers at most, where it moves one answer of a query by 1."""
    changed = 2 if adjacency is Adjacency.REPLACE_ONE else 1
    return min(Fraction(1), Fraction(changed * queries.count, int(queries.starts[-1])))
