"""Columns of a table as Arrow arrays, turned into codes exactly as the decimal text of each cell says.

Numbers are compared as floats first. Rounding keeps order, so a float that differs from the float of every cut lies on
the same side of it as the number itself; only if the floats are equal is the number read as a fraction. A cell that has
no code gets a negative mark that says why. Files and error messages are handled in release.data.tables.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import DataError
from release.data.columns import CLIP, Column, LevelColumn, NumberColumn
from release.data.dates import DateColumn
from release.data.decimals import MOST_CHARACTERS, parse_decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Marked = NDArray[np.integer]
    """Codes, or negative marks."""

MISSING, NOT_UTF8, UNKNOWN, NOT_A_NUMBER, NOT_FINITE, OUTSIDE, NOT_WHOLE, NOT_A_DATE, EARLY_OR_LATE = range(-1, -10, -1)
TOO_LONG = -10
"""If an engine makes the codes, which cannot compare longer numbers."""
REASONS = {
    MISSING: "is missing",
    NOT_UTF8: "is not UTF-8 text",
    UNKNOWN: "is not a level of the schema",
    NOT_A_NUMBER: "is not a decimal number",
    NOT_FINITE: "is not a finite number",
    OUTSIDE: "is outside the range of the schema",
    NOT_WHOLE: "is not a whole number, as the schema declares",
    NOT_A_DATE: "is not a date of the format that the schema declares",
    EARLY_OR_LATE: "is outside the span of days of the schema",
    TOO_LONG: "is not a plain decimal number of at most 38 digits, which an engine needs; a Parquet file can have it",
}
_MOST_REMEMBERED = 10_000
_INTEGER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)


class Coder(ABC):
    """Turns cells of one column into codes."""

    @abstractmethod
    def marked(self, cells: Any) -> Marked:
        """The code or mark of every cell of an Arrow array."""


def coder_for(column: Column, *, strips: bool = False) -> Coder:
    """The coder for cells of the column; `strips` says that spaces around cells do not count."""
    if isinstance(column, LevelColumn):
        found: Coder = LevelCoder(column)
    elif isinstance(column, NumberColumn):
        found = NumberCoder(column)
    else:
        from release.data.date_coding import DateCoder

        assert isinstance(column, DateColumn)
        found = DateCoder(column)
    if not strips and not column.missing:
        return found
    from release.data.spelling import SpelledCoder

    return SpelledCoder(column, found, strips=strips)


def require_type(column: Column, kind: Any, where: str, *, echo: bool) -> None:
    """Refuse a column whose Arrow type cannot hold the values that the schema declares."""
    import pyarrow.types as t

    if t.is_dictionary(kind):
        kind = kind.value_type
    fine = is_text(kind) or (t.is_null(kind) and bool(column.missing))
    if isinstance(column, NumberColumn):
        fine = fine or t.is_integer(kind) or t.is_floating(kind) or t.is_decimal(kind)
        wanted = "numbers or text"
    elif isinstance(column, DateColumn):
        fine = fine or t.is_date(kind) or t.is_timestamp(kind)
        wanted = "dates, timestamps or text"
    else:
        fine = fine or t.is_integer(kind) or t.is_boolean(kind)
        wanted = "text, integers or booleans, because the schema declares levels"
    if not fine:
        shown = f"type {kind}" if echo else "wrong type"
        raise DataError(f"{where}: has the {shown}; it must hold {wanted}")


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is text, as such or as bytes."""
    import pyarrow.types as t

    return any(
        check(kind) for check in (t.is_string, t.is_large_string, t.is_string_view, t.is_binary, t.is_large_binary)
    )


class LevelCoder(Coder):
    def __init__(self, column: LevelColumn) -> None:
        import pyarrow as pa

        self._levels = pa.array([level.encode() for level in column.levels], pa.large_binary())
        self._numbers = rising_integers(column.levels)

    def marked(self, cells: Any) -> Marked:
        return through_dictionary(cells, self._plain)

    def _plain(self, cells: Any) -> Marked:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as t

        if self._numbers is not None and t.is_integer(cells.type) and not cells.null_count and len(cells):
            values: NDArray[np.integer] = cells.to_numpy(zero_copy_only=False)
            if self._numbers[0] <= values.min() and values.max() <= self._numbers[-1]:  # nearly always
                return values.astype(np.int64) - self._numbers[0] if self._numbers[0] else values
        texts = (cells if is_text(cells.type) else cells.cast(pa.string())).cast(pa.large_binary())
        codes = pc.index_in(texts, value_set=self._levels)
        found: NDArray[np.int64] = codes.fill_null(UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int64)
        for i in np.flatnonzero(found < 0):
            found[i] = _why_no_level(texts[i].as_py())
        return found


def rising_integers(levels: Sequence[str]) -> range | None:
    """The whole numbers that the labels spell, as a column of integers does, if each is one more than the last."""
    first = levels[0]
    if not _INTEGER.fullmatch(first) or len(first) > 18:
        return None
    found = range(int(first), int(first) + len(levels))
    return found if all(str(number) == level for number, level in zip(found, levels, strict=True)) else None


