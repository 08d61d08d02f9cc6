"""Queries that are public before any record is seen, each answered by a few whole numbers: a protocol, and its reader.

A log may ask them in addition to tables of counts, and errors of a finished table may be taken over them. They are
drawn by a public seed from a schema, so a file names the seed and not the queries. Drawing uses only whole numbers: the
raw output of a counter-based generator, which is specified, and sums of it, so that every machine draws the same.
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
from release.files.strict_json import is_text, require_object, shown
from release.statistics.query_limits import MOST_QUERIES

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from release.data.domain import Codes

    Integers = NDArray[np.int64]

LEAST_VALUES = 10
"""Ordered columns of this many values are taken as numbers unless others are named."""
_PURPOSE = 1
"""Of the streams of queries; noise of simulations has 0 at this place."""
_PARTS, _BITS = 12, 16
DEVIATION = 2**_BITS
"""Of `bell_numbers`: twelve uniform numbers have the variance of one times twelve parts of a twelfth."""
LARGEST = _PARTS * DEVIATION // 2
"""No such number is larger in absolute value."""


class PublicQueries(ABC):
    """Queries of a schema, numbered from 0; the answers of all of them follow one another, in whole numbers."""

    KIND: ClassVar[str]
    denominator: ClassVar[int] = 1
    """The denominator of the whole numbers: a record adds at most this much to an answer, in absolute value."""
    schema: Schema
    count: int
    """How many queries."""

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
        """How far one record moves the answers of these queries together, at most: the square, in L2."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The object that `from_json` reads back."""

    @classmethod
    @abstractmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        """Strictly; `where` begins every error message."""

    def places(self, queries: Sequence[int]) -> Integers:
        """The places of the answers of these queries among all, one query after the other."""
        starts = self.starts
        return np.concatenate([np.arange(starts[q], starts[q + 1]) for q in queries])

    def sums_of(self, records: Codes, queries: Sequence[int]) -> Integers:
        """Exact answers of these queries, one after the other."""
        return self.sums(records)[self.places(queries)]

    def require_queries(self, queries: Sequence[int]) -> None:
        """Refuse numbers that are not those of a query, or are given twice."""
        if not queries or len(set(queries)) < len(queries) or not 0 <= min(queries) <= max(queries) < self.count:
            raise ParameterError("queries", f"{len(queries)} of them", f"different ones, from 0 to {self.count - 1}")


class NumberQueries(PublicQueries):
    """Queries of numbers: a record adds from 0 to 1 to one answer of every query, and nothing to others."""

    numbers: tuple[int, ...]
    """Places of the columns that are taken as numbers, in the order of the schema."""
    by: tuple[int, ...]
    """Places of the columns by whose values records are counted: every query is for the values of one of them."""

    def mean_moved(self, adjacency: Adjacency) -> Fraction:
        """How far one record moves the mean of all answers, at most, in absolute changes, in 1, not in whole numbers:
        it adds to one answer of a query, and a replaced one changes two."""
        changed = 2 if adjacency is Adjacency.REPLACE_ONE else 1
        return min(Fraction(1), Fraction(changed * self.count, int(self.starts[-1])))

    @property
    def numbers_text(self) -> str:
        return f"{len(self.numbers)} number" + "s" * (len(self.numbers) > 1)

    @property
    def labels_text(self) -> str:
        return ", ".join(self.schema.names[place] for place in self.by)


def number_places(
    schema: Schema, names: Sequence[str] | None = None, *, besides: Collection[int] = ()
) -> tuple[int, ...]:
    """Columns that are taken as numbers, in the order of the schema: the named ones, or else ordered ones of many
    values that have no code for missing cells, which would have no place on a line; labels are `besides`.
    """
    if names is None:
        found = (u for u, c in enumerate(schema.columns) if c.is_ordered and not c.missing and c.size >= LEAST_VALUES)
        return tuple(place for place in found if place not in besides)
    return named_places(schema, names, "numbers")


def named_places(schema: Schema, names: Sequence[str], parameter: str) -> tuple[int, ...]:
    """The places of named columns, in the order of the schema; each column once."""
    for name in names:
        if name not in schema.places:
            raise ParameterError(parameter, shown(name), "a column of the schema")
    if len(set(names)) < len(names):
        raise ParameterError(parameter, "a column twice", "each column once")
    return tuple(sorted(schema.places[name] for name in names))


