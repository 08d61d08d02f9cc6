"""Cells of a column of dates turned into codes: texts by the declared format, dates and timestamps as they are.

A timestamp is a number of moments since 1970; one with a time zone is read in UTC, as it is stored, so that no table of
zones decides a code.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from release.data.coding import (
    EARLY_OR_LATE,
    MISSING,
    NOT_A_DATE,
    NOT_UTF8,
    Coder,
    decoded,
    is_text,
    through_dictionary,
)
from release.data.dates import DateColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.coding import Marked

EPOCH = date(1970, 1, 1).toordinal()
_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_HOURS = 24


class DateCoder(Coder):
    """Codes of dates and times."""

    def __init__(self, column: DateColumn) -> None:
        self._column = column

    def marked(self, cells: Any) -> Marked:
        return through_dictionary(cells, self._plain)

    def _plain(self, cells: Any) -> Marked:
        import pyarrow as pa
        import pyarrow.compute as pc

        if is_text(cells.type):
            return np.array([self._text(cell) for cell in cells.cast(pa.large_binary()).to_pylist()], dtype=np.int64)
        found: Marked = np.full(len(cells), MISSING, dtype=np.int64)
        present = pc.is_valid(cells).to_numpy(zero_copy_only=False)
        hours, places = np.unique(hours_since_epoch(cells.drop_null()), return_inverse=True)
        codes = [self._code(int(hour) // _HOURS + EPOCH, int(hour) % _HOURS) for hour in hours]
        found[present] = np.array(codes, dtype=np.int64)[places]
        return found

    def _text(self, cell: bytes | None) -> int:
        if not cell:
            return MISSING
        text = decoded(cell)
        if text is None:
            return NOT_UTF8
        read = self._column.format.read(text)
        return NOT_A_DATE if read is None else self._code(*read)

    def _code(self, day: int, hour: int) -> int:
        code = self._column.code_of(day, hour)
        return EARLY_OR_LATE if code is None else code


def hours_since_epoch(cells: Any) -> NDArray[np.int64]:
    """Whole hours since 1970 of dates or timestamps without nulls, rounded down."""
    import pyarrow as pa
    import pyarrow.types as t

    if t.is_date32(cells.type):
        return np.asarray(cells.cast(pa.int32()).to_numpy(zero_copy_only=False), dtype=np.int64) * _HOURS
    per_second = _UNITS["ms" if t.is_date64(cells.type) else cells.type.unit]
    moments = np.asarray(cells.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)
    return moments // (3600 * per_second)
