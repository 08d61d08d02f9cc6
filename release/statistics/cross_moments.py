"""One-way tables and cross moments of a table: what distributions of columns and pairs of columns need, as integers.

Every column becomes a block of features (release.statistics.blocks). A cross moment is the sum over records of a
feature of one column times a feature of another, in units of 2^-2bits. A column of very many nominal codes has only a
one-way table. Public facts decide which columns have which features: the schema, the budget and a label. Sensitivities
and their proof: docs/proofs/synthbounds.cross-moments.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from release.data.columns import Column
from release.data.schema import Schema
from release.data.source import as_source
from release.statistics.blocks import ENCODINGS, LINEAR, NONE, ONE_HOT, SMOOTH, Block, block_of, block_width
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.source import Records

BITS = 16
LABEL_WEIGHT = 2
"""The weight of products with the label: they get half of the noise, the others a little more."""
MOST_FEATURES = 800
_EXACT_BITS = 53
_BLOCK_BYTES = 2**25


@dataclass(frozen=True)
class TableEncoding:
    """How each column of a schema becomes features, and which column, if any, is a label; made by `encode_table`."""

    schema: Schema
    encodings: tuple[str, ...]
    """One for each column."""
    label: str | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def one(self) -> int:
        """The integer that stands for 1."""
        return 1 << BITS

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The features of every code, for each column; a column without features has rows of length 0."""
        return tuple(
            block_of(column, encoding, self.one)
            for column, encoding in zip(self.schema.columns, self.encodings, strict=True)
        )

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each column's features begin, and at the end their number."""
        found = [0]
        for column, encoding in zip(self.schema.columns, self.encodings, strict=True):
            found.append(found[-1] + block_width(column, encoding))
        return tuple(found)

    @property
    def size(self) -> int:
        """The number of features."""
        return self.starts[-1]

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The column of every feature."""
        return tuple(u for u in range(len(self.encodings)) for _ in range(self.starts[u], self.starts[u + 1]))

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The two features of every cross moment: those of different columns, row by row."""
        owners = np.array(self.owners, dtype=np.intp)
        left, right = np.nonzero(np.triu(owners[:, None] != owners[None, :]))
        return left, right

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """The factor of each column's features before the noise is added; 0 without features."""
        return tuple(
            0 if encoding == NONE else LABEL_WEIGHT if column.name == self.label else 1
            for column, encoding in zip(self.schema.columns, self.encodings, strict=True)
        )

    @cached_property
    def pair_weights(self) -> NDArray[np.int64]:
        """The product of both weights, for every cross moment."""
        weights = np.array([self.weights[u] for u in self.owners], dtype=np.int64)
        left, right = self.pairs
        return weights[left] * weights[right]

    def one_way_squared_sensitivity(self, adjacency: Adjacency) -> int:
        """How far one record moves the counts of all one-way tables, squared."""
        count = len(self.encodings)
        return count if adjacency is Adjacency.ADD_REMOVE else 2 * count

    def cross_squared_sensitivity(self, adjacency: Adjacency) -> int:
        """How far one record moves the weighted cross moments, squared, in units of features."""
        squares = [weight**2 for weight in self.weights]
        whole, fourth = sum(squares) ** 2, sum(square**2 for square in squares)
        one_record = (whole - fourth) // 2
        # A replaced record moves them by at most twice its own length, which is less for two columns and a label.
        return one_record if adjacency is Adjacency.ADD_REMOVE else min(whole, 4 * one_record)

    def features(self, codes: Any) -> NDArray[np.float64]:
        """The features of records as doubles whose values are whole numbers."""
        found = np.empty((len(codes), self.size))
        for u, table in enumerate(self.arrays):
            found[:, self.starts[u] : self.starts[u + 1]] = table[codes[:, u]]
        return found

    @cached_property
    def arrays(self) -> tuple[NDArray[np.float64], ...]:
        return tuple(np.array(block, dtype=np.float64).reshape(len(block), -1) for block in self.blocks)

    def to_json(self) -> dict[str, Any]:
        """What decides the features, besides the schema."""
        return {
            "encodings": dict(zip(self.schema.names, self.encodings, strict=True)),
            "label": self.label,
            "label_weight": LABEL_WEIGHT,
            "bits": BITS,
        }


