"""The schema of the schema of a table: its columns, of every kind, and how their cells are read; and of its draft."""

from __future__ import annotations

from release.data import schema as table_schema
from release.data.column_reading import MOST_LABEL_CHARACTERS, MOST_SPELLINGS
from release.data.columns import BINS, CLIP, EDGES, GRID, REFUSE
from release.data.dates import BY
from release.data.domain import MOST_CODES
from release.data.proposals import KINDS
from synthbounds.schemas.parts import (
    COUNT,
    NUMBER,
    TEXT,
    Field,
    Fields,
    Schema,
    choice,
    const,
    either,
    many,
    matching,
    maybe,
    obj,
    output,
    part,
    text,
    whole,
)

LABEL = part("label", text(1, MOST_LABEL_CHARACTERS), "The name of a column, or one of its values.")
MAYBE_EMPTY = text(0, MOST_LABEL_CHARACTERS)
_SPELLINGS = {**many(MAYBE_EMPTY, 1, MOST_SPELLINGS), "uniqueItems": True}
_MISSING: Fields = {
    "missing": (
        either({"type": "boolean"}, _SPELLINGS),
        "whether cells may be missing; a list says how they are spelled",
    )
}
_OUTSIDE: Fields = {"outside": (choice((REFUSE, CLIP)), "what happens to a value outside; refused if left out")}
_BINNED: Fields = {**_OUTSIDE, **_MISSING, "whole": ({"type": "boolean"}, "only whole numbers occur")}
_SIZE = whole(2, MOST_CODES)
_RANGE: Field = (many(NUMBER, 2, 2), "both ends")
_DAY = matching(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
COLUMN = part(
    "column",
    either(
        obj(
            {"name": LABEL, "levels": {**many(LABEL, 1, MOST_CODES), "uniqueItems": True}},
            {"ordered": ({"type": "boolean"}, "whether the levels increase; by rule if left out"), **_MISSING},
        ),
        obj({"name": LABEL, "range": _RANGE, BINS: (_SIZE, "cells of equal width")}, _BINNED),
        obj({"name": LABEL, EDGES: (many(NUMBER, 2, MOST_CODES + 1), "of the cells, increasing")}, _BINNED),
        obj(
            {"name": LABEL, "range": _RANGE, GRID: (_SIZE, "equidistant points, from end to end")},
            {**_OUTSIDE, **_MISSING, "whole": const(False)},
        ),
        obj(
            {
                "name": LABEL,
                "date": (LABEL, "the format of its texts, in directives such as %Y"),
                "first": (_DAY, "of the span"),
                "last": (_DAY, "of the span"),
                "by": (choice(BY), "what the bins are"),
            },
            {**_OUTSIDE, **_MISSING},
        ),
    ),
    "A column with its possible values: levels, numbers of a range in cells, or dates in bins of the calendar.",
)
_SPACES: Field = (
    choice((table_schema.COUNT, table_schema.STRIP)),
    "whether spaces around cells and names count, as they do by default, or are stripped",
)
TABLE_SCHEMA = part(
    "table_schema",
    obj(
        {
            "synthbounds_schema": const(table_schema.VERSION),
            "source": (
                choice((table_schema.PUBLIC, table_schema.DATA_DEPENDENT)),
                "a release needs public knowledge",
            ),
            "columns": many(COLUMN, 1, table_schema.MOST_COLUMNS),
        },
        {
            "note": TEXT,
            "missing_values": (
                _SPELLINGS,
                "how missing cells are spelled unless a column says otherwise; default: empty",
            ),
            "spaces": _SPACES,
            "ignored": (many(TEXT, 0, table_schema.MOST_COLUMNS), "columns of tables that are left out"),
        },
    ),
    "The columns of a table, in the order of the codes.",
)
_DRAFTED = obj(
    {
        "name": TEXT,
        "kind": choice(KINDS),
        "missing": (COUNT, "cells"),
        "proposed": (maybe(COLUMN), "null if the column is left out"),
        "why": TEXT,
    }
)
_DRAFT: Fields = {
    "written": (maybe(TEXT), "the file of the schema"),
    "rows": (COUNT, "looked at"),
    "doubtful_names": (many(TEXT), "names of columns that look like cells: the table may have no header"),
    "columns": (many(_DRAFTED, 1), "all of the table"),
    "missing_values": _SPELLINGS,
    "spaces": _SPACES,
    "ignored": many(TEXT),
}
DRAFTS: dict[str, tuple[str, str, Schema]] = {
    "output-schema": (
        "schema",
        "All columns of a table, printed if the schema goes into a file; without one, the schema is printed.",
        output("schema", _DRAFT),
    )
}
