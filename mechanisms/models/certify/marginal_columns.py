"""Features of single columns as exact matrices, and the tables of a release sorted by the columns that they show.

For every column: its features by code, their means over the codes, the centred features, and their Gram matrix. The
label counts as a column with one feature, from -1 to 1. All numbers are exact rationals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

from flint import fmpq, fmpq_mat, fmpz_mat

from bounds.errors import UsageError
from release.marginals.file import Marginals, MarginalTable
from release.statistics.features import FeatureMap

Table = TypeVar("Table")
"""The representation of a noisy table."""


@dataclass(frozen=True)
class ColumnFeatures:
    """Features of one column: a row for each, with a column per code. `start` is the place of the first among all."""

    place: int
    start: int
    by_code: fmpq_mat

    @property
    def count(self) -> int:
        return int(self.by_code.nrows())

    @property
    def codes(self) -> int:
        return int(self.by_code.ncols())

    @property
    def places(self) -> range:
        """The places of the features among all."""
        return range(self.start, self.start + self.count)

    @cached_property
    def means(self) -> fmpq_mat:
        """The mean of every feature over the codes, each code counting once: a column vector."""
        return self.by_code * ones(self.codes) / fmpq(self.codes)

    @cached_property
    def centred(self) -> fmpq_mat:
        return self.by_code - self.means * ones(self.codes).transpose()

    @cached_property
    def gram(self) -> fmpq_mat:
        """Inner products of the centred features."""
        return self.centred * self.centred.transpose()

    @cached_property
    def is_indicator(self) -> bool:
        """Whether every feature is 0 at all codes but one of its own."""
        square = self.count == self.codes
        return square and all(bool(x) == (i == a) for i, row in enumerate(self.values) for a, x in enumerate(row))

    @cached_property
    def values(self) -> tuple[tuple[Fraction, ...], ...]:
        return tuple(tuple(as_plain(self.by_code[i, a]) for a in range(self.codes)) for i in range(self.count))

    @cached_property
    def ends(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The least and the largest value of every feature."""
        return tuple((min(values), max(values)) for values in self.values)

    @cached_property
    def weights(self) -> tuple[Fraction, ...]:
        """The sum of the absolute values of every feature over the codes."""
        return tuple(sum(map(abs, values), Fraction(0)) for values in self.values)

    @cached_property
    def spreads(self) -> tuple[tuple[Fraction, Fraction, Fraction], ...]:
        """For every feature its mean, and the sum and the squared sum of its distances from the mean."""
        found = []
        for values in self.values:
            mean = sum(values, Fraction(0)) / len(values)
            rest = [abs(value - mean) for value in values]
            found.append((mean, sum(rest, Fraction(0)), sum((r * r for r in rest), Fraction(0))))
        return tuple(found)


@dataclass(frozen=True)
class Layout(Generic[Table]):
    """All columns of a feature map, the intercept's place (`last`), and the tables that show each column and pair."""

    columns: tuple[ColumnFeatures, ...]
    """The columns that give features."""
    label: ColumnFeatures
    last: int
    ones: dict[int, tuple[Table, ...]]
    """For every place in the schema, all tables with that column, alone or in a pair."""
    pairs: dict[tuple[int, int], tuple[Table, ...]]

    @property
    def size(self) -> int:
        return self.last + 1


def lay_out(marginals: Marginals, feature_map: FeatureMap) -> Layout[MarginalTable]:
    """The layout; both must be about the same columns."""
    if feature_map.schema.columns != marginals.schema.columns:
        raise UsageError("feature_map: its schema has other columns than the release")
    holding: dict[int, list[MarginalTable]] = {}
    paired: dict[tuple[int, int], list[MarginalTable]] = {}
    for table in marginals.tables:
        for column in table.columns:
            holding.setdefault(column, []).append(table)
        if len(table.columns) == 2:
            paired.setdefault((table.columns[0], table.columns[1]), []).append(table)
    columns, label = columns_of(feature_map)
    return Layout(
        columns=columns,
        label=label,
        last=label.start - 1,
        ones={key: tuple(found) for key, found in holding.items()},
        pairs={key: tuple(found) for key, found in paired.items()},
    )


def columns_of(feature_map: FeatureMap) -> tuple[tuple[ColumnFeatures, ...], ColumnFeatures]:
    """The columns that give features, and the label as a column, placed after the intercept."""
    one = fmpq(1, feature_map.one)
    columns, start = [], 0
    for place, block in zip(feature_map.places, feature_map.blocks, strict=True):
        by_code = fmpq_mat(fmpz_mat([list(row) for row in block])).transpose() * one
        columns.append(ColumnFeatures(place, start, by_code))
        start += len(block[0])
    place = feature_map.schema.names.index(feature_map.label)
    values = fmpq_mat(fmpz_mat([list(feature_map.label_values)])) / fmpq(feature_map.label_one)
    return tuple(columns), ColumnFeatures(place, start + 1, values)


def pair_key(a: ColumnFeatures, b: ColumnFeatures) -> tuple[int, int]:
    return (min(a.place, b.place), max(a.place, b.place))


def table_matrix(table: MarginalTable, rows: int) -> fmpq_mat:
    """A pair's table as an exact matrix with that many rows."""
    columns = len(table.counts) // rows
    whole = fmpz_mat(rows, columns, list(table.counts))
    return fmpq_mat(whole) / fmpq(table.denominator)


def one_way_of(table: MarginalTable, column: ColumnFeatures) -> tuple[fmpq_mat, int]:
    """The column's noisy shares in this table, a column vector, and how many cells are summed in each."""
    if len(table.columns) == 1:
        return table_matrix(table, column.codes), 1
    first = table.columns[0] == column.place
    other = len(table.counts) // column.codes
    matrix = table_matrix(table, column.codes) if first else table_matrix(table, other).transpose()
    return matrix * ones(other), other


def ones(size: int) -> fmpq_mat:
    return fmpq_mat(size, 1, [1] * size)


def as_plain(number: fmpq) -> Fraction:
    return Fraction(int(number.numer()), int(number.denom()))
