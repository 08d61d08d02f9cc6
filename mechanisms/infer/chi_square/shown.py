"""What a release shows of two columns, or of one: counts with the least noise, and how much noise they have.

A column is shown by every table that has it: adding up a table's other column gives its margin again, with noise of
that table alone. Margins of all tables are weighted by their precision, which public numbers decide; what two columns
have together comes from their own table. Noise of the margins and of the rest is independent. Proof:
docs/proofs/synthbounds.noisy-chi-square.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable, UsageError
from mechanisms.infer.chi_square.cell_noise import CellNoise, noise_of
from release.data.schema import Schema
from release.marginals.file import Marginals, MarginalTable

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

_MOST_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Margin:
    """A table that shows a column: so many of its cells add up to a count, each with this noise."""

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
    """The number of records, or a public number that is at most that."""
    size_is_public: bool
    margins: tuple[Margin, ...]

    @property
    def variance(self) -> float:
        """Of the noise of a contrast of the combined counts whose coefficients have squares that add up to 1."""
        return 1 / sum(1 / margin.variance for margin in self.margins)

    def combined(self, vectors: Sequence[Floats]) -> Floats:
        """The counts of all its tables, each brought to the known total, weighted by their precision."""
        weights = [self.variance / margin.variance for margin in self.margins]
        parts = [w * centred(vector, self.size, axes=1) for w, vector in zip(weights, vectors, strict=True)]
        found: Floats = np.sum(parts, axis=0)
        return found


@dataclass(frozen=True, kw_only=True)
class ShownPair:
    """The table of two columns, and what all tables show of either; its own margin comes first in each."""

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
    def degrees(self) -> int:
        return (self.levels[0] - 1) * (self.levels[1] - 1)

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
    """Counts with the known total: what is too much is spread evenly over the last axes."""
    last = tuple(range(-axes, 0))
    cells = np.prod(counts.shape[-axes:])
    found: Floats = counts + (total - counts.sum(axis=last, keepdims=True)) / cells
    return found


def shown_pair(release: Marginals, names: Sequence[str]) -> tuple[ShownPair, Floats]:
    """The two columns in the order in which they are named, and their combined table."""
    schema = release.schema
    pair = _two_places(schema, names)
    tables = [table for table in release.tables if set(table.columns) == set(pair)]
    if not tables:
        raise NotApplicable(_no_table(release, names))
    # a copy that was made elsewhere is one more table that shows either column
    own = min(tables, key=lambda table: noise_of(release, table).variance)
    sizes = schema.domain.sizes
    others = [table for table in release.tables if table is not own]
    first, second = (_others(release, place, others) for place in pair)
    shown = _pair(
        schema,
        pair,
        cell=noise_of(release, own),
        rows=[margin for margin, _ in first],
        columns=[margin for margin, _ in second],
        size=release.size,
        size_is_public=release.n_is_public,
    )
    cells = _counts(release, own).reshape([sizes[place] for place in own.columns])
    cells = cells if own.columns == pair else cells.T
    return shown, shown.combined(cells, [v for _, v in first], [v for _, v in second])


def shown_column(release: Marginals, name: str) -> tuple[ShownColumn, Floats]:
    """One column, and its combined counts."""
    place = _place(release.schema, name)
    found = _others(release, place, release.tables)
    if not found:
        raise NotApplicable(f"fit: no table of the release shows {name[:60]} with a law of its noise")
    shown = ShownColumn(
        name=name,
        levels=release.schema.domain.sizes[place],
        size=release.size,
        size_is_public=release.n_is_public,
        margins=tuple(margin for margin, _ in found),
    )
    _require_levels(shown)
    return shown, shown.combined([vector for _, vector in found])


def planned_pair(
    schema: Schema,
    names: Sequence[str],
    sets: Sequence[tuple[int, ...]],
    *,
    noise: CellNoise,
    size: int,
    size_is_public: bool,
) -> ShownPair:
    """What a release of these tables will show of the two columns."""
    pair = _two_places(schema, names)
    own = tuple(sorted(pair))
    if own not in sets:
        raise NotApplicable(f"chi2: {names[0]}:{names[1]} is not among the tables that are planned")
    sizes = schema.domain.sizes

    def others(place: int) -> list[Margin]:
        return [
            Margin(cells=int(np.prod([sizes[p] for p in places if p != place])), noise=noise)
            for places in sets
            if place in places and places != own
        ]

    return _pair(
        schema,
        pair,
        cell=noise,
        rows=others(pair[0]),
        columns=others(pair[1]),
        size=size,
        size_is_public=size_is_public,
    )


def _pair(
    schema: Schema,
    pair: tuple[int, int],
    *,
    cell: CellNoise,
    rows: Sequence[Margin],
    columns: Sequence[Margin],
    size: int,
    size_is_public: bool,
) -> ShownPair:
    sizes = schema.domain.sizes

    def column(place: int, other: int, margins: Sequence[Margin]) -> ShownColumn:
        found = ShownColumn(
            name=schema.names[place],
            levels=sizes[place],
            size=size,
            size_is_public=size_is_public,
            margins=(Margin(cells=sizes[other], noise=cell), *margins),
        )
        _require_levels(found)
        return found

    return ShownPair(cell=cell, rows=column(*pair, rows), columns=column(*pair[::-1], columns))


def _require_levels(column: ShownColumn) -> None:
    if column.levels < 2:
        raise NotApplicable(f"column {column.name[:60]}: has one value, so there is nothing to test")


def _others(release: Marginals, place: int, tables: Sequence[MarginalTable]) -> list[tuple[Margin, Floats]]:
    """The margins of a column in these tables; those without a law of their noise have no weight."""
    sizes, found = release.schema.domain.sizes, []
    for table in tables:
        noise = _law(release, table)
        if place not in table.columns or noise is None:
            continue
        counts = _counts(release, table).reshape([sizes[p] for p in table.columns])
        if len(table.columns) == 2:
            counts = counts.sum(axis=1 - table.columns.index(place))
        cells = int(np.prod([sizes[p] for p in table.columns if p != place]))
        found.append((Margin(cells=cells, noise=noise), counts))
    return found


def _law(release: Marginals, table: MarginalTable) -> CellNoise | None:
    try:
        return noise_of(release, table)
    except NotApplicable:
        return None


def _counts(release: Marginals, table: MarginalTable) -> Floats:
    """In records of a table of the release's size."""
    return np.array([float(cell * release.size) for cell in table.cells])


def _place(schema: Schema, name: str) -> int:
    if name not in schema.names:
        named = ", ".join(schema.names[:_MOST_NAMED]) + (", ..." if len(schema.names) > _MOST_NAMED else "")
        raise UsageError(f"{name[:60]} is not a column of the release: it has {named}")
    return schema.names.index(name)


def _two_places(schema: Schema, names: Sequence[str]) -> tuple[int, int]:
    if len(names) != 2:
        raise UsageError("chi2: must be two columns, A:B")
    first, second = (_place(schema, name) for name in names)
    if first == second:
        raise UsageError(f"chi2: {names[0][:60]} is given twice; two different columns are compared")
    return first, second


def _no_table(release: Marginals, names: Sequence[str]) -> str:
    pairs = [t.columns for t in release.tables if len(t.columns) == 2]
    known = [f"{release.schema.names[a]}:{release.schema.names[b]}" for a, b in pairs]
    listed = ", ".join(known[:_MOST_NAMED]) + (", ..." if len(known) > _MOST_NAMED else "")
    return (
        f"no table of the release shows {names[0][:60]} with {names[1][:60]}; pairs that it shows: {listed or 'none'}"
    )
