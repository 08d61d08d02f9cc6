"""Columns of a schema as a checker reads them: the number of codes, and the features of each code.

Written independently of the code that makes features, so that the two can be compared.
"""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

from flint import arb, ctx, fmpq

from verify.checkers import Rejected, entries, fields, require, shown, whole

COLUMN_FIELDS = (
    *("levels", "ordered", "range", "bins", "grid", "edges", "whole"),
    *("date", "first", "last", "by", "outside", "missing"),
)
CYCLES = {"weekday": 7, "hour": 24}
MONTHS_OF_A_BIN = {"year": 12, "quarter": 3, "month": 1}
DAYS_OF_A_BIN = {"week": 7, "day": 1}
MOST_CODES = 2**16
COSINES = (2, 3)
"""Half-waves over a smooth column, if it has more codes than that."""
PRECISION = 128
DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
"""A number of a schema."""


def column_size(column: Any) -> tuple[str, tuple[int, bool]]:
    """The name of a column, how many values it has, and whether cells may be missing."""
    said = fields(column, "release: a column", ("name",), COLUMN_FIELDS)
    name, missing = said["name"], said.get("missing", False)
    require(isinstance(name, str), "release: a column's name is not text")
    gap = missing is not False
    if "levels" in said:
        count = len(entries(said["levels"], "release: levels", 2 - gap, MOST_CODES))
    elif "edges" in said:
        count = len(entries(said["edges"], "release: edges", 3 - gap, MOST_CODES + 1)) - 1
    elif "date" in said:
        count = calendar_bins(said)
    else:
        count = whole(said.get("bins", said.get("grid")), "release: bins or grid", 2, MOST_CODES)
    require(2 <= count + gap <= MOST_CODES, "release: a column has too few or too many codes")
    return name, (count, gap)


def calendar_bins(column: dict[str, Any]) -> int:
    """How many years, quarters, months, weeks or days there are from the first day to the last."""
    by = str(column.get("by"))
    if by in CYCLES:
        return CYCLES[by]
    first, last = (day(column.get(key), f"release: {key}") for key in ("first", "last"))
    if by in MONTHS_OF_A_BIN:
        months = MONTHS_OF_A_BIN[by]
        ends = [(12 * when.year + when.month - 1) // months for when in (first, last)]
    else:
        require(by in DAYS_OF_A_BIN, f"release: unknown bins of dates {shown(by)}")
        ends = [(when.toordinal() - 1) // DAYS_OF_A_BIN[by] for when in (first, last)]
    return ends[1] - ends[0] + 1


def day(said: Any, name: str) -> date:
    require(isinstance(said, str) and len(said) == 10, f"{name}: is not a day")
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise Rejected(f"{name}: is not a day") from None


def block_of(
    encoding: Any, shape: tuple[int, bool], one: int, column: dict[str, Any]
) -> list[list[int]]:
    """For each code its features: from -1 to 1, rounded, or one indicator per code, or nothing;
    `reduced` has no indicator of the first code.

    Steps are equal, or follow the numbers of the codes; `smooth` also has cosines. Next to the
    steps of several values the missing code, the last, has its own indicator.
    """
    known = ("linear", "smooth", "value", "one-hot", "reduced", "none")
    require(encoding in known, f"release: unknown encoding {shown(encoding)}")
    count, gap = shape
    size = count + gap
    if encoding == "none":
        return [[] for _ in range(size)]
    if encoding in ("one-hot", "reduced"):
        return [row[encoding == "reduced" :] for row in indicators(size, one)]
    if not gap:
        return ordered_rows(encoding, count, one, column)
    if count == 1:
        return ordered_rows("linear", size, one, column)
    rows = ordered_rows(encoding, count, one, column)
    return [*([*row, 0] for row in rows), [*[0] * len(rows[0]), one]]


def ordered_rows(encoding: str, count: int, one: int, column: dict[str, Any]) -> list[list[int]]:
    """The features of codes that have an order."""
    if encoding == "value":
        return line_of(numbers_of(column, count), one)
    if encoding == "smooth" and count > COSINES[0]:
        return bent_rows(count, one)
    return line_of([Fraction(code) for code in range(count)], one)


def indicators(size: int, one: int) -> list[list[int]]:
    require(size <= 1000, "release: too many indicators")
    return [[one if code == other else 0 for other in range(size)] for code in range(size)]


def line_of(numbers: list[Fraction], one: int) -> list[list[int]]:
    """Numbers from -1 for the smallest to 1 for the largest, rounded."""
    lo, hi = min(numbers), max(numbers)
    require(lo < hi, "release: a column does not have two different numbers")
    return [[round((2 * x - lo - hi) * one / (hi - lo))] for x in numbers]


@ctx.workprec(PRECISION)
def bent_rows(count: int, one: int) -> list[list[int]]:
    """Equal steps and cosines of the middle of each code, over their largest norm, towards 0."""
    rows = []
    for code in range(count):
        step = arb(fmpq(2 * code - count + 1, count - 1))
        waves = [wave for wave in COSINES if wave < count]
        rows.append([step, *(arb.cos_pi_fmpq(fmpq((2 * code + 1) * k, 2 * count)) for k in waves)])
    largest = arb(0)
    for row in rows:
        largest = largest.max(sum((x * x for x in row), arb(0)))
    scale = one / largest.sqrt()
    return [[towards_zero(x * scale) for x in row] for row in rows]


def towards_zero(value: arb) -> int:
    size = value.abs_lower().floor().unique_fmpz()
    if size is None:
        raise Rejected("release: a feature could not be rounded")
    return int(size) if value > 0 else -int(size)


def numbers_of(column: dict[str, Any], count: int) -> list[Fraction]:
    """The numbers of the codes: labels that are numbers, points of a grid, middles of bins.

    If all numbers are whole, the middle is that of the bin's whole numbers, rounded down.
    """
    if "levels" in column:
        return [decimal(level) for level in column["levels"]]
    require("date" not in column, "release: a date is not a number")
    if "edges" in column:
        edges = [decimal(edge) for edge in column["edges"]]
    else:
        lo, hi = (decimal(end) for end in entries(column.get("range"), "release: range", 2, 2))
        if "grid" in column:
            return [lo + (hi - lo) * Fraction(code, count - 1) for code in range(count)]
        edges = [lo + (hi - lo) * Fraction(code, count) for code in range(count + 1)]
    if column.get("whole", False) is not True:
        return [(left + right) / 2 for left, right in pairwise(edges)]
    return whole_middles(edges)


def whole_middles(edges: list[Fraction]) -> list[Fraction]:
    """The middle of the whole numbers of every bin, rounded down."""
    lasts = [*(ceil(edge) - 1 for edge in edges[1:-1]), floor(edges[-1])]
    pairs = zip(edges[:-1], lasts, strict=True)
    return [Fraction((ceil(left) + last) // 2) for left, last in pairs]


def decimal(said: Any) -> Fraction:
    """A number of a schema, exactly as it is written."""
    require(isinstance(said, str) and len(said) <= 1200, "release: a value is not a number")
    found = DECIMAL.fullmatch(said)
    require(found is not None, f"release: {shown(said)} is not a number")
    return Fraction(said)
