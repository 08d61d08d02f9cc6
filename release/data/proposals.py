"""A draft's proposal for one column, by the rules in docs/schema.md: its kind, levels, range or span, and why.

Nothing is refused here. Columns that no schema can describe, that identify people or are free text are left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from bounds.errors import DataError
from release.data.column_reading import column_of
from release.data.columns import BINS, Column, LevelColumn, NumberColumn
from release.data.date_format import DateFormat
from release.data.dates import DAY, MONTH, WEEK, YEAR, DateColumn, span_of_bins
from release.data.decimals import exact_decimal, parse_decimal
from release.data.seen import Seen
from release.files.strict_json import parse_json

LEVELS, NUMBERS, DATES = "levels", "numbers", "dates"
IDENTIFIER, FREE_TEXT, UNKNOWN = "identifier", "free text", "unknown"
KINDS = (LEVELS, NUMBERS, DATES, IDENTIFIER, FREE_TEXT, UNKNOWN)
MORE_LABELS, LEAST_OF_A_LABEL = 5, 20
"""Texts may become this many times as many levels, if each stands for this many rows on average."""
NEARLY_ALL = Fraction(9, 10)
"""Texts of which more than this share are distinct identify rows."""
ROW_NUMBERS = 2
"""Whole numbers that are all distinct within a range of less than this many times the rows count the rows."""
MOST_DAYS, MOST_WEEKS_DAYS, MOST_MONTHS_YEARS = 31, 180, 20
"""The longest spans with bins by day and by week, in days, and by month, in years; longer ones have bins by year."""
_DIGITS = 12
"""Ends of ranges are rounded outward to this many digits."""
_OTHER = "other"


@dataclass(frozen=True)
class Choices:
    """The choices for all columns of a draft."""

    bins: int
    most_levels: int
    missing_values: tuple[str, ...]
    strips: bool


@dataclass(frozen=True)
class Proposal:
    """A kind with its column, or None if it is left out, and the reason."""

    kind: str
    column: Column | None
    why: str


def propose(name: str, seen: Seen, choices: Choices) -> Proposal:
    """The proposal for a column whose cells have all been seen."""
    found = _first_choice(name, seen, choices)
    if found.column is None:
        return found
    try:  # a draft must read, whatever the table holds
        said = parse_json(json.dumps(found.column.to_json(choices.missing_values)), "draft")
        column_of(said, "as drafted", missing_values=choices.missing_values, strips=choices.strips)
    except DataError as error:
        return Proposal(UNKNOWN, None, f"no schema can describe it: {str(error).partition(': ')[2]}")
    return found


def _first_choice(name: str, seen: Seen, choices: Choices) -> Proposal:
    if seen.problem:
        return Proposal(UNKNOWN, None, seen.problem)
    if not seen.values:
        return Proposal(UNKNOWN, None, "every cell is missing")
    if seen.formats:
        return _dates(name, seen)
    if seen.is_dated:
        return Proposal(FREE_TEXT, None, "dates in several formats; write them in one")
    texts = seen.texts
    if texts is not None and seen.is_labelled and len(texts) <= choices.most_levels:
        return _levels(name, seen, f"{_count(len(texts), 'distinct value')}")
    if seen.is_numeric:
        return _numbers(name, seen, choices)
    return _texts(name, seen, choices)


def _levels(name: str, seen: Seen, why: str) -> Proposal:
    levels = sorted(seen.texts or (), key=_by_number if seen.is_numeric else None)
    if len(levels) == 1 and not seen.spellings:  # an attribute has at least two codes
        levels.append(_OTHER if levels[0] != _OTHER else f"not {_OTHER}")
    return Proposal(LEVELS, LevelColumn(name, tuple(levels), None, seen.spellings), why)


def _dates(name: str, seen: Seen) -> Proposal:
    assert seen.formats
    written, (first, last) = next(iter(seen.formats.items()))
    try:
        days = [date.fromordinal(day) for day in (first, last)]
    except (ValueError, OverflowError):
        return Proposal(UNKNOWN, None, "contains days before the year 1 or after 9999")
    why = f"every value is a date, from {days[0]} to {days[1]}"
    others = [other.text for other in seen.formats if other is not written]
    if others:
        why += f"; it may also be {others[0]}"
    by = _bins_of_span(days[0], days[1], written)
    return Proposal(
        DATES, DateColumn(name, written, *span_of_bins(days[0], days[1], by), by, missing=seen.spellings), why
    )


def _bins_of_span(first: date, last: date, written: DateFormat) -> str:
    days = (last - first).days + 1
    if not written.shows_day:
        return MONTH if written.shows & set("mBb") else YEAR
    if days <= MOST_DAYS:
        return DAY
    if days <= MOST_WEEKS_DAYS:
        return WEEK
    return MONTH if last.year - first.year < MOST_MONTHS_YEARS else YEAR


def _numbers(name: str, seen: Seen, choices: Choices) -> Proposal:
    assert seen.lo is not None
    assert seen.hi is not None
    spread = seen.hi - seen.lo
    all_distinct = seen.texts is not None and len(seen.texts) == seen.rows
    if seen.is_whole and all_distinct and spread < ROW_NUMBERS * seen.rows:
        return Proposal(IDENTIFIER, None, "distinct whole numbers that number the rows")
    lo, hi = _outward(seen.lo, ROUND_FLOOR), _outward(seen.hi, ROUND_CEILING)
    ends = [_short(end) for end in (lo, hi)]
    why = f"{'whole numbers' if seen.is_whole else 'numbers'} from {ends[0]} to {ends[1]}"
    bins = choices.bins
    if seen.is_whole and spread < max(bins, choices.most_levels):  # a bin for each
        lo, hi, bins = lo - Fraction(1, 2), hi + Fraction(1, 2), int(spread) + 1
    if bins == 1 or lo == hi:
        lo, hi, bins = lo - 1, hi + 1, 2
    return Proposal(NUMBERS, NumberColumn(name, BINS, bins, (lo, hi), whole=seen.is_whole, missing=seen.spellings), why)


def _texts(name: str, seen: Seen, choices: Choices) -> Proposal:
    texts, share = seen.texts, seen.share_distinct
    if share > NEARLY_ALL:
        blank = texts is not None and any(" " in text for text in texts)
        return Proposal(FREE_TEXT if blank else IDENTIFIER, None, "nearly every row has a different text")
    if texts is None:
        return Proposal(FREE_TEXT, None, "too many distinct texts to count")
    count = _count(len(texts), "distinct text")
    if len(texts) <= MORE_LABELS * choices.most_levels and LEAST_OF_A_LABEL * len(texts) <= seen.values:
        return _levels(name, seen, count)
    numbers = sum(parse_decimal(text) is not None for text in texts)
    if numbers:
        return Proposal(FREE_TEXT, None, f"numbers and other texts are mixed, {count}; declare the texts as missing")
    return Proposal(FREE_TEXT, None, f"{count}; list the levels that are publicly known, or raise --most-levels")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _by_number(text: str) -> Fraction:
    return parse_decimal(text) or Fraction(0)  # a text that is too long for a number is refused as a level, too


def _short(value: Fraction) -> str:
    return exact_decimal(value, most_digits=2 * _DIGITS) or f"{float(value):.6g}"


def _outward(value: Fraction, rounding: str) -> Fraction:
    """A decimal with few digits, on the given side of the value."""
    rounded = Context(prec=_DIGITS, rounding=rounding).divide(Decimal(value.numerator), Decimal(value.denominator))
    return Fraction(rounded)
