"""A first draft of a schema, from the values of a table: to be checked against public knowledge before any release.

The draft looks at the data, so it is marked as data-dependent, and a release refuses it. It saves writing: names,
levels and ranges are there, and the person who knows what may occur corrects them.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.errors import DataError
from bounds.exact import parse_integer, require_range
from release.data.coding import MISSING, NOT_FINITE, NOT_UTF8, is_text
from release.data.columns import BINS, Column, LevelColumn, NumberColumn
from release.data.decimals import parse_decimal
from release.data.domain import MOST_CODES
from release.data.schema import DATA_DEPENDENT, MOST_COLUMNS, Schema, parse_schema
from release.data.tables import Table, shown

NOTE = (
    "Draft made from the values of a table. It reveals them: replace every list of levels and every range by what is "
    'publicly known to be possible, then set "source" to "public". A release refuses a data-dependent schema.'
)
_DIGITS = 12
"""Ends of ranges are rounded outward to so many digits."""
_OTHER = "other"


def template_from_table(path: str | Path, *, bins: object = 10, most_levels: object = 20) -> Schema:
    """A draft: columns with few distinct values become levels, other columns of numbers a range with bins."""
    bin_count, most = parse_integer(bins, "bins"), parse_integer(most_levels, "most-levels")
    require_range("bins", bin_count, bins, least=2, most=MOST_CODES)
    require_range("most-levels", most, most_levels, least=2, most=MOST_CODES)
    table = Table(Path(path))
    if len(table.header) > MOST_COLUMNS:
        raise DataError(f"{table.where}: has {len(table.header)} columns; at most {MOST_COLUMNS} are allowed")
    seen = [_Seen(most) for _ in table.header]
    done = 0
    for arrays in table.batches(table.header):
        for name, cells, values in zip(table.header, arrays, seen, strict=True):
            values.look_at(cells, table, name, done)
        done += len(arrays[0])
    columns = [values.draft(name, bin_count) for name, values in zip(table.header, seen, strict=True)]
    draft = Schema(tuple(columns), DATA_DEPENDENT, NOTE)
    return parse_schema(draft.to_text(), where=f"{table.where}, as a schema")  # no draft that could not be read


class _Seen:
    """What has been seen of one column: distinct texts while they are few, and the range while all are numbers."""

    def __init__(self, most_levels: int) -> None:
        self._most = most_levels
        self.texts: set[str] | None = set()
        self.numeric = True
        self.lo: Fraction | None = None
        self.hi: Fraction | None = None

    def look_at(self, cells: Any, table: Table, name: str, done: int) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as t

        kind = cells.type.value_type if t.is_dictionary(cells.type) else cells.type
        if not (is_text(kind) or t.is_integer(kind) or t.is_boolean(kind) or t.is_floating(kind) or t.is_decimal(kind)):
            raise DataError(f"{table.where}, column {shown(name)}: has the type {kind}, of which no schema speaks")
        if cells.null_count:
            raise table.bad_cell(row=done + _first(pc.is_null(cells)), name=name, mark=MISSING, cell=None)
        distinct = pc.unique(cells)
        if t.is_dictionary(cells.type):
            distinct = distinct.dictionary_decode()
        if t.is_floating(kind):
            finite = pc.is_finite(cells)
            if not pc.all(finite).as_py():
                row = _first(pc.invert(finite))
                raise table.bad_cell(row=done + row, name=name, mark=NOT_FINITE, cell=cells[row - 1].as_py())
            self._widen([Fraction(v) for v in pc.min_max(distinct.cast(pa.float64())).as_py().values()])
            self.texts = None
            return
        try:
            texts = distinct.cast(pa.string())
        except pa.ArrowInvalid:
            raise _bad_text(cells, table, name, done) from None
        if pc.any(pc.equal(texts, "")).as_py():
            raise _bad_text(cells, table, name, done)
        if t.is_decimal(kind):  # has no labels, whatever its values
            self.texts = None
        if self.texts is not None:
            self.texts.update(texts.slice(0, self._most + 1).to_pylist())
            if len(self.texts) > self._most:
                self.texts = None
        self.numeric = self.numeric and not t.is_boolean(kind) and self._numbers(texts)
        if self.texts is None and not self.numeric:
            raise DataError(
                f"{table.where}, column {shown(name)}: has more than {self._most} distinct texts; raise --most-levels, "
                "or leave the column out of the table"
            )

    def _numbers(self, texts: Any) -> bool:
        """Whether all are decimal numbers; widens the range. Only the extreme ones are read as fractions."""
        import numpy as np
        import pyarrow as pa

        try:
            floats = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            return False
        if not np.all(np.isfinite(floats)):
            return False
        extreme = np.flatnonzero((floats == floats.min()) | (floats == floats.max()))
        numbers = [parse_decimal(texts[int(i)].as_py()) for i in extreme]
        if any(number is None for number in numbers):
            return False
        self._widen([number for number in numbers if number is not None])
        return True

    def _widen(self, numbers: list[Fraction]) -> None:
        self.lo = min(numbers if self.lo is None else [self.lo, *numbers])
        self.hi = max(numbers if self.hi is None else [self.hi, *numbers])

    def draft(self, name: str, bins: int) -> Column:
        if self.texts is not None:
            levels = sorted(self.texts, key=_by_number if self.numeric else None)
            if len(levels) == 1:  # an attribute has at least two codes
                levels.append(_OTHER if levels[0] != _OTHER else f"not {_OTHER}")
            return LevelColumn(name, tuple(levels))
        assert self.lo is not None
        assert self.hi is not None
        lo, hi = _outward(self.lo, ROUND_FLOOR), _outward(self.hi, ROUND_CEILING)
        if lo == hi:
            lo, hi = lo - 1, hi + 1
        return NumberColumn(name, BINS, bins, (lo, hi))


def _bad_text(cells: Any, table: Table, name: str, done: int) -> DataError:
    """The first cell that is empty or not UTF-8."""
    for row, cell in enumerate(cells.to_pylist(), start=1):
        raw = cell.encode() if isinstance(cell, str) else cell
        if not raw:
            return table.bad_cell(row=done + row, name=name, mark=MISSING, cell=cell)
        try:
            raw.decode()
        except UnicodeDecodeError:
            return table.bad_cell(row=done + row, name=name, mark=NOT_UTF8, cell=cell)
    raise AssertionError("every cell is text")


def _first(flags: Any) -> int:
    """The row, from 1, of the first flag that is set."""
    return int(flags.index(True).as_py()) + 1


def _by_number(text: str) -> Fraction:
    return parse_decimal(text) or Fraction(0)  # a text that is too long for a number is refused as a level, too


def _outward(value: Fraction, rounding: str) -> Fraction:
    """A decimal with few digits, on the given side of the value."""
    rounded = Context(prec=_DIGITS, rounding=rounding).divide(Decimal(value.numerator), Decimal(value.denominator))
    return Fraction(rounded)
