"""Shares to be tested against a release: a CSV or JSON file with a line for every value, or for every cell.

    race,share                {"columns": ["race"],
    white,3/4                  "shares": [["white", "3/4"],
    other,1/4                             ["other", "1/4"]]}

Two columns before `share` name the cells of a pair. Values are spelled as in the schema of the release, each occurs
once, and shares are exact numbers that add up to 1.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from pathlib import Path

from bounds.errors import DataError
from bounds.exact import MOST_BITS, common_denominator, parse_rational, show_rational
from release.data.schema import Schema
from release.files.fields import within
from release.files.strict_json import is_text, parse_json, read_json_file, require_object, shown

SHARE = "share"
_MOST_LINES = 2**18


@dataclass(frozen=True, kw_only=True)
class Shares:
    """Shares of the values of a column, or of the cells of two, the second column's values running fastest."""

    columns: tuple[str, ...]
    shares: tuple[Fraction, ...]


def read_shares(path: str | Path, schema: Schema) -> Shares:
    """The shares in a file, whose values are those of the schema."""
    text, where = read_json_file(path, "shares")
    return parse_shares(text, schema, where=where)


def parse_shares(text: str, schema: Schema, *, where: str = "shares") -> Shares:
    """The shares in a text: JSON if it begins with a brace, else CSV."""
    columns, lines = _json(text, where) if text.lstrip().startswith("{") else _csv(text, where)
    if not 1 <= len(columns) <= 2 or len(set(columns)) < len(columns):
        raise DataError(f"{where}: must name one column or two different ones before {SHARE}; has {len(columns)}")
    for name in columns:
        if name not in schema.places:
            raise DataError(f"{where}: {shown(name)} is not a column of the release")
    texts = [schema.columns[schema.places[name]].texts for name in columns]
    known_texts = [frozenset(known) for known in texts]
    found: dict[tuple[str, ...], Fraction] = {}
    for number, line in lines:
        place = f"{where}: line {number}"
        if len(line) != len(columns) + 1:
            raise DataError(f"{place}: has {len(line)} entries; must be {' and '.join(columns)}, and the {SHARE}")
        *values, share = line
        cell = tuple(values)
        for name, value, known in zip(columns, cell, known_texts, strict=True):
            if value not in known:
                raise DataError(f"{place}: {shown(value)} is not a value of {name[:60]} as the schema spells it")
        if cell in found:
            raise DataError(f"{place}: {shown(' x '.join(cell))} already has a share")
        found[cell] = _share(share, place)
    return Shares(columns=tuple(columns), shares=_complete(found, texts, where))


def _complete(
    found: dict[tuple[str, ...], Fraction], texts: Sequence[tuple[str, ...]], where: str
) -> tuple[Fraction, ...]:
    for cell in product(*texts):
        if cell not in found:
            raise DataError(f"{where}: {shown(' x '.join(cell))} has no share; every value needs one, even if it is 0")
    if common_denominator(found.values(), MOST_BITS) is None:
        raise DataError(f"{where}: the shares have no common denominator of reasonable size; write them as decimals")
    total = sum(found.values())
    if total != 1:
        raise DataError(f"{where}: the shares add up to {show_rational(total)}: must be exactly 1 (1/3 is allowed)")
    return tuple(found[cell] for cell in product(*texts))


def _share(text: str, place: str) -> Fraction:
    share = within(lambda: parse_rational(text, SHARE), place)
    if not 0 <= share <= 1:
        raise DataError(f"{place}: {SHARE} = {shown(text)}: must be from 0 to 1")
    return share


def _csv(text: str, where: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        lines = list(enumerate(islice(rows, _MOST_LINES + 1), start=1))
    except csv.Error as error:
        raise DataError(f"{where}: is not CSV ({error})") from None
    if len(lines) > _MOST_LINES:
        raise DataError(f"{where}: has more than {_MOST_LINES:,} lines")
    if not lines or len(lines[0][1]) < 2 or lines[0][1][-1].strip() != SHARE:
        raise DataError(f"{where}: the first line must name the columns and, last, {SHARE}")
    return lines[0][1][:-1], [(number, line) for number, line in lines[1:] if line]


def _json(text: str, where: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    fields = require_object(parse_json(text, where), where, {"columns", "shares"})
    columns, lines = fields["columns"], fields["shares"]
    if not isinstance(columns, list) or not all(map(is_text, columns)):
        raise DataError(f"{where}: columns = {shown(columns)}: must be a list of names")
    if not isinstance(lines, list) or len(lines) > _MOST_LINES:
        raise DataError(f"{where}: shares must be a list of [value, share]")
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, list) or not all(map(is_text, line)):
            raise DataError(f"{where}: line {number} = {shown(line)}: must be a list of texts, in quotes")
    return list(columns), list(enumerate(lines, start=1))
