"""A column of a schema file, read strictly: a field that is unknown, of the wrong type or out of range is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from bounds.errors import DataError, DeclaresTooLittle, SynthboundsError
from bounds.exact import parse_rational
from release.data.columns import BINS, CLIP, EDGES, GRID, REFUSE, Column, LevelColumn, NumberColumn
from release.data.date_format import DateFormat
from release.data.dates import BY, DateColumn
from release.data.domain import MOST_CODES
from release.files.strict_json import Number, is_text, require_object, shown

MOST_LABEL_CHARACTERS = 1000
MOST_SPELLINGS = 100
MOST_SIZE = 10**40
"""Ends of ranges are at most this large, and multiples of its reciprocal, so that their decimals stay readable."""
BLANKS = " \t"
"""What is stripped from both ends of a cell if spaces do not count."""
_DATE = {"date", "first", "last", "by"}
_BESIDE = {"ordered", "whole", "outside", "missing"}
"""Fields that do not decide what kind a column is."""
_FIELDS = {"levels", "range", BINS, EDGES, GRID} | _DATE | _BESIDE
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def column_of(body: object, where: str, *, missing_values: tuple[str, ...], strips: bool) -> Column:
    """The column in an object that parse_json has read; `strips` says that spaces around cells do not count."""
    fields = require_object(body, where, {"name"}, _FIELDS)
    name = label_of(fields["name"], f"{where}.name", strips=strips)
    where = f"{where} ({shown(name)})"
    missing = _missing(fields.get("missing", False), f"{where}.missing", missing_values, strips=strips)
    given = fields.keys() - {"name"} - _BESIDE
    if given == {"levels"}:
        return _level_column(name, fields, where, missing, strips=strips)
    if "ordered" in fields:
        raise DataError(f"{where}: ordered is for levels; numbers and dates do not need it")
    outside = fields.get("outside", REFUSE)
    if outside not in (REFUSE, CLIP):
        raise DataError(f'{where}: outside = {shown(outside)}: must be "{REFUSE}" or "{CLIP}"')
    if given == _DATE:
        return _date_column(name, fields, where, str(outside), missing)
    return _number_column(name, fields, where, given, str(outside), missing)


def _level_column(
    name: str, fields: dict[str, Any], where: str, missing: tuple[str, ...], *, strips: bool
) -> LevelColumn:
    if "outside" in fields:
        raise DataError(f"{where}: outside is for numbers and dates; a value that is not a level is always refused")
    if "whole" in fields:
        raise DataError(f"{where}: whole is for numbers in bins")
    ordered = fields.get("ordered")
    if "ordered" in fields and not isinstance(ordered, bool):
        raise DataError(f"{where}: ordered = {shown(ordered)}: must be true or false")
    listed = fields["levels"]
    least, most = (1, MOST_CODES - 1) if missing else (2, MOST_CODES)
    if not isinstance(listed, list) or not least <= len(listed) <= most:
        kind = DeclaresTooLittle if isinstance(listed, list) and len(listed) == 1 else DataError
        raise kind(f"{where}.levels: must be a list of {least} to {most} texts")
    levels = [label_of(item, f"{where}.levels[{i}]", strips=strips) for i, item in enumerate(listed)]
    refuse_repetition([*levels, *missing], f"{where}.levels: the level")
    return LevelColumn(name, tuple(levels), ordered, missing)


def _date_column(name: str, fields: dict[str, Any], where: str, outside: str, missing: tuple[str, ...]) -> DateColumn:
    if "whole" in fields:
        raise DataError(f"{where}: whole is for numbers in bins")
    written = DateFormat(label_of(fields["date"], f"{where}.date", strips=False))
    if written.complaint is not None:
        raise DataError(f"{where}: date = {shown(written.text)}: {written.complaint}")
    first, last = (_day(fields[key], f"{where}.{key}") for key in ("first", "last"))
    if first > last:
        raise DataError(f"{where}: last = {shown(fields['last'])}: must not be before the first day, {first}")
    if fields["by"] not in BY:
        raise DataError(f"{where}: by = {shown(fields['by'])}: must be one of {', '.join(BY)}")
    found = DateColumn(name, written, first, last, str(fields["by"]), outside, missing)
    if not 2 <= found.size <= MOST_CODES:
        raise DataError(
            f"{where}: by = {found.by}: the span has {found.value_count} such bins; "
            f"a column has 2 to {MOST_CODES} codes"
        )
    if found.complaint is not None:
        raise DataError(f"{where}: {found.complaint}")
    _refuse_ambiguity(found, where)
    return found


def _number_column(
    name: str, fields: dict[str, Any], where: str, given: set[str], outside: str, missing: tuple[str, ...]
) -> NumberColumn:
    most = MOST_CODES - bool(missing)
    whole = fields.get("whole", False)
    if not isinstance(whole, bool):
        raise DataError(f"{where}: whole = {shown(whole)}: must be true or false")
    if given == {EDGES}:
        edges = _numbers(fields[EDGES], f"{where}.edges", least=2 if missing else 3, most=most + 1)
        found = NumberColumn(name, EDGES, len(edges) - 1, edges, outside, whole, missing)
    elif given in ({"range", BINS}, {"range", GRID}):
        kind = BINS if BINS in given else GRID
        ends = _numbers(fields["range"], f"{where}.range", least=2, most=2)
        found = NumberColumn(
            name, kind, _size(fields[kind], f"{where}.{kind}", most=most), ends, outside, whole, missing
        )
    else:
        raise DataError(
            f"{where}: give levels, or range and bins, or edges, or range and grid, or date, first, last and by, "
            "and nothing else"
        )
    if whole and found.kind == GRID:
        raise DataError(f"{where}: whole is for numbers in bins; the points of a grid are given")
    for code in range(found.cells if whole else 0):
        least, largest = found.whole_numbers(code)
        if least > largest:
            raise DataError(f"{where}: whole = true: bin {code + 1} contains no whole number; give wider bins")
    _refuse_ambiguity(found, where)
    return found


def _refuse_ambiguity(column: NumberColumn | DateColumn, where: str) -> None:
    """A missing cell must not read as a value that the column writes."""
    if not column.missing:
        return
    for text in column.missing:
        if column.writes(text) if isinstance(column, NumberColumn) else text in column.value_texts:
            raise DataError(f"{where}: missing: {shown(text)} is also how a bin is written; give other bins")


def _missing(body: object, where: str, shared: tuple[str, ...], *, strips: bool) -> tuple[str, ...]:
    if body is False:
        return ()
    return shared if body is True else spellings_of(body, where, strips=strips)


def spellings_of(body: object, where: str, *, strips: bool) -> tuple[str, ...]:
    """How missing cells are spelled: a list of different texts, of which one may be empty."""
    if not isinstance(body, list) or not 1 <= len(body) <= MOST_SPELLINGS:
        raise DataError(f"{where}: must be a list of 1 to {MOST_SPELLINGS} texts, such as an empty one")
    found = ["" if item == "" else label_of(item, f"{where}[{i}]", strips=strips) for i, item in enumerate(body)]
    refuse_repetition(found, f"{where}: the text")
    return tuple(found)


def label_of(body: object, where: str, *, strips: bool) -> str:
    """The name of a column or of a level."""
    if not isinstance(body, str) or isinstance(body, Number):
        raise DataError(f"{where} = {shown(body)}: must be text, in quotes")
    if not body:
        raise DataError(f"{where}: is empty; if cells may be empty, declare missing")
    if len(body) > MOST_LABEL_CHARACTERS:
        raise DataError(f"{where}: has {len(body)} characters; at most {MOST_LABEL_CHARACTERS} are allowed")
    if "\0" in body or not is_text(body):
        raise DataError(f"{where}: has a character that no UTF-8 table can contain")
    if strips and body.strip(BLANKS) != body:
        raise DataError(f"{where} = {shown(body)}: begins or ends with a space, though spaces do not count")
    return str(body)


def refuse_repetition(texts: Sequence[str], what: str) -> None:
    """Refuse a text that is given twice."""
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise DataError(f"{what} {shown(text)} is given twice")
        seen.add(text)


def _day(body: object, where: str) -> date:
    try:
        if is_text(body) and _ISO_DAY.fullmatch(str(body)):
            return date.fromisoformat(str(body))
    except ValueError:  # 30 February
        pass
    raise DataError(f"{where} = {shown(body)}: must be a day such as 2013-01-31")


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
        raise DataError(f"{complaint}, at most 1e40 in absolute value and with at most 40 decimal places")
    return number


def _size(body: object, where: str, *, most: int) -> int:
    complaint = f"{where} = {shown(body)}: must be a whole number from 2 to {most}"
    if not isinstance(body, Number) or not body.isascii() or not body.isdigit() or len(body) > 6:
        raise DataError(complaint)
    if not 2 <= int(body) <= most:
        raise DataError(complaint)
    return int(body)
