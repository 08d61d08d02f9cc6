"""A release of cross moments for one label: noisy first and second moments of a linear model's features.

Products of features of two columns were measured. Products within a column, and means, are functions of its one-way
table, whose noisy counts are first made to add up to the number of records, or to the estimate of it from all tables.
This is post-processing: it reads no table and spends nothing. Proof: docs/proofs/synthbounds.cross-moments.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from bounds.certify.problem import Matrix, Vector
from bounds.errors import DataError, ParameterError, UsageError
from bounds.exact import root_at_least
from release.cross_moments.file import CrossMoments
from release.statistics.blocks import LINEAR
from release.statistics.cross_moments import BITS, TableEncoding
from release.statistics.features import FeatureMap

_DOUBTLESS = 10
"""Chance does not explain this many deviations of the noise."""


def labelled_features(encoding: TableEncoding, *, label: str | None = None, positive: str | None = None) -> FeatureMap:
    """The features of a linear model for a column of two values: those of every other column, and an intercept."""
    chosen = encoding.label if label is None else label
    if chosen is None:
        raise UsageError("label is missing: this release names none; say which column is predicted (--label)")
    names = encoding.schema.names
    if chosen not in names:
        raise ParameterError("label", chosen, "a column of the schema")
    place = names.index(chosen)
    column = encoding.schema.columns[place]
    if column.size != 2:
        raise ParameterError("label", f"{chosen} with {column.size} values", "a column with exactly two values")
    if encoding.encodings[place] != LINEAR:
        raise ParameterError("label", chosen, "a column with features", "the release has only its one-way table")
    others = tuple(code for u, code in enumerate(encoding.encodings) if u != place)
    text = column.texts[-1] if positive is None else positive
    return FeatureMap(encoding.schema, chosen, text, others, BITS)


@dataclass(frozen=True, eq=False)
class LabelledMoments:
    """The noisy moments of a feature map that a release of cross moments determines; make it with `of`."""

    release: CrossMoments
    feature_map: FeatureMap

    @classmethod
    def of(cls, release: CrossMoments, *, label: str | None = None, positive: str | None = None) -> LabelledMoments:
        """The event for the label that the release names, or for any other column of two values."""
        return cls(release, labelled_features(release.encoding, label=label, positive=positive))

    @property
    def label_place(self) -> int:
        """The place of the label in a record."""
        return self.release.schema.names.index(self.feature_map.label)

    @cached_property
    def count(self) -> Fraction:
        """The number of records: n, or under add-remove the minimum-variance estimate from all one-way tables."""
        if self.release.size_is_exact:
            return Fraction(self.release.stated_size)
        tables = self.release.one_way
        return sum((Fraction(sum(t), len(t)) for t in tables), Fraction(0)) / _inverse_sizes(self.release)

    def require_plausible_size(self) -> None:
        """Refuse a least size that the tables contradict: bounds that rest on it would be false."""
        release = self.release
        if release.size_is_exact:
            return
        deviation = release.one_way_deviation * root_at_least(1 / _inverse_sizes(release))
        most = self.count + _DOUBTLESS * deviation
        if most < release.stated_size:
            raise DataError(
                f"release: least_size = {release.stated_size}: the noisy tables say that there are at most about "
                f"{max(int(most), 0)} records; nothing can be certified from them"
            )

    @cached_property
    def tables(self) -> tuple[tuple[Fraction, ...], ...]:
        """The noisy counts of every column, shifted equally within a column so that they add up to `count`."""
        found = []
        for table in self.release.one_way:
            shift = (self.count - sum(table)) / len(table)
            found.append(tuple(value + shift for value in table))
        return tuple(found)

    @cached_property
    def first(self) -> Vector:
        """Noisy means of y f."""
        sign = 1 if self._positive_code else -1
        label, unit = self.release.encoding.starts[self.label_place], self._unit
        products = [sign * Fraction(self._sums[label][j], unit) for j in self._places]
        no, yes = self.tables[self.label_place]
        return (*products, sign * (yes - no) / self.release.size)

    @cached_property
    def second(self) -> Matrix:
        """Noisy means of f f', the whole symmetric matrix."""
        size, unit, one = self.release.size, self._unit, self.feature_map.one
        rows = [[Fraction(self._sums[i][j], unit) for j in self._places] for i in self._places]
        means: list[Fraction] = []
        start = 0
        for place, block in zip(self.feature_map.places, self.feature_map.blocks, strict=True):
            table, width = self.tables[place], len(block[0])
            for i in range(width):
                weighted = [count * row[i] for count, row in zip(table, block, strict=True)]
                means.append(sum(weighted, Fraction(0)) / (size * one))
                for j in range(i + 1):
                    within = sum((w * row[j] for w, row in zip(weighted, block, strict=True)), Fraction(0))
                    rows[start + i][start + j] = rows[start + j][start + i] = within / (size * one**2)
            start += width
        corner = self.count / size
        return (*((*row, mean) for row, mean in zip(rows, means, strict=True)), (*means, corner))

    @property
    def _positive_code(self) -> int:
        column = self.release.schema.columns[self.label_place]
        return column.texts.index(self.feature_map.require_two_values("cross moments are of labels +1 and -1"))

    @property
    def _unit(self) -> int:
        return self.release.size * self.feature_map.one**2

    @cached_property
    def _places(self) -> list[int]:
        """Places of the model's features among those of the release."""
        owners = self.release.encoding.owners
        return [i for i, owner in enumerate(owners) if owner != self.label_place]

    @cached_property
    def _sums(self) -> list[list[int]]:
        """The noisy cross sums as a symmetric matrix, 0 within a column."""
        encoding = self.release.encoding
        found = [[0] * encoding.size for _ in range(encoding.size)]
        left, right = (places.tolist() for places in encoding.pairs)
        for i, j, value in zip(left, right, self.release.cross_sums, strict=True):
            found[i][j] = found[j][i] = value
        return found


def _inverse_sizes(release: CrossMoments) -> Fraction:
    return sum((Fraction(1, size) for size in release.schema.domain.sizes), Fraction(0))
