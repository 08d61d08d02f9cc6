"""The columns of a table with what a draft of its schema proposes, as a document and as JSON."""

from __future__ import annotations

from typing import Any

from release.data.columns import Column, LevelColumn, NumberColumn
from release.data.dates import DateColumn
from release.data.decimals import exact_decimal
from release.data.schema import STRIP
from release.data.template import HEADER_DOUBT, Draft, DraftedColumn
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Table, Title

_LEVELS_WIDTH = 40
_LEFT_OUT = "left out"


def draft_document(draft: Draft, written_to: str | None) -> Document:
    """How many columns are kept, then all of them, then how to go on."""
    kept = len(draft.schema.columns)
    rows = tuple(
        (_name(drafted), drafted.kind, _missing(drafted, draft.rows), _proposed(drafted.column), drafted.why)
        for drafted in draft.columns
    )
    blocks: list[Block] = [
        Title("Draft of a schema", "made from the data: correct it by what is publicly known"),
        Answer(
            (
                (
                    "columns",
                    f"{kept:,} of {len(draft.columns):,}",
                    "kept; the others are left out, for the reason given",
                ),
                ("rows", f"{draft.rows:,}", "read"),
            )
        ),
        Table("Columns", ("column", "kind", "missing", "proposed", "because"), rows, right=frozenset({2})),
        Facts(_facts(draft, written_to)),
    ]
    if written_to is None:
        return (*blocks, Code(("synthbounds schema TABLE --output FILE.schema.json",), "sh"))
    return tuple(blocks)


def draft_payload(draft: Draft, written_to: str | None) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "written": written_to,
        "rows": draft.rows,
        "doubtful_names": list(draft.doubtful_names),
        "columns": [
            {
                "name": drafted.name,
                "kind": drafted.kind,
                "missing": drafted.missing,
                "proposed": None if drafted.column is None else drafted.column.to_json(draft.schema.missing_values),
                "why": drafted.why,
            }
            for drafted in draft.columns
        ],
        "missing_values": list(draft.schema.missing_values),
        "spaces": draft.schema.spaces,
        "ignored": list(draft.schema.ignored),
    }


def _name(drafted: DraftedColumn) -> str:
    return _line(drafted.name) or "(no name)"


def _line(text: str) -> str:
    """On one line, and not too long."""
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= _LEVELS_WIDTH else f"{text[:_LEVELS_WIDTH]}..."


def _missing(drafted: DraftedColumn, rows: int) -> str:
    if drafted.missing == 0:
        return "none"
    tenths = (2000 * drafted.missing + rows) // (2 * rows)
    return "below 0.1 %" if tenths == 0 else f"{tenths // 10}.{tenths % 10} %"


def _proposed(column: Column | None) -> str:
    if column is None:
        return _LEFT_OUT
    if isinstance(column, LevelColumn):
        said = f"{len(column.levels)} levels: {_line(', '.join(column.levels))}"
    elif isinstance(column, NumberColumn):
        ends = [exact_decimal(end, most_digits=100) for end in (column.lo, column.hi)]
        said = f"{ends[0]} to {ends[1]} in {column.cells} bins" + (", whole" if column.whole else "")
    else:
        assert isinstance(column, DateColumn)
        said = f"{column.format.text}, {column.first} to {column.last} by {column.by}"
    return said + (f"; missing: {_spelled(column.missing)}" if column.missing else "")


def _spelled(spellings: tuple[str, ...]) -> str:
    return ", ".join(text or "empty" for text in spellings)


def _facts(draft: Draft, written_to: str | None) -> tuple[tuple[str, str], ...]:
    schema = draft.schema
    rows = []
    if draft.doubtful_names:
        rows.append(("Header", f"{HEADER_DOUBT} ({_line(', '.join(n or '(no name)' for n in draft.doubtful_names))})"))
    rows.append(
        ("Spaces", "around cells do not count" if schema.spaces == STRIP else "around cells count; none were seen")
    )
    if written_to is not None:
        rows.append(("Written", written_to))
    rows.append(
        ("For", "as it is only --mode simulate; a release needs a public source for every list, range and span")
    )
    return tuple(rows)
