"""A first draft of a schema, from the values of a table: to be checked against public knowledge before any release.

The draft looks at the data, so it is marked as data-dependent, and a release refuses it. It saves typing: names,
levels, ranges and spans are there, and a person who knows the possible values corrects them. Every column gets a
proposal with its reason, all at once; columns that no schema can describe, or that should not be published, are left
out and reported.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bounds.errors import DataError
from bounds.exact import parse_integer, require_range
from bounds.shown import Shown
from release.data.column_reading import BLANKS
from release.data.columns import MISSING_VALUES, Column
from release.data.domain import MOST_CODES
from release.data.proposals import UNKNOWN, Choices, propose
from release.data.rows import Rows
from release.data.schema import COUNT, DATA_DEPENDENT, DRAFTED, MOST_COLUMNS, STRIP, Schema, parse_schema
from release.data.seen import Seen, is_a_value
from release.data.tables import Table, shown

NOTE = (
    f"{DRAFTED}. It reveals them: replace every list of levels, every range and every span by what is publicly known "
    'to be possible, say here where that is known from, then set "source" to "public". A release refuses a '
    "data-dependent schema, and this note."
)
HEADER_DOUBT = "the first row may not be a header: names of columns are published as they are"
_MOST_KEPT = 2_000_000
"""Distinct texts that are remembered, over all columns."""
_LEAST_KEPT = 1000
_MOST_NAMED = 5


@dataclass(frozen=True)
class DraftedColumn:
    """What a draft proposes for one column of the table, and why."""

    name: str
    kind: str
    column: Column | None
    """None if the column is left out."""
    missing: int
    """How many of its cells are missing."""
    why: str
    may_be_a_cell: bool = False
    """Whether its name looks like a value: the table may have no header."""


@dataclass(frozen=True)
class Draft(Shown):
    """A schema that was made from a table, and a line for every column of that table."""

    schema: Schema
    columns: tuple[DraftedColumn, ...]
    rows: int

    @property
    def doubtful_names(self) -> tuple[str, ...]:
        """Names that may be cells of a first row that is not a header."""
        return tuple(drafted.name for drafted in self.columns if drafted.may_be_a_cell)


def template_from_table(path: str | Path | Rows, *, bins: object = 10, most_levels: object = 20) -> Schema:
    """The schema of `draft_of_table`."""
    return draft_of_table(path, bins=bins, most_levels=most_levels).schema


def draft_of_table(path: str | Path | Rows, *, bins: object = 10, most_levels: object = 20) -> Draft:
    """A draft: columns with few distinct values become levels, numbers a range with bins, dates a span."""
    bin_count, most = parse_integer(bins, "bins"), parse_integer(most_levels, "most-levels")
    require_range("bins", bin_count, bins, least=2, most=MOST_CODES)
    require_range("most-levels", most, most_levels, least=2, most=MOST_CODES)
    table = _open(path)
    seen = _look(table, most)
    strips = table.strips or any(s.has_blanks for s in seen.values())
    choices = Choices(bin_count, most, _shared_spellings(seen), strips)
    columns = tuple(_drafted(table, place, seen, choices) for place in range(len(table.header)))
    rows = max((found.rows for found in seen.values()), default=0)
    return Draft(_schema(table, columns, choices), columns, rows)


def _open(path: str | Path | Rows) -> Table:
    table = Table(path)
    if any(name != name.strip(BLANKS) for name in table.header):
        table = Table(table.rows, strips=True)
    table.require_commas()
    if len(table.header) > MOST_COLUMNS:
        raise DataError(f"{table.where}: has {len(table.header)} columns; at most {MOST_COLUMNS} are allowed")
    return table


def _look(table: Table, most_levels: int) -> dict[str, Seen]:
    """What is seen of every column with a unique name."""
    counts = Counter(table.header)
    names = [name for name in table.header if name and counts[name] == 1]
    if not names:
        raise DataError(f"{table.where}: no column has a unique name")
    kept = max(_LEAST_KEPT, most_levels, _MOST_KEPT // len(names))
    seen = {name: Seen(kept) for name in names}
    for arrays in table.batches(names):
        for name, cells in zip(names, arrays, strict=True):
            seen[name].look_at(cells)
    return seen


def _shared_spellings(seen: dict[str, Seen]) -> tuple[str, ...]:
    """How missing cells are spelled in most of the columns that have some."""
    found = Counter(spellings for s in seen.values() if (spellings := s.spellings))
    return found.most_common(1)[0][0] if found else MISSING_VALUES


def _drafted(table: Table, place: int, seen: dict[str, Seen], choices: Choices) -> DraftedColumn:
    name = table.header[place]
    if not name:
        return DraftedColumn(name, UNKNOWN, None, 0, "has no name", may_be_a_cell=True)
    if name not in seen:
        others = [i + 1 for i, other in enumerate(table.header) if other == name]
        said = ", ".join(str(i) for i in others[:_MOST_NAMED]) + (", ..." if len(others) > _MOST_NAMED else "")
        return DraftedColumn(
            name, UNKNOWN, None, 0, f"its name occurs more than once, in columns {said}", is_a_value(name)
        )
    found = seen[name]
    proposal, doubt = propose(name, found, choices), found.has(name) or is_a_value(name)
    return DraftedColumn(name, proposal.kind, proposal.column, found.missing, proposal.why, doubt)


def _schema(table: Table, columns: tuple[DraftedColumn, ...], choices: Choices) -> Schema:
    kept = tuple(drafted.column for drafted in columns if drafted.column is not None)
    if not kept:
        reasons = [f"{shown(drafted.name)} {drafted.why}" for drafted in columns[:_MOST_NAMED]]
        more = f", and {len(columns) - _MOST_NAMED} more" if len(columns) > _MOST_NAMED else ""
        raise DataError(f"{table.where}: no column is left for a schema: {'; '.join(reasons)}{more}")
    ignored = tuple(dict.fromkeys(drafted.name for drafted in columns if drafted.column is None))
    spaces = STRIP if choices.strips else COUNT
    draft = Schema(kept, DATA_DEPENDENT, NOTE, choices.missing_values, spaces, ignored)
    return parse_schema(draft.to_text(), where=f"{table.where}, as a schema")  # no draft that could not be read
