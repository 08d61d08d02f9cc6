"""The public schema of a table: its columns and their possible values, declared without looking at data.

Every statement of a release rests on the schema, so it is read strictly: a field that is unknown, repeated, of the
wrong type or out of range is refused with its place. A missing field means the same as before that field existed.
Columns are read in release.data.column_reading, tables in release.data.tables.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bounds.errors import DataError, DeclaresTooLittle
from bounds.shown import Shown
from release.data.column_reading import BLANKS, column_of, refuse_repetition, spellings_of
from release.data.columns import GRID, MISSING_VALUES, Column, LevelColumn, NumberColumn
from release.data.domain import Domain
from release.files.strict_json import Number, is_text, parse_json, read_json_file, require_object, shown

VERSION = 1
_MAY_BE_LEFT_OUT = {"note", "missing_values", "spaces", "ignored"}
PUBLIC, DATA_DEPENDENT = "public", "data-dependent"
DRAFTED = "Draft made from the values of a table"
"""How the note of a draft begins. A release refuses it: whoever only changes the source has checked nothing."""
COUNT, STRIP = "count", "strip"
"""Whether spaces around cells and names of columns count, or are stripped."""
DRAFT_NOTE = (
    "the note is still that of a draft: check every column against public knowledge, and say in "
    '"note" where the values are publicly known from (docs/public-schema.md)'
)
MOST_COLUMNS = 10_000
MOST_ALL_CODES = 2**20
"""For all columns together except plain grids: reading a line may take as long as the number of codes it declares."""


@dataclass(frozen=True)
class Schema(Shown):
    """Columns in the order of the codes, and where the knowledge comes from."""

    columns: tuple[Column, ...]
    source: str
    note: str = ""
    missing_values: tuple[str, ...] = MISSING_VALUES
    """How missing cells are spelled if a column declares them without saying how."""
    spaces: str = COUNT
    ignored: tuple[str, ...] = ()
    """Names of columns that a table may have but that are left out."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each column, for files that name thousands of them."""
        return {name: place for place, name in enumerate(self.names)}

    @property
    def domain(self) -> Domain:
        return Domain(tuple(column.size for column in self.columns), self.names)

    @property
    def is_public(self) -> bool:
        return self.source == PUBLIC

    @property
    def has_draft_note(self) -> bool:
        return self.note.lstrip().startswith(DRAFTED)

    def require_public(self) -> None:
        """Refuse a schema that was made from data: its ranges and levels would be released without any protection."""
        if not self.is_public:
            raise DataError(
                f"schema: source is {self.source}: a release needs a schema from public knowledge; "
                f'check every column against it and set "source" to "{PUBLIC}"'
            )

    def require_releasable(self) -> None:
        """The same for a new release, which also refuses the note of a draft; releases that exist stay readable."""
        self.require_public()
        if self.has_draft_note:
            raise DataError(f"schema: {DRAFT_NOTE}")

    def to_json(self) -> dict[str, Any]:
        """The JSON object that read_schema reads back as this schema."""
        head: dict[str, Any] = {"synthbounds_schema": VERSION, "source": self.source}
        if self.note:
            head["note"] = self.note
        reading = self.reading_json()
        columns = reading.pop("columns")
        if self.ignored:
            reading["ignored"] = list(self.ignored)
        return {**head, **reading, "columns": columns}

    def reading_json(self) -> dict[str, Any]:
        """The part of that object that decides the code of a cell: the columns, and how their cells are read."""
        found: dict[str, Any] = {"columns": [column.to_json(self.missing_values) for column in self.columns]}
        if self.missing_values != MISSING_VALUES:
            found["missing_values"] = list(self.missing_values)
        if self.spaces != COUNT:
            found["spaces"] = self.spaces
        return found

    def to_text(self) -> str:
        """The file: one column per line."""
        body = self.to_json()
        columns = [json.dumps(column, ensure_ascii=False) for column in body.pop("columns")]
        head = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in body.items()]
        rows = ",\n".join(f"    {column}" for column in columns)
        return "\n".join(["{", *head, '  "columns": [', rows, "  ]", "}"]) + "\n"