def require_columns(queries: NumberQueries, *, least: int, most: int) -> None:
    """Refuse columns to which such queries do not apply, and more queries than are counted."""
    schema, numbers, by = queries.schema, queries.numbers, queries.by
    for name, places in (("numbers", numbers), ("label", by)):
        if list(places) != sorted(set(places)) or not all(0 <= place < len(schema.columns) for place in places):
            raise ParameterError(name, "other places", "columns of the schema, each once, in its order")
    if not least <= len(numbers) <= most:
        raise ParameterError("numbers", f"{len(numbers)} columns", f"{least} to {most}", _WHICH)
    for place in numbers:
        column = schema.columns[place]
        if column.missing or column.size < 2 or not column.is_ordered:
            allowed = "ordered columns of at least 2 values without missing cells"
            raise ParameterError("numbers", shown(column.name), allowed)
    both = sorted(set(by) & set(numbers))
    if both:
        allowed = "another column than those taken as numbers"
        raise ParameterError("label", shown(schema.columns[both[0]].name), allowed)
    if not 1 <= queries.count <= MOST_QUERIES:
        raise ParameterError("queries", queries.count, f"1 to {MOST_QUERIES:,}")


_WHICH = "ordered columns of many values and without missing cells, or those that are named (--numbers)"


def _read_places(body: object, schema: Schema, where: str) -> tuple[int, ...]:
    """The places of different columns of a schema, listed by name in its order."""
    if not isinstance(body, list) or not all(is_text(name) and name in schema.places for name in body):
        raise DataError(f"{where} = {shown(body)}: must be a list of columns of the schema")
    places = tuple(schema.places[name] for name in body)
    if list(places) != sorted(set(places)):
        raise DataError(f"{where} = {shown(body)}: must be different columns in the order of the schema")
    return places


def read_columns(
    body: object, kind: str, schema: Schema, where: str, *others: str
) -> tuple[dict[str, Any], tuple[int, ...], tuple[int, ...]]:
    """The fields of an object of a kind of queries, and the places of `numbers` and `by`."""
    fields = require_object(body, where, {"kind", "numbers", "by", *others})
    if fields["kind"] != kind:
        raise DataError(f"{where}: kind = {shown(fields['kind'])}: must be {kind}")
    numbers, by = (_read_places(fields[key], schema, f"{where}: {key}") for key in ("numbers", "by"))
    return fields, numbers, by


def columns_json(queries: NumberQueries) -> dict[str, list[str]]:
    """The names of the columns that are asked about."""
    names = queries.schema.names
    return {"numbers": [names[u] for u in queries.numbers], "by": [names[u] for u in queries.by]}


def raw_numbers(seed: int, stream: int, count: int) -> NDArray[np.uint64]:
    """Uniform numbers of 64 bits: the specified output of Philox, keyed by the seed and counted by the stream.

    Streams do not overlap with one another, nor with the noise of simulations of the same seed; fewer numbers are the
    first of more.
    """
    found: NDArray[np.uint64] = np.random.Philox(key=seed, counter=[0, _PURPOSE, 0, stream]).random_raw(count)
    return found


def bell_numbers(seed: int, stream: int, count: int) -> Integers:
    """Whole numbers that are nearly Gaussian, with mean 0 and deviation `DEVIATION`: sums of uniform ones.

    >>> bell_numbers(0, 1, 3).tolist()
    [10467, -146195, 61182]
    """
    raw = raw_numbers(seed, stream, count * _PARTS * _BITS // 64)
    parts = raw.astype("<u8").view("<u2").reshape(count, _PARTS)
    found: Integers = parts.sum(axis=1, dtype=np.int64) - LARGEST
    return found


def uniform_numbers(seed: int, stream: int, count: int, below: Integers | int) -> Integers:
    """Whole numbers from 0 to below - 1, equally likely up to 2^-48: 64 bits decide.

    >>> uniform_numbers(0, 1, 5, 10).tolist()
    [5, 7, 1, 7, 1]
    """
    found: Integers = (raw_numbers(seed, stream, count) % np.asarray(below, dtype=np.uint64)).astype(np.int64)
    return found


def rounded_ratio(numerator: Integers, denominator: int) -> Integers:
    """The nearest whole number to each quotient, ties up."""
    return (2 * numerator + denominator) // (2 * denominator)
