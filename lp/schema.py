"""The public schema of a table: which columns it has and what their values may be, declared without looking at data.

Everything that a release says rests on the schema, so it is read strictly: a field that is unknown, repeated, of the
wrong type or out of range is refused with its place. Numbers are exact decimals. Tables are read in lp.tables.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.errors import DataError, SynthboundsError
from bounds.exact import parse_rational
from lp.columns import BINS, CLIP, EDGES, GRID, REFUSE, Column, LevelColumn, NumberColumn
from lp.domain import MOST_CODES, Domain

VERSION = 1
PUBLIC, DATA_DEPENDENT = "public", "data-dependent"
MOST_FILE_BYTES = 2**26
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
    where = f"schema {_shown(Path(path).name)}"
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise DataError(f"{where}: is not a regular file")
        with open(path, "rb") as stream:
            data = stream.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise DataError(f"{where}: cannot be read ({error.strerror})") from None
    except ValueError as error:  # a name with NUL
        raise DataError(f"{where}: is not a usable name ({error})") from None
    if len(data) > MOST_FILE_BYTES:
        raise DataError(f"{where}: is larger than {MOST_FILE_BYTES // 2**20} MiB")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"{where}: is UTF-16 text; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: is not UTF-8 text (byte {error.start})") from None
    return parse_schema(text, where=where)


class _Number(str):
    """A JSON number as it was written."""


def parse_schema(text: str, *, where: str = "schema") -> Schema:
    """The schema in JSON text; `where` begins every complaint."""

    def constant(name: str) -> object:
        raise DataError(f"{where}: {name} is not a number of JSON")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
            raise DataError(f"{where}: the key {_shown(twice)} is given twice in one object")
        return found

    try:
        body = json.loads(
            text, parse_float=_Number, parse_int=_Number, parse_constant=constant, object_pairs_hook=unique
        )
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: is not JSON (line {error.lineno}, column {error.colno}: {error.msg})") from None
    except RecursionError:
        raise DataError(f"{where}: is nested too deeply") from None
    return _schema(body, where)


def _schema(body: object, where: str) -> Schema:
    fields = _object(body, where, {"synthbounds_schema", "source", "columns"}, {"note"})
    version = fields["synthbounds_schema"]
    if not isinstance(version, _Number) or version != str(VERSION):
        raise DataError(f"{where}: synthbounds_schema = {_shown(version)}: must be {VERSION}")
    source = fields["source"]
    if source not in (PUBLIC, DATA_DEPENDENT):
        raise DataError(f'{where}: source = {_shown(source)}: must be "{PUBLIC}" or "{DATA_DEPENDENT}"')
    note = fields.get("note", "")
    if not isinstance(note, str) or isinstance(note, _Number) or not _encodes(note):
        raise DataError(f"{where}: note = {_shown(note)}: must be text")
    listed = fields["columns"]
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_COLUMNS:
        raise DataError(f"{where}: columns must be a list of 1 to {MOST_COLUMNS} columns")
    columns = tuple(_column(item, f"{where}: columns[{i}]") for i, item in enumerate(listed))
    _refuse_repetition([column.name for column in columns], f"{where}: the column name")
    return Schema(columns, str(source), note)


def _column(body: object, where: str) -> Column:
    fields = _object(body, where, {"name"}, {"levels", "range", BINS, EDGES, GRID, "outside"})
    name = _label(fields["name"], f"{where}.name")
    where = f"{where} ({_shown(name)})"
    given = fields.keys() - {"name", "outside"}
    if given == {"levels"}:
        if "outside" in fields:
            raise DataError(f"{where}: outside is for numbers; a value that is no level is always refused")
        return LevelColumn(name, _levels(fields["levels"], f"{where}.levels"))
    outside = fields.get("outside", REFUSE)
    if outside not in (REFUSE, CLIP):
        raise DataError(f'{where}: outside = {_shown(outside)}: must be "{REFUSE}" or "{CLIP}"')
    if given == {EDGES}:
        edges = _numbers(fields[EDGES], f"{where}.edges", least=3, most=MOST_CODES + 1)
        return NumberColumn(name, EDGES, len(edges) - 1, edges, str(outside))
    for kind in (BINS, GRID):
        if given == {"range", kind}:
            ends = _numbers(fields["range"], f"{where}.range", least=2, most=2)
            return NumberColumn(name, kind, _size(fields[kind], f"{where}.{kind}"), ends, str(outside))
    raise DataError(f"{where}: give levels, or range and bins, or edges, or range and grid, and nothing else")


def _object(body: object, where: str, needed: set[str], allowed: set[str]) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise DataError(f"{where}: must be an object with " + ", ".join(sorted(needed)))
    for key in body:
        if key not in needed | allowed:
            raise DataError(f"{where}: {_shown(key)} is not a field; known are {', '.join(sorted(needed | allowed))}")
    for key in sorted(needed):
        if key not in body:
            raise DataError(f"{where}: {key} is missing")
    return body


def _levels(body: object, where: str) -> tuple[str, ...]:
    if not isinstance(body, list) or not 2 <= len(body) <= MOST_CODES:
        raise DataError(f"{where}: must be a list of 2 to {MOST_CODES} texts")
    levels = [_label(item, f"{where}[{i}]") for i, item in enumerate(body)]
    _refuse_repetition(levels, f"{where}: the level")
    return tuple(levels)


def _label(body: object, where: str) -> str:
    if not isinstance(body, str) or isinstance(body, _Number):
        raise DataError(f"{where} = {_shown(body)}: must be text, in quotes")
    if not body:
        raise DataError(f"{where}: is empty; an empty cell of a table is a missing value, which is refused")
    if len(body) > MOST_LABEL_CHARACTERS:
        raise DataError(f"{where}: has {len(body)} characters; at most {MOST_LABEL_CHARACTERS} are allowed")
    if "\0" in body or not _encodes(body):
        raise DataError(f"{where}: has a character that no UTF-8 table can hold")
    return str(body)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_repetition(texts: Sequence[str], what: str) -> None:
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise DataError(f"{what} {_shown(text)} is given twice")
        seen.add(text)


def _numbers(body: object, where: str, *, least: int, most: int) -> tuple[Fraction, ...]:
    if not isinstance(body, list) or not least <= len(body) <= most:
        count = f"{least}" if least == most else f"{least} to {most}"
        raise DataError(f"{where}: must be a list of {count} numbers")
    found = [_number(item, f"{where}[{i}]") for i, item in enumerate(body)]
    for i in range(1, len(found)):
        if found[i - 1] >= found[i]:
            raise DataError(f"{where}: must increase; {_shown(body[i])} follows {_shown(body[i - 1])}")
    return tuple(found)


def _number(body: object, where: str) -> Fraction:
    complaint = f"{where} = {_shown(body)}: must be a decimal number, such as 0 or 12.5"
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
    complaint = f"{where} = {_shown(body)}: must be a whole number from 2 to {MOST_CODES}"
    if not isinstance(body, _Number) or not body.isascii() or not body.isdigit() or len(body) > 6:
        raise DataError(complaint)
    if not 2 <= int(body) <= MOST_CODES:
        raise DataError(complaint)
    return int(body)


def _shown(value: object) -> str:
    """A value on one short line."""
    if isinstance(value, _Number):
        text = str(value)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            text = type(value).__name__
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 60 else f"{text[:48]}... ({len(text)} characters)"
