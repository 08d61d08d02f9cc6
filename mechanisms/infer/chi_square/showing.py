"""Which tables of a release show two columns, or one, and what to say if none does; the same for a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable, UsageError
from mechanisms.infer.chi_square.cell_noise import CellNoise
from mechanisms.infer.chi_square.shown import Margin, ShownColumn, ShownPair
from mechanisms.infer.chi_square.tables import NoisyTable, NoisyTables
from release.data.schema import Schema

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

_MOST_NAMED = 5
_NO_LAW = "no distribution of independent noise is stated for its cells; a test needs one, a bound is not enough"


def shown_pair(release: NoisyTables, names: Sequence[str], *, what: str = "chi2") -> tuple[ShownPair, Floats]:
    """The two columns in the order given, and their combined table; `what` is the option that names them."""
    schema = release.schema
    pair = _two_places(schema, names, what)
    tables = [table for table in release.tables if set(table.columns) == set(pair)]
    if not tables:
        raise NotApplicable(f"{what}: {_no_table(release, pair)}")
    # a second copy of their table is one more table that shows either column
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
        raise NotApplicable(f"fit: {_no_table_of(release, place)}")
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
        raise NotApplicable(f"chi2: {names[0]}:{names[1]} is not among the planned tables")
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
    """The margins of a column in these tables; those whose noise has no stated distribution have no weight."""
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
        raise UsageError(f"column = {name[:60]}: is not a column of the release, which has {named}")
    return schema.names.index(name)


def read_pair(text: str | Sequence[str], schema: Schema) -> tuple[str, str]:
    """The two columns of A:B; names may contain colons, so it is cut at the one colon with a column on either side."""
    if not isinstance(text, str):
        if not isinstance(text, Sequence) or not all(isinstance(name, str) for name in text):
            raise UsageError("chi2: must be two columns, A:B")
        _two_places(schema, text, "chi2")
        return text[0], text[1]
    cuts = [(text[:i], text[i + 1 :]) for i, letter in enumerate(text) if letter == ":"]
    known = [cut for cut in cuts if set(cut) <= set(schema.names)]
    if len(known) > 1:
        raise UsageError(f"chi2 = {text[:60]}: can be read in {len(known)} ways, because column names have colons")
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
            f"the log chose to show {asked} by looking at the records, so the level of a test is not known; "
            "release marginals of this pair"
        )
    return f"no table of the release shows {asked}; pairs that it shows: {_listed(release, least=2)}"


def _no_table_of(release: NoisyTables, place: int) -> str:
    name, showing = release.schema.names[place][:60], [one for one in release.tables if place in one.columns]
    if not showing and any(place in columns for columns in release.chosen):
        return (
            f"the log chose to show {name} by looking at the records, so the level of a test is not known; "
            "release marginals of this column"
        )
    if not showing:
        return f"no table of the release shows {name}; tables that it has: {_listed(release, least=1)}"
    if any(table.noise is not None for table in showing):
        return f"tables of {name} show merged values only"
    return f"table {_named(release.schema, showing[0].columns)}: {_NO_LAW}"


def _listed(release: NoisyTables, *, least: int) -> str:
    """The tables of this many columns and more."""
    known = [_named(release.schema, one.columns, by=":") for one in release.tables if len(one.columns) >= least]
    return (", ".join(known[:_MOST_NAMED]) + (", ..." if len(known) > _MOST_NAMED else "")) or "none"


def _named(schema: Schema, places: Sequence[int], by: str = " x ") -> str:
    return by.join(schema.names[place][:60] for place in places)