def read_schema(path: str | Path) -> Schema:
    """The schema in a JSON file."""
    text, where = read_json_file(path, "schema")
    return parse_schema(text, where=where)


def parse_schema(text: str, *, where: str = "schema") -> Schema:
    """The schema in JSON text; `where` begins every error message."""
    return schema_of(parse_json(text, where), where)


def schema_of(body: object, where: str) -> Schema:
    """The schema in an object that parse_json has read."""
    fields = require_object(body, where, {"synthbounds_schema", "source", "columns"}, _MAY_BE_LEFT_OUT)
    version = fields["synthbounds_schema"]
    if not isinstance(version, Number) or version != str(VERSION):
        raise DataError(f"{where}: synthbounds_schema = {shown(version)}: must be {VERSION}")
    source = fields["source"]
    if source not in (PUBLIC, DATA_DEPENDENT):
        raise DataError(f'{where}: source = {shown(source)}: must be "{PUBLIC}" or "{DATA_DEPENDENT}"')
    note = fields.get("note", "")
    if not is_text(note):
        raise DataError(f"{where}: note = {shown(note)}: must be text")
    spaces = fields.get("spaces", COUNT)
    if spaces not in (COUNT, STRIP):
        raise DataError(f'{where}: spaces = {shown(spaces)}: must be "{COUNT}" or "{STRIP}"')
    strips = spaces == STRIP
    missing = MISSING_VALUES
    if "missing_values" in fields:
        missing = spellings_of(fields["missing_values"], f"{where}: missing_values", strips=strips)
    listed = fields["columns"]
    if listed == []:
        raise DeclaresTooLittle(f"{where}: columns must be a list of 1 to {MOST_COLUMNS} columns; it is empty")
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_COLUMNS:
        raise DataError(f"{where}: columns must be a list of 1 to {MOST_COLUMNS} columns")
    columns, codes = [], 0
    for i, item in enumerate(listed):
        columns.append(column_of(item, f"{where}: columns[{i}]", missing_values=missing, strips=strips))
        codes += 0 if _is_plain_grid(columns[-1]) else columns[-1].size
        if codes > MOST_ALL_CODES:
            raise DataError(
                f"{where}: columns[{i}]: with this column there are more than {MOST_ALL_CODES:,} codes in all columns"
            )
    ignored = _ignored(fields.get("ignored", []), f"{where}: ignored", strips=strips)
    refuse_repetition([column.name for column in columns], f"{where}: the column name")
    refuse_repetition([*ignored, *(column.name for column in columns)], f"{where}: the column name")
    return Schema(tuple(columns), str(source), note, missing, str(spaces), ignored)


def _is_plain_grid(column: Column) -> bool:
    """Whether its codes are never listed when a schema is read."""
    return isinstance(column, NumberColumn) and column.kind == GRID and not (column.missing or column.whole)


def schema_of_domain(domain: Domain) -> Schema:
    """Whole numbers as levels, for records whose codes have no meaning."""
    columns = (
        LevelColumn(name, tuple(map(str, range(size)))) for name, size in zip(domain.names, domain.sizes, strict=True)
    )
    return Schema(tuple(columns), PUBLIC)


def _ignored(body: object, where: str, *, strips: bool) -> tuple[str, ...]:
    """Names of columns that are left out: any text, even an empty one, the usual header of row numbers."""
    if not isinstance(body, list) or len(body) > MOST_COLUMNS:
        raise DataError(f"{where}: must be a list of at most {MOST_COLUMNS} names")
    for i, name in enumerate(body):
        if not is_text(name):
            raise DataError(f"{where}[{i}] = {shown(name)}: must be text, in quotes")
        if strips and name != name.strip(BLANKS):
            raise DataError(f"{where}[{i}] = {shown(name)}: begins or ends with a space, though spaces do not count")
    return tuple(body)
