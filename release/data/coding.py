"""Columns of a table as Arrow arrays, turned into codes exactly as the decimal text of each cell says.

Numbers are compared as floats first. Rounding keeps order, so a float that differs from the float of every cut lies on
the same side of it as the number itself; only where the floats are equal is the number read as a fraction. A cell that
has no code gets a negative mark that says why. Files and error messages are the business of release.data.tables.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import DataError
from release.data.columns import CLIP, Column, LevelColumn, NumberColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Marked = NDArray[np.int64]
    """Codes, or negative marks."""

MISSING, NOT_UTF8, UNKNOWN, NOT_A_NUMBER, NOT_FINITE, OUTSIDE = -1, -2, -3, -4, -5, -6
REASONS = {
    MISSING: "is missing",
    NOT_UTF8: "is not UTF-8 text",
    UNKNOWN: "is not a level of the schema",
    NOT_A_NUMBER: "is not a decimal number",
    NOT_FINITE: "is not a finite number",
    OUTSIDE: "is outside the range of the schema",
}
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+))?", re.ASCII)
_MOST_CHARACTERS = 1200
_MOST_EXPONENT = 3000
"""Beyond these a number is too small or too large for any range of a schema, and its fraction unreasonably long."""
_MOST_REMEMBERED = 10_000


class Coder(ABC):
    """Turns cells of one column into codes."""

    @abstractmethod
    def marked(self, cells: Any) -> Marked:
        """The code or mark of every cell of an Arrow array."""


def coder_for(column: Column) -> Coder:
    return LevelCoder(column) if isinstance(column, LevelColumn) else NumberCoder(column)


def require_type(column: Column, kind: Any, where: str, *, echo: bool) -> None:
    """Refuse a column whose Arrow type cannot hold what the schema declares; a type may name what the file holds."""
    import pyarrow.types as t

    if t.is_dictionary(kind):
        kind = kind.value_type
    fine = is_text(kind) or t.is_integer(kind)
    if isinstance(column, NumberColumn):
        fine = fine or t.is_floating(kind) or t.is_decimal(kind)
        wanted = "numbers or text"
    else:
        fine = fine or t.is_boolean(kind)
        wanted = "text, integers or booleans, because the schema declares levels"
    if not fine:
        shown = f"type {kind}" if echo else "wrong type"
        raise DataError(f"{where}: has the {shown}; it must hold {wanted}")


def is_text(kind: Any) -> bool:
    import pyarrow.types as t

    return any(
        check(kind) for check in (t.is_string, t.is_large_string, t.is_string_view, t.is_binary, t.is_large_binary)
    )


def parse_decimal(text: str) -> Fraction | None:
    """The exact number of a cell, or None where it is not a decimal number of reasonable size."""
    found = _DECIMAL.fullmatch(text) if len(text) <= _MOST_CHARACTERS else None
    if found is None:
        return None
    exponent = found.group(1) or "0"
    if len(exponent) > 6 or abs(int(exponent)) > _MOST_EXPONENT:
        return None
    return Fraction(text)


class LevelCoder(Coder):
    def __init__(self, column: LevelColumn) -> None:
        import pyarrow as pa

        self._levels = pa.array([level.encode() for level in column.levels], pa.large_binary())

    def marked(self, cells: Any) -> Marked:
        return _through_dictionary(cells, self._plain)

    def _plain(self, cells: Any) -> Marked:
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = (cells if is_text(cells.type) else cells.cast(pa.string())).cast(pa.large_binary())
        codes = pc.index_in(texts, value_set=self._levels)
        found: Marked = codes.fill_null(UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int64)
        for i in np.flatnonzero(found < 0):
            found[i] = _why_no_level(texts[i].as_py())
        return found


def _why_no_level(cell: bytes | None) -> int:
    if not cell:
        return MISSING
    return UNKNOWN if _decoded(cell) is not None else NOT_UTF8


def _decoded(cell: bytes) -> str | None:
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
        return _through_dictionary(cells, self._plain)

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
            if (pc.max(pc.binary_length(cells)).as_py() or 0) > _MOST_CHARACTERS:
                return self._one_by_one(cells)
            floats = cells.cast(pa.string()).cast(pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:  # some cell is not a number
            return self._one_by_one(cells)
        if cells.null_count or not np.all(np.isfinite(floats)):
            return self._one_by_one(cells)
        return self._by_floats(floats, lambda doubtful: self._one_by_one(cells.take(pa.array(doubtful))))

    def _by_floats(self, floats: NDArray[np.float64], exactly: Callable[[NDArray[np.intp]], Marked]) -> Marked:
        """Codes by floats, except where a float is that of a cut or an end, or zero, which tiny numbers round to."""
        codes: Marked = np.searchsorted(self._cuts, floats, side="right").astype(np.int64)
        doubtful = self._cuts[codes - 1] == floats  # of the cuts that are not above the number, the last
        doubtful |= (floats == self._lo) | (floats == self._hi) | (floats == 0)
        if not self._clips:
            codes[(floats < self._lo) | (floats > self._hi)] = OUTSIDE
        places = np.flatnonzero(doubtful)
        if places.size:
            codes[places] = exactly(places)
        return codes

    def _exact(self, number: Fraction) -> int:
        code = self._column.code_of(number)
        return OUTSIDE if code is None else code

    def _one_by_one(self, cells: Any) -> Marked:
        import pyarrow as pa

        return np.array([self._one(cell) for cell in cells.cast(pa.large_binary()).to_pylist()], dtype=np.int64)

    def _one(self, cell: bytes | None) -> int:
        if not cell:
            return MISSING
        text = _decoded(cell)
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


def _through_dictionary(cells: Any, plain: Callable[[Any], Marked]) -> Marked:
    """Marks of an array through those of its distinct values, where it is stored that way."""
    import pyarrow.types as t

    if not t.is_dictionary(cells.type):
        return plain(cells)
    places = cells.indices
    marks = np.append(plain(cells.dictionary), MISSING)
    if places.null_count:
        places = places.fill_null(len(cells.dictionary))
    found: Marked = marks[places.to_numpy(zero_copy_only=False)]
    return found