@dataclass(frozen=True, kw_only=True)
class CrossSums:
    """Exact counts and sums of products, for the steward only."""

    n: int
    one_way: tuple[int, ...]
    """The counts of all one-way tables, one after the other."""
    cross: tuple[int, ...]
    """Over 4^bits, in the order of `pairs`."""

    @property
    def counted(self) -> tuple[Counted, Counted]:
        return Counted(n=self.n, values=self.one_way), Counted(n=self.n, values=self.cross)


def encode_table(schema: Schema, *, smooth: bool, label: str | None = None) -> TableEncoding:
    """The encoding of a schema: nominal columns one-hot, ordered ones smooth or linear, two codes -1 and 1.

    If that makes too many features, ordered columns have one each, and then the columns of most features, the nominal
    ones of most codes, keep only a one-way table.
    """
    columns = schema.columns
    if label is not None:
        column = next((c for c in columns if c.name == label), None)
        if column is None:
            raise ParameterError("label", label, "a column of the schema")
        if column.value_count < 2:
            raise ParameterError("label", f"{label} with one level", "a column with at least two levels")
    bent = SMOOTH if smooth else LINEAR
    found = [LINEAR if c.size == 2 else bent if c.is_ordered else ONE_HOT for c in columns]
    if _width(columns, found) > MOST_FEATURES:
        found = [LINEAR if encoding == SMOOTH else encoding for encoding in found]
    others = [u for u in range(len(columns)) if columns[u].name != label]
    excess = _width(columns, found) - MOST_FEATURES
    for u in sorted(others, key=lambda u: (-block_width(columns[u], found[u]), u)):
        if excess <= 0:
            break
        excess -= block_width(columns[u], found[u])
        found[u] = NONE
    return TableEncoding(schema, tuple(found), label)


def _width(columns: Sequence[Column], encodings: Sequence[str]) -> int:
    """How many features there are."""
    return sum(block_width(c, e) for c, e in zip(columns, encodings, strict=True) if e != NONE)


def cross_sums(records: Records, encoding: TableEncoding) -> CrossSums:
    """One pass over records, given as codes of the schema: an array, batches, or a source."""
    from release.one_thread import one_thread

    source = as_source(records, encoding.schema.domain)
    sizes = encoding.schema.domain.sizes
    counts = [np.zeros(size, dtype=np.int64) for size in sizes]
    total = np.zeros((encoding.size, encoding.size), dtype=object)
    # Products are at most 4^bits in size, so this many of them add up to at most 2^53: doubles are exact.
    most_rows = min(2 ** (_EXACT_BITS - 2 * BITS), max(1, _BLOCK_BYTES // (8 * max(1, encoding.size))))
    with one_thread():
        for batch in source.batches():
            for u, size in enumerate(sizes):
                counts[u] += np.bincount(batch[:, u], minlength=size)
            for start in range(0, len(batch) if encoding.size else 0, most_rows):
                values = encoding.features(batch[start : start + most_rows])
                total += (values.T @ values).astype(np.int64).astype(object)
    return CrossSums(
        n=source.n,
        one_way=tuple(int(value) for table in counts for value in table),
        cross=tuple(total[encoding.pairs].tolist()),
    )


def split_one_way(values: Sequence[int], schema: Schema) -> tuple[tuple[int, ...], ...]:
    """A row of counts as one table for each column."""
    found, start = [], 0
    for size in schema.domain.sizes:
        found.append(tuple(values[start : start + size]))
        start += size
    return tuple(found)


def noise_of_a_moment(schema: Schema, *, size: int, mu_squared: Fraction) -> float:
    """About the deviation of a mean cross moment without a label; a public number, for rules of thumb."""
    return float(len(schema.columns) / (size * (0.7 * float(mu_squared)) ** 0.5))


def _check(found: TableEncoding) -> None:
    columns = found.schema.columns
    if len(found.encodings) != len(columns):
        raise ParameterError("encodings", f"{len(found.encodings)} of them", f"{len(columns)}, one per column")
    for column, encoding in zip(columns, found.encodings, strict=True):
        if encoding not in ENCODINGS:
            raise ParameterError("encodings", f"{encoding} for {column.name}", " or ".join(ENCODINGS))
        if column.name == found.label and encoding == NONE:
            raise ParameterError("label", found.label, "a column with features")
    if found.label is not None and found.label not in found.schema.names:
        raise ParameterError("label", found.label, "a column of the schema")
    if found.size > MOST_FEATURES:
        raise ParameterError("features", found.size, f"at most {MOST_FEATURES}", "every pair of them is measured")
