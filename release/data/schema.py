"""The public schema of a table: which columns it has and what their values may be, declared without looking at data.

Everything that a release says rests on the schema, so it is read strictly: a field that is unknown, repeated, of the
wrong type or out of range is refused with its place. Numbers are exact decimals. Tables are read in
release.data.tables.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.errors import DataError, SynthboundsError
from bounds.exact import parse_rational
from release.data.columns import BINS, CLIP, EDGES, GRID, REFUSE, Column, LevelColumn, NumberColumn
from release.data.domain import MOST_CODES, Domain
from release.files.strict_json import Number, is_text, parse_json, read_json_file, require_object, shown

VERSION = 1
PUBLIC, DATA_DEPENDENT = "public", "data-dependent"
MOST_COLUMNS = 10_000
MOST_LABEL_CHARACTERS = 1000
MOST_SIZE = 10**40
"""Ends of ranges are at most this large, and multiples of its reciprocal, so that their decimals stay readable."""


@dataclass(frozen=True)
class Schema:
    """Columns in the order of the codes, and where the knowledge comes from."""

    columns: tuple[Column, ...]
    source: str
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def domain(self) -> Domain:
        return Domain(tuple(column.size for column in self.columns), self.names)

    @property
    def is_public(self) -> bool:
        return self.source == PUBLIC

    def require_public(self) -> None:
        """Refuse a schema that was made from data: its ranges and levels would be released without any protection."""
        if not self.is_public:
            raise DataError(
                f"schema: source is {self.source}: a release needs a schema from public knowledge; "
                f'check every column against it and set "source" to "{PUBLIC}"'
            )

    def to_json(self) -> dict[str, Any]:
        """The JSON object that read_schema reads back as this schema."""
        head: dict[str, Any] = {"synthbounds_schema": VERSION, "source": self.source}
        if self.note:
            head["note"] = self.note
        return {**head, "columns": [column.to_json() for column in self.columns]}

    def to_text(self) -> str:
        """The file: one column a line."""
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
    """The schema in JSON text; `where` begins every complaint."""
    return schema_of(parse_json(text, where), where)


def schema_of(body: object, where: str) -> Schema:
    """The schema in an object that parse_json has read."""
    fields = require_object(body, where, {"synthbounds_schema", "source", "columns"}, {"note"})
    version = fields["synthbounds_schema"]
    if not isinstance(version, Number) or version != str(VERSION):
        raise DataError(f"{where}: synthbounds_schema = {shown(version)}: must be {VERSION}")
    source = fields["source"]
    if source not in (PUBLIC, DATA_DEPENDENT):
        raise DataError(f'{where}: source = {shown(source)}: must be "{PUBLIC}" or "{DATA_DEPENDENT}"')
    note = fields.get("note", "")
    if not is_text(note):
        raise DataError(f"{where}: note = {shown(note)}: must be text")
    listed = fields["columns"]
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_COLUMNS:
        raise DataError(f"{where}: columns must be a list of 1 to {MOST_COLUMNS} columns")
    columns = tuple(_column(item, f"{where}: columns[{i}]") for i, item in enumerate(listed))
    _refuse_repetition([column.name for column in columns], f"{where}: the column name")
    return Schema(columns, str(source), note)


def schema_of_domain(domain: Domain) -> Schema:
    """Whole numbers as levels, for records that have codes and no meaning."""
    columns = (
        LevelColumn(name, tuple(map(str, range(size)))) for name, size in zip(domain.names, domain.sizes, strict=True)
    )
    return Schema(tuple(columns), PUBLIC)


def _column(body: object, where: str) -> Column:
    fields = require_object(body, where, {"name"}, {"levels", "range", BINS, EDGES, GRID, "outside"})
    name = _label(fields["name"], f"{where}.name")
    where = f"{where} ({shown(name)})"
    given = fields.keys() - {"name", "outside"}
    if given == {"levels"}:
        if "outside" in fields:
            raise DataError(f"{where}: outside is for numbers; a value that is no level is always refused")
        return LevelColumn(name, _levels(fields["levels"], f"{where}.levels"))
    outside = fields.get("outside", REFUSE)
    if outside not in (REFUSE, CLIP):
        raise DataError(f'{where}: outside = {shown(outside)}: must be "{REFUSE}" or "{CLIP}"')
    if given == {EDGES}:
        edges = _numbers(fields[EDGES], f"{where}.edges", least=3, most=MOST_CODES + 1)
        return NumberColumn(name, EDGES, len(edges) - 1, edges, str(outside))
    for kind in (BINS, GRID):
        if given == {"range", kind}:
            ends = _numbers(fields["range"], f"{where}.range", least=2, most=2)
            return NumberColumn(name, kind, _size(fields[kind], f"{where}.{kind}"), ends, str(outside))
    raise DataError(f"{where}: give levels, or range and bins, or edges, or range and grid, and nothing else")


def _levels(body: object, where: str) -> tuple[str, ...]:
    if not isinstance(body, list) or not 2 <= len(body) <= MOST_CODES:
        raise DataError(f"{where}: must be a list of 2 to {MOST_CODES} texts")
    levels = [_label(item, f"{where}[{i}]") for i, item in enumerate(body)]
    _refuse_repetition(levels, f"{where}: the level")
    return tuple(levels)


def _label(body: object, where: str) -> str:
    if not isinstance(body, str) or isinstance(body, Number):
        raise DataError(f"{where} = {shown(body)}: must be text, in quotes")
    if not body:
        raise DataError(f"{where}: is empty; an empty cell of a table is a missing value, which is refused")
    if len(body) > MOST_LABEL_CHARACTERS:
        raise DataError(f"{where}: has {len(body)} characters; at most {MOST_LABEL_CHARACTERS} are allowed")
    if "\0" in body or not is_text(body):
        raise DataError(f"{where}: has a character that no UTF-8 table can hold")
    return str(body)


def _refuse_repetition(texts: Sequence[str], what: str) -> None:
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise DataError(f"{what} {shown(text)} is given twice")
        seen.add(text)


def _numbers(body: object, where: str, *, least: int, most: int) -> tuple[Fraction, ...]:
    if not isinstance(body, list) or not least <= len(body) <= most:
        count = f"{least}" if least == most else f"{least} to {most}"
        raise DataError(f"{where}: must be a list of {count} numbers")
    found = [_number(item, f"{where}[{i}]") for i, item in enumerate(body)]
    for i in range(1, len(found)):
        if found[i - 1] >= found[i]:
            raise DataError(f"{where}: must increase; {shown(body[i])} follows {shown(body[i - 1])}")
    return tuple(found)


def _number(body: object, where: str) -> Fraction:
    complaint = f"{where} = {shown(body)}: must be a decimal number, such as 0 or 12.5"
    if not isinstance(body, str):
        raise DataError(complaint)
    try:
        number = parse_rational(str(body), "number")
    except SynthboundsError:
        raise DataError(complaint) from None
    if abs(number) > MOST_SIZE or (number * MOST_SIZE).denominator != 1:
        raise DataError(f"{complaint}, at most 1e40 in size and with at most 40 decimal places")
    return number


def _size(body: object, where: str) -> int:
    complaint = f"{where} = {shown(body)}: must be a whole number from 2 to {MOST_CODES}"
    if not isinstance(body, Number) or not body.isascii() or not body.isdigit() or len(body) > 6:
        raise DataError(complaint)
    if not 2 <= int(body) <= MOST_CODES:
        raise DataError(complaint)
    return int(body)
