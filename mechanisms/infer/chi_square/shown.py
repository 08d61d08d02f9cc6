"""What a release shows of two columns, or of one: counts with the least noise, and how much noise they have.

A column is shown by every table that has it: adding up a table's other column gives its margin again, with noise of
that table alone. Margins of all tables are weighted by their precision, which public numbers decide; what two columns
have together comes from their own table. Noise of the margins and of the rest is uncorrelated, and independent where
it is Gaussian. Proof: docs/proofs/synthbounds.noisy-chi-square.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable, UsageError
from mechanisms.infer.chi_square.cell_noise import CellNoise
from mechanisms.infer.chi_square.tables import NoisyTable, NoisyTables
from release.data.schema import Schema

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

_MOST_NAMED = 5
_NO_LAW = "no law of independent noise is stated for its cells; a test needs one, and a bound is not enough"


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
    def law_is_known(self) -> bool:
        """Whether shares fix the law of the counts completely."""
        return self.size_is_public and all(margin.noise.is_whole for margin in self.margins)

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
    def law_is_known(self) -> bool:
        return self.rows.law_is_known and self.columns.law_is_known

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


def shown_pair(release: NoisyTables, names: Sequence[str], *, what: str = "chi2") -> tuple[ShownPair, Floats]:
    """The two columns in the order in which they are named, and their combined table; `what` asks for them."""
    schema = release.schema
    pair = _two_places(schema, names, what)
    tables = [table for table in release.tables if set(table.columns) == set(pair)]
    if not tables:
        raise NotApplicable(f"{what}: {_no_table(release, pair)}")
    # a copy that was made elsewhere is one more table that shows either column
    own = min(tables, key=lambda table: np.inf if table.noise is None else table.noise.variance)
    if own.noise is None:
        raise NotApplicable(f"{what}: table {_named(schema, own.columns)}: {_NO_LAW}")
    others = [table for table in release.tables if table is not own]
    first, second = (_others(release, place, others) for place in pair)
    cells = own.counts if own.columns == pair else own.counts.T
    if cells.shape != tuple(schema.domain.sizes[place] for place in pair):
        raise NotApplicable(f"{what}: table {_named(schema, own.columns)}: shows merged values only")
    shown = _pair(
        schema,
        pair,
        cell=own.noise,
        rows=[margin for margin, _ in first],
        columns=[margin for margin, _ in second],
        size=release.size,
        size_is_public=release.size_is_public,
    )
    return shown, shown.combined(cells, [v for _, v in first], [v for _, v in second])


def shown_column(release: NoisyTables, name: str) -> tuple[ShownColumn, Floats]:
    """One column, and its combined counts."""
    place = _place(release.schema, name)
    found = _others(release, place, release.tables)
    if not found:
        raise NotApplicable(f"fit: no table of {name[:60]}: {_NO_LAW}")
    shown = ShownColumn(
        name=name,
        levels=release.schema.domain.sizes[place],
        size=release.size,
        size_is_public=release.size_is_public,
        margins=tuple(margin for margin, _ in found),
    )
    return shown, shown.combined([vector for _, vector in found])


def planned_pair(
    schema: Schema,
    names: Sequence[str],
    sets: Sequence[tuple[int, ...]],
    *,
    noise: CellNoise | None,
    size: int,
    size_is_public: bool,
) -> ShownPair:
    """What a release of these tables will show of the two columns."""
    if noise is None:
        raise NotApplicable(
            "mechanism: cells of linf noise are not independent; a test needs gaussian (with a dp-delta) or laplace"
        )
    pair = _two_places(schema, names, "chi2")
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
        return ShownColumn(
            name=schema.names[place],
            levels=sizes[place],
            size=size,
            size_is_public=size_is_public,
            margins=(Margin(cells=sizes[other], noise=cell), *margins),
        )

    return ShownPair(cell=cell, rows=column(*pair, rows), columns=column(*pair[::-1], columns))


def _others(release: NoisyTables, place: int, tables: Sequence[NoisyTable]) -> list[tuple[Margin, Floats]]:
    """The margins of a column in these tables; those without a law of their noise have no weight."""
    levels, found = release.schema.domain.sizes[place], []
    for table in tables:
        if place not in table.columns or table.noise is None:
            continue
        axis = table.columns.index(place)
        counts = table.counts.sum(axis=tuple(other for other in range(table.counts.ndim) if other != axis))
        if len(counts) == levels:
            found.append((Margin(cells=table.counts.size // levels, noise=table.noise), counts))
    return found


def _place(schema: Schema, name: str) -> int:
    if name not in schema.names:
        named = ", ".join(schema.names[:_MOST_NAMED]) + (", ..." if len(schema.names) > _MOST_NAMED else "")
        raise UsageError(f"column = {name[:60]}: is not one of the release, which has {named}")
    return schema.names.index(name)


def read_pair(text: str, schema: Schema) -> tuple[str, str]:
    """The two columns of A:B, whose names may have colons: cut at the one colon with a column on either side."""
    cuts = [(text[:i], text[i + 1 :]) for i, letter in enumerate(text) if letter == ":"]
    known = [cut for cut in cuts if set(cut) <= set(schema.names)]
    if len(known) > 1:
        raise UsageError(f"chi2 = {text[:60]}: can be read in {len(known)} ways, because columns have colons in names")
    first, second = known[0] if known else (cuts or [(text, "")])[0]
    if not cuts:
        raise UsageError(f"chi2 = {text[:60]}: must be two columns, A:B")
    _two_places(schema, (first, second), "chi2")
    return first, second


def _two_places(schema: Schema, names: Sequence[str], what: str) -> tuple[int, int]:
    if len(names) != 2:
        raise UsageError(f"{what}: must be two columns, A:B")
    first, second = (_place(schema, name) for name in names)
    if first == second:
        raise UsageError(f"{what}: {names[0][:60]} is given twice; two different columns are compared")
    return first, second


def _no_table(release: NoisyTables, pair: tuple[int, int]) -> str:
    names = release.schema.names
    asked = f"{names[pair[0]][:60]} with {names[pair[1]][:60]}"
    if tuple(sorted(pair)) in release.chosen:
        return (
            f"the log chose to show {asked} by looking at the records, so no level of a test is known; "
            "release marginals of this pair"
        )
    known = [_named(release.schema, table.columns, by=":") for table in release.tables if len(table.columns) == 2]
    listed = ", ".join(known[:_MOST_NAMED]) + (", ..." if len(known) > _MOST_NAMED else "")
    return f"no table of the release shows {asked}; pairs that it shows: {listed or 'none'}"


def _named(schema: Schema, places: Sequence[int], by: str = " x ") -> str:
    return by.join(schema.names[place][:60] for place in places)