def _why_no_level(cell: bytes | None) -> int:
    if not cell:
        return MISSING
    return UNKNOWN if decoded(cell) is not None else NOT_UTF8


def decoded(cell: bytes) -> str | None:
    """The text of a cell, or None if it is not UTF-8."""
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return None


class NumberCoder(Coder):
    def __init__(self, column: NumberColumn) -> None:
        self._column = column
        self._clips = column.outside == CLIP
        self._lo, self._hi = float(column.lo), float(column.hi)
        self._cuts = np.array([float(cut) for cut in column.cuts])
        self._remembered: dict[str, int] = {}

    def marked(self, cells: Any) -> Marked:
        return through_dictionary(cells, self._plain)

    def _plain(self, cells: Any) -> Marked:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as t

        if t.is_decimal(cells.type):
            cells = cells.cast(pa.string())
        if is_text(cells.type):
            return self._texts(cells)
        found = np.full(len(cells), MISSING, dtype=np.int64)
        present = pc.is_valid(cells).to_numpy(zero_copy_only=False)
        values = cells.drop_null().to_numpy(zero_copy_only=False)
        whole = t.is_integer(cells.type)
        floats = values.astype(np.float64)

        def exactly(doubtful: NDArray[np.intp]) -> Marked:
            distinct, places = np.unique(values[doubtful], return_inverse=True)
            marks = [self._exact(Fraction(int(v) if whole else float(v))) for v in distinct]
            return np.array(marks, dtype=np.int64)[places]

        marks = np.full(len(values), NOT_FINITE, dtype=np.int64)
        finite = np.flatnonzero(np.isfinite(floats))
        marks[finite] = self._by_floats(floats[finite], lambda doubtful: exactly(finite[doubtful]))
        found[present] = marks
        return found

    def _texts(self, cells: Any) -> Marked:
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            if (pc.max(pc.binary_length(cells)).as_py() or 0) > MOST_CHARACTERS:
                return self._one_by_one(cells)
            floats = cells.cast(pa.string()).cast(pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:  # some cell is not a number
            return self._one_by_one(cells)
        if cells.null_count or not np.all(np.isfinite(floats)) or not self._all_whole(cells):
            return self._one_by_one(cells)
        return self._by_floats(floats, lambda doubtful: self._one_by_one(cells.take(pa.array(doubtful))))

    def _all_whole(self, cells: Any) -> bool:
        """Whether texts are plainly whole numbers, or need not be."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self._column.whole:
            return True
        return bool(pc.all(pc.match_substring_regex(cells.cast(pa.string()), r"^[+-]?[0-9]+$")).as_py())

    def _by_floats(self, floats: NDArray[np.float64], exactly: Callable[[NDArray[np.intp]], Marked]) -> Marked:
        """Codes by floats, unless a float equals that of a cut or an end, or zero, to which tiny numbers round."""
        codes: Marked = np.searchsorted(self._cuts, floats, side="right").astype(np.int64)
        doubtful = (floats == self._lo) | (floats == self._hi) | (floats == 0)
        if self._cuts.size:
            doubtful |= self._cuts[codes - 1] == floats  # of the cuts that are not above the number, the last
        if self._column.whole:
            codes[floats != np.floor(floats)] = NOT_WHOLE  # the float of a whole number is whole
        if not self._clips:
            codes[((floats < self._lo) | (floats > self._hi)) & (codes >= 0)] = OUTSIDE
        places = np.flatnonzero(doubtful)
        if places.size:
            codes[places] = exactly(places)
        return codes

    def _exact(self, number: Fraction) -> int:
        if self._column.whole and number.denominator != 1:
            return NOT_WHOLE
        code = self._column.code_of(number)
        return OUTSIDE if code is None else code

    def _one_by_one(self, cells: Any) -> Marked:
        import pyarrow as pa

        return np.array([self._one(cell) for cell in cells.cast(pa.large_binary()).to_pylist()], dtype=np.int64)

    def _one(self, cell: bytes | None) -> int:
        if not cell:
            return MISSING
        text = decoded(cell)
        if text is None:
            return NOT_UTF8
        mark = self._remembered.get(text)
        if mark is not None:
            return mark
        number = parse_decimal(text)
        if number is not None:
            mark = self._exact(number)
        elif text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
            mark = NOT_FINITE
        else:
            mark = NOT_A_NUMBER
        if len(self._remembered) < _MOST_REMEMBERED and len(text) < 100:
            self._remembered[text] = mark
        return mark


def through_dictionary(cells: Any, plain: Callable[[Any], Marked], *, null: int = MISSING) -> Marked:
    """Marks of an array through those of its distinct values, if it is stored that way."""
    import pyarrow.types as t

    if not t.is_dictionary(cells.type):
        return plain(cells)
    places = cells.indices
    marks = np.append(plain(cells.dictionary), null)
    if places.null_count:
        places = places.fill_null(len(cells.dictionary))
    found: Marked = marks[places.to_numpy(zero_copy_only=False)]
    return found
