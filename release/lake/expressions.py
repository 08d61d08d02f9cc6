"""Codes as SQL expressions, made from the public schema: what a cell means is decided in the engine, exactly.

A code is the number of cuts that a value is not below, found by halving. Cuts are rounded up to values of the column's
type, which changes no comparison with a value of that type: decimals to the digits of the column, floats to the next
float. Texts are bytes. A cell without a code gets a mark of release.data.coding, or NULL if marks are not wanted. What
an engine cannot express has no expression; its rows are streamed instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from release.data.coding import (
    EARLY_OR_LATE,
    MISSING,
    NOT_A_DATE,
    NOT_A_NUMBER,
    NOT_FINITE,
    NOT_WHOLE,
    OUTSIDE,
    TOO_LONG,
    UNKNOWN,
)
from release.data.columns import CLIP, Column, LevelColumn, NumberColumn
from release.data.dates import HOUR, WEEKDAY, DateColumn
from release.data.decimals import fixed_decimal, parse_decimal
from release.lake.date_expressions import day_and_hour
from release.lake.sql import (
    above,
    below,
    between,
    case,
    cast,
    equal,
    extract_hour,
    halved,
    integer,
    is_broken,
    is_null,
    lookup,
    matches,
    null,
    text_of,
    whole,
)

if TYPE_CHECKING:
    from sqlglot.expressions import Expression

    from release.lake.dialects import Dialect

MOST_CODES = 4096
"""Of one column: a query has a comparison for each."""
_DIGITS, _WHOLE_DIGITS = 38, 20
"""Digits of the decimals that every engine has, and how many are before the point, if the schema needs no more."""
_INTEGERS = (-(2**63), 2**64 - 1)
"""The range of whole numbers of engines."""
_CANONICAL = r"0|-?[1-9][0-9]*"


@dataclass(frozen=True)
class Coding:
    """The code of a column of the schema, and the marks that it may have."""

    name: str
    values: tuple[tuple[str, Expression], ...]
    """The parts of the cell from which the code is made, under names that the code uses."""
    code: Expression
    marks: tuple[int, ...]


class Coder:
    """Writes expressions for one engine."""

    def __init__(self, dialect: Dialect, *, strips: bool) -> None:
        self._dialect, self._strips = dialect, strips
        self._marks: list[int] = []
        self._values: list[tuple[str, Expression]] = []
        self._prefix = ""

    def coding(self, column: Column, cell: Expression, kind: Any, *, prefix: str) -> Coding | None:
        """The code of a cell of an Arrow type; None if the engine cannot make it."""
        if column.size > MOST_CODES:
            return None
        self._marks, self._values, self._prefix = [], [], prefix
        code = self._code(column, cell, kind)
        if code is None:
            return None
        return Coding(column.name, tuple(self._values), code, tuple(dict.fromkeys(self._marks)))

    def _code(self, column: Column, cell: Expression, kind: Any) -> Expression | None:
        null = self._mark(MISSING) if column.missing_code is None else whole(column.missing_code)
        import pyarrow.types as t

        if t.is_dictionary(kind):
            kind = kind.value_type
        if t.is_string(kind) or t.is_large_string(kind) or t.is_string_view(kind):
            found = self._of_text(column, cell)
        elif isinstance(column, LevelColumn):
            found = self._of_label(column, self._once(cell), kind)
        elif isinstance(column, NumberColumn):
            found = self._of_number(column, self._once(cell), kind)
        else:
            assert isinstance(column, DateColumn)
            found = None
            if t.is_date(kind) or t.is_timestamp(kind):
                hour = integer(extract_hour(cell)) if t.is_timestamp(kind) else whole(0)
                found = self._of_day(column, self._once(cast(cell, "DATE")), self._once(hour))
        return None if found is None else case([(is_null(self._once(cell)), null)], found)

    def _once(self, value: Expression) -> Expression:
        """The value under a name, so that it is computed once for all comparisons."""
        from sqlglot import exp

        self._values.append((f"{self._prefix}{len(self._values)}", value.copy()))
        return exp.column(self._values[-1][0])

    def _mark(self, mark: int) -> Expression:
        self._marks.append(mark)
        return whole(mark)

    def _of_text(self, column: Column, cell: Expression) -> Expression | None:
        """Texts are levels, spellings of gaps, numbers or dates."""
        text = cast(cell, "TEXT")
        if self._strips:
            text = self._dialect.trimmed(text)
        known = {} if column.missing_code is None else dict.fromkeys(column.missing, whole(column.missing_code))
        known.setdefault("", self._mark(MISSING))
        if isinstance(column, LevelColumn):
            known |= {level: whole(code) for code, level in enumerate(column.levels)}
            return self._looked_up(text, known, self._mark(UNKNOWN))
        plain = self._dialect.plain(text)
        if isinstance(column, NumberColumn):
            return self._looked_up(text, known, self._of_digits(column, plain))
        assert isinstance(column, DateColumn)
        read = day_and_hour(column.format, plain, self._dialect)
        if read is None:
            return None
        day, hour = (self._once(case([(read.is_valid, part)], null())) for part in (read.day, read.hour))
        dated = case([(is_null(day), self._mark(NOT_A_DATE))], self._of_day(column, day, hour))
        return self._looked_up(text, known, dated)

    def _looked_up(self, text: Expression, known: Mapping[str, Expression], otherwise: Expression) -> Expression:
        """What a text stands for, by its bytes."""
        in_hex = sorted((text.encode().hex(), found) for text, found in known.items())
        value, constant = self._once(self._dialect.to_bytes(text)), self._dialect.bytes_of
        return lookup(value, [(constant(digits), found) for digits, found in in_hex], otherwise)

    def _of_label(self, column: LevelColumn, cell: Expression, kind: Any) -> Expression | None:
        """Booleans and whole numbers are labels as Arrow spells them."""
        import pyarrow.types as t

        known = {level: code for code, level in enumerate(column.levels)}
        if t.is_boolean(kind):
            said = [self._mark(UNKNOWN) if s not in known else whole(known[s]) for s in ("true", "false")]
            return case([(cell.copy(), said[0])], said[1])
        if not t.is_integer(kind):
            return None
        numbers = {number: code for text, code in known.items() if (number := _as_integer(text)) is not None}
        gaps = self._gaps(column, cell)
        if [*numbers.values()] == list(range(len(numbers))) and _are_consecutive([*numbers]):
            first, last = min(numbers), max(numbers)
            code = integer(cell) - first if first else integer(cell)
            return case([*gaps, (between(cell, first, last), code)], self._mark(UNKNOWN))
        listed = [(whole(number), whole(code)) for number, code in sorted(numbers.items())]
        return case(gaps, lookup(cell, listed, self._mark(UNKNOWN)))

    def _gaps(self, column: Column, cell: Expression) -> list[tuple[Expression, Expression]]:
        """Whole numbers that are spelled like a missing cell."""
        from sqlglot import exp

        said = [number for text in column.missing if (number := _as_integer(text)) is not None]
        if not said or column.missing_code is None:
            return []
        return [(exp.In(this=cell.copy(), expressions=[whole(n) for n in said]), whole(column.missing_code))]

    def _of_number(self, column: NumberColumn, cell: Expression, kind: Any) -> Expression | None:
        import pyarrow.types as t

        if t.is_integer(kind):
            return case(self._gaps(column, cell), self._in_cells(column, cell, _Decimals(0, _INTEGERS)))
        if t.is_decimal(kind) and kind.precision <= _DIGITS and kind.scale >= 0:
            found = self._in_cells(column, cell, _Decimals(kind.scale))
            if column.whole and kind.scale:
                found = case([(is_broken(cell), self._mark(NOT_WHOLE))], found)
            return found
        if t.is_floating(kind):
            return self._of_float(column, cast(cell, "DOUBLE"))
        return None

    def _of_digits(self, column: NumberColumn, text: Expression) -> Expression:
        """Texts that are plain decimals of at most 38 digits are compared as such; others have no code."""
        largest = max(abs(column.lo), abs(column.hi))
        places = _DIGITS - min(_DIGITS, max(_WHOLE_DIGITS, len(str(int(largest))) + 1))
        end = self._dialect.end
        plain = f"^[+-]?([0-9]{{1,{_DIGITS - places}}}(\\.[0-9]{{0,{places}}})?|\\.[0-9]{{1,{max(places, 1)}}}){end}"
        decimal = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?" + end
        number = cast(text, f"DECIMAL({_DIGITS}, {places})")
        number = self._once(case([(matches(text, plain), number)], null()))
        found = self._in_cells(column, number, _Decimals(places))
        if column.whole:
            found = case([(is_broken(number), self._mark(NOT_WHOLE))], found)
        is_decimal = self._once(matches(text, decimal))
        no_code = case([(is_decimal, self._mark(TOO_LONG))], self._mark(NOT_A_NUMBER))
        return case([(is_null(number), no_code)], found)

    def _of_float(self, column: NumberColumn, value: Expression) -> Expression:
        def constant(number: float | str) -> Expression:
            return cast(text_of(number if isinstance(number, str) else repr(number)), "DOUBLE")

        first: list[tuple[Expression, Expression]] = []
        for spelling in column.missing:
            number = parse_decimal(spelling)
            if spelling.lower() == "nan" or number is not None:
                said = constant("NaN") if number is None else constant(float(number))
                first.append((equal(value, said), whole(column.missing_code or 0)))
        no_number = self._mark(NOT_FINITE)
        first += [(equal(value, constant(said)), no_number) for said in ("NaN", "Infinity", "-Infinity")]
        if column.whole:
            first.append((is_broken(value), self._mark(NOT_WHOLE)))
        least, most = -float_above(-column.hi), float_above(column.lo)
        cuts = [constant(float_above(cut)) for cut in column.cuts]
        if column.outside != CLIP:
            first += [(below(value, constant(most)), self._mark(OUTSIDE))]
            first += [(above(value, constant(least)), self._mark(OUTSIDE))]
        return case(first, halved(value, cuts, 0))

    def _in_cells(self, column: NumberColumn, value: Expression, decimals: _Decimals) -> Expression:
        """The code of an exact number."""
        cuts = [decimals.at_least(cut) for cut in column.cuts]
        low = len([cut for cut in cuts if cut <= decimals.least])
        kept = [decimals.constant(cut) for cut in cuts[low:] if cut <= decimals.most]
        found = halved(value, kept, low)
        if column.outside == CLIP:
            return found
        first, last = decimals.at_least(column.lo), -decimals.at_least(-column.hi)
        outside = []
        if first > decimals.least:
            outside.append(below(value, decimals.constant(min(first, decimals.most))))
        if last < decimals.most:
            outside.append(above(value, decimals.constant(max(last, decimals.least))))
        return case([(test, self._mark(OUTSIDE)) for test in outside], found)

    def _of_day(self, column: DateColumn, day: Expression, hour: Expression) -> Expression:
        def constant(ordinal: int) -> Expression:
            from datetime import date

            return cast(text_of(date.fromordinal(ordinal).isoformat()), "DATE")

        first, last = column.first.toordinal(), column.last.toordinal()
        codes = [column.code_of(first, 0), column.code_of(last, 23)]
        ends = [(below(day, constant(first)), codes[0]), (above(day, constant(last)), codes[1])]
        known = [
            (test, self._mark(EARLY_OR_LATE) if column.outside != CLIP else whole(code or 0)) for test, code in ends
        ]
        if self._dialect.endless is not None:
            known.insert(0, (self._dialect.endless(day.copy()), self._mark(NOT_A_DATE)))
        if column.by == HOUR:
            return case(known, hour)
        if column.by == WEEKDAY:
            return case(known, integer(self._dialect.weekday(day.copy())))
        return case(known, halved(day, [constant(start) for start in column.starts[1:]], 0))


@dataclass(frozen=True)
class _Decimals:
    """Numbers with this many digits after the point, as whole numbers of their last place."""

    places: int
    range: tuple[int, int] = (1 - 10**_DIGITS, 10**_DIGITS - 1)

    @property
    def least(self) -> int:
        return self.range[0]

    @property
    def most(self) -> int:
        return self.range[1]

    def at_least(self, number: Fraction) -> int:
        """The first of them that is not below the number."""
        return math.ceil(number * Fraction(10) ** self.places)

    def constant(self, units: int) -> Expression:
        if not self.places and self.range == _INTEGERS:
            return whole(units)
        text = fixed_decimal(Fraction(units, 10**self.places), self.places)
        return cast(text_of(text), f"DECIMAL({_DIGITS}, {self.places})")


def float_above(number: Fraction) -> float:
    """The first float that is not below a number."""
    found = float(number)
    return found if Fraction(found) >= number else math.nextafter(found, math.inf)


def _as_integer(text: str) -> int | None:
    """The whole number that is spelled this way in a column of whole numbers."""
    import re

    return int(text) if len(text) <= 20 and re.fullmatch(_CANONICAL, text, re.ASCII) else None


def _are_consecutive(numbers: Sequence[int]) -> bool:
    return bool(numbers) and all(number == numbers[0] + i for i, number in enumerate(numbers))
