"""A value somewhere inside the bin of a code, for synthetic tables that should not repeat the middle of every bin.

The draws are public: they depend on the codes, which are synthetic already, and on a seed. Every value reads back as
its code. A label, a grid point and a missing cell have a single value; only bins of numbers and dates have an inside.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from release.data.columns import GRID, Column, NumberColumn
from release.data.date_format import DAY_MICROSECONDS
from release.data.dates import HOUR, HOUR_MICROSECONDS, DateColumn
from release.data.decimals import fixed_decimal, parse_decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_CHOICES = 100
"""There are enough decimal places for every bin to have at least this many values."""


def has_inside(column: Column) -> bool:
    """Whether codes of the column stand for more than one value."""
    return isinstance(column, DateColumn) or (isinstance(column, NumberColumn) and column.kind != GRID)


class Draws:
    """One stream of numbers for each column, so that neither order nor blocks of rows change what is drawn."""

    def __init__(self, seed: int, column: int) -> None:
        self._stream = np.random.Philox(key=seed, counter=[0, 0, 0, column])

    def below(self, counts: list[int]) -> list[int]:
        """For each count a whole number from 0 to the count - 1."""
        raw = self._stream.random_raw(len(counts)).tolist()
        return [number * count >> 64 for number, count in zip(raw, counts, strict=True)]


class NumbersInside:
    """Whole numbers, or decimals with a few places, of bins."""

    def __init__(self, column: NumberColumn) -> None:
        self._column = column
        self._places = 0
        if not column.whole:
            narrowest = min(right - left for left, right in column.bounds)
            while narrowest * 10**self._places < _LEAST_CHOICES:
                self._places += 1
        self._unit = Fraction(1, 10**self._places)
        self._spelled = {parse_decimal(text) for text in column.missing} - {None}
        self._ends = [column.whole_numbers(code, unit=self._unit) for code in range(column.cells)]

    def texts(self, codes: NDArray[np.integer], draws: Draws) -> list[str]:
        """A number in the bin of every code; none that spells a missing cell."""
        ends = [self._ends[code] for code in codes.tolist()]
        chosen = draws.below([most - least + 1 for least, most in ends])
        found = [self._text(least + more) for (least, _), more in zip(ends, chosen, strict=True)]
        if self._spelled:
            middles = self._column.value_texts
            found = [
                middles[code] if Fraction(text) in self._spelled else text
                for code, text in zip(codes.tolist(), found, strict=True)
            ]
        return found

    def _text(self, units: int) -> str:
        return str(units) if self._places == 0 else fixed_decimal(units * self._unit, self._places)

    @cached_property
    def extremes(self) -> list[str]:
        """The least and the largest number of every bin: what reads back there reads back in between."""
        return [self._text(end) for ends in self._ends for end in ends]


class MomentsInside:
    """Moments of bins of the calendar, as fine as the format shows them."""

    def __init__(self, column: DateColumn) -> None:
        self._column = column
        self._steps = (HOUR_MICROSECONDS if column.by == HOUR else DAY_MICROSECONDS) // column.format.step

    def moments(self, codes: NDArray[np.integer], draws: Draws) -> list[tuple[int, int]]:
        """A day and a microsecond of it in the bin of every code."""
        column, found = self._column, []
        days = [column.days(code) if column.format.shows_day else column.days(code)[:1] for code in codes.tolist()]
        chosen = draws.below([len(those) * self._steps for those in days])
        for code, those, number in zip(codes.tolist(), days, chosen, strict=True):
            day, step = divmod(number, self._steps)
            hour = code if column.by == HOUR else 0
            found.append((those[day], hour * HOUR_MICROSECONDS + step * column.format.step))
        return found


def first_moments(column: DateColumn) -> list[tuple[int, int]]:
    """The day and the microsecond with which every bin begins."""
    return [(day, hour * HOUR_MICROSECONDS) for day, hour in column.moments]


def arrow_moments(column: DateColumn, moments: list[Any]) -> Any:
    """Days and microseconds of them, or None, as dates, or as timestamps if the format shows the time of day."""
    import pyarrow as pa

    from release.data.date_coding import EPOCH

    if column.format.step == DAY_MICROSECONDS:
        return pa.array([None if m is None else m[0] - EPOCH for m in moments], pa.int32()).cast(pa.date32())
    counted = [None if m is None else (m[0] - EPOCH) * DAY_MICROSECONDS + m[1] for m in moments]
    return pa.array(counted, pa.int64()).cast(pa.timestamp("us"))
