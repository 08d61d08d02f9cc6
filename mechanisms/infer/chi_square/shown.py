"""What a release shows of two columns, or of one: the counts with the least noise, and how much noise they have.

Every table that has a column shows it: summing over the table's other column gives its margin, with that table's noise.
The margins of all tables are averaged with weights by precision, which public numbers decide; the interaction of two
columns comes from their own table. The noise of the margins and of the interaction is uncorrelated, and independent if
it is Gaussian. Proof: docs/proofs/synthbounds.noisy-chi-square.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.infer.chi_square.answers import Shape
from mechanisms.infer.chi_square.cell_noise import CellNoise
from release.data.schema import Schema

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

_DROWNED = 2


@dataclass(frozen=True, kw_only=True)
class Margin:
    """A table that shows a column: this many of its cells add up to a count, each with this noise."""

    cells: int
    noise: CellNoise

    @property
    def variance(self) -> float:
        return self.cells * self.noise.variance


@dataclass(frozen=True, kw_only=True)
class ShownColumn:
    """The tables that show one column."""

    name: str
    levels: int
    size: int
    """The number of records, or a public lower bound on it."""
    size_is_public: bool
    margins: tuple[Margin, ...]

    @property
    def law_is_known(self) -> bool:
        """Whether shares fix the distribution of the counts completely."""
        return self.size_is_public and all(margin.noise.is_whole for margin in self.margins)

    @property
    def degrees(self) -> int:
        """Degrees of freedom of a fit."""
        return self.levels - 1

    @property
    def count_deviation(self) -> float:
        """Deviation of the noise of one combined count; knowing the total takes 1/levels of its variance away."""
        return sqrt(self.variance * (1 - 1 / self.levels))

    @property
    def shape(self) -> Shape:
        return Shape(
            columns=(self.name,),
            levels=(self.levels,),
            size=self.size,
            size_is_public=self.size_is_public,
            cell_deviation=None,
            margin_deviations=(self.count_deviation,),
            tables=(len(self.margins),),
        )

    def drowned(self, schema: Schema, counts: Floats) -> tuple[str, ...]:
        """The values whose combined count is less than twice the deviation of its noise, as COLUMN=VALUE."""
        texts = schema.columns[schema.names.index(self.name)].texts
        small = (counts < _DROWNED * self.count_deviation).tolist()
        return tuple(f"{self.name}={text}" for text, is_small in zip(texts, small, strict=True) if is_small)

    @property
    def variance(self) -> float:
        """Variance of the noise in a contrast of the combined counts whose squared coefficients add up to 1."""
        return 1 / sum(1 / margin.variance for margin in self.margins)

    def combined(self, vectors: Sequence[Floats]) -> Floats:
        """The counts of all its tables, each adjusted to the known total, weighted by precision."""
        weights = [self.variance / margin.variance for margin in self.margins]
        parts = [w * centred(vector, self.size, axes=1) for w, vector in zip(weights, vectors, strict=True)]
        found: Floats = np.sum(parts, axis=0)
        return found


@dataclass(frozen=True, kw_only=True)
class ShownPair:
    """The table of two columns, and what all tables show of either column; its own margin comes first in each."""

    cell: CellNoise
    rows: ShownColumn
    columns: ShownColumn

    @property
    def names(self) -> tuple[str, str]:
        return self.rows.name, self.columns.name

    @property
    def levels(self) -> tuple[int, int]:
        return self.rows.levels, self.columns.levels

    @property
    def size(self) -> int:
        return self.rows.size

    @property
    def size_is_public(self) -> bool:
        return self.rows.size_is_public

    @property
    def law_is_known(self) -> bool:
        return self.rows.law_is_known and self.columns.law_is_known

    @property
    def degrees(self) -> int:
        """Degrees of freedom of independence."""
        return (self.levels[0] - 1) * (self.levels[1] - 1)

    @property
    def noise_is_nearly_normal(self) -> bool:
        return all(margin.noise.is_nearly_normal for margin in (*self.rows.margins, *self.columns.margins))

    @property
    def shape(self) -> Shape:
        both = self.rows, self.columns
        return Shape(
            columns=self.names,
            levels=self.levels,
            size=self.size,
            size_is_public=self.size_is_public,
            cell_deviation=self.cell.deviation,
            margin_deviations=tuple(column.count_deviation for column in both),
            tables=tuple(len(column.margins) for column in both),
        )

    def drowned(self, schema: Schema, counts: Floats) -> tuple[str, ...]:
        """The values of either column."""
        return (*self.rows.drowned(schema, counts.sum(1)), *self.columns.drowned(schema, counts.sum(0)))

    def combined(self, cells: Floats, rows: Sequence[Floats], columns: Sequence[Floats]) -> Floats:
        """The table with its own interaction and the combined margins; the last two axes are its own."""
        cells = centred(cells, self.size, axes=2)
        own_rows, own_columns = cells.sum(-1), cells.sum(-2)
        more_rows = self.rows.combined([own_rows, *rows]) - own_rows
        more_columns = self.columns.combined([own_columns, *columns]) - own_columns
        r, c = self.levels
        found: Floats = cells + more_rows[..., :, None] / c + more_columns[..., None, :] / r
        return found


def centred(counts: Floats, total: float, *, axes: int) -> Floats:
    """Counts adjusted to the known total: the excess is spread evenly over the last axes."""
    last = tuple(range(-axes, 0))
    cells = np.prod(counts.shape[-axes:])
    found: Floats = counts + (total - counts.sum(axis=last, keepdims=True)) / cells
    return found
