"""A column of dates or times: moments of a public span, in bins of the calendar, in whole numbers only.

Bins by year, quarter, month, week or day follow each other from the first day to the last; a week begins on Monday.
Bins by hour (of the day) and by weekday recur: hours are ordered; weekdays, Monday first, are not.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from release.data.columns import REFUSE, Column
from release.data.date_format import DateFormat

YEAR, QUARTER, MONTH, WEEK, DAY, WEEKDAY, HOUR = "year", "quarter", "month", "week", "day", "weekday", "hour"
BY = (YEAR, QUARTER, MONTH, WEEK, DAY, WEEKDAY, HOUR)
_CYCLES = {WEEKDAY: 7, HOUR: 24}
HOUR_MICROSECONDS = 3600 * 10**6


@dataclass(frozen=True)
class DateColumn(Column):
    """Dates or times from the first day to the last, both included, in bins of the calendar."""

    name: str
    format: DateFormat
    first: date
    last: date
    by: str
    outside: str = REFUSE
    """Whether a moment outside the span is refused, or moved to its nearest end."""
    missing: tuple[str, ...] = ()

    @property
    def value_count(self) -> int:
        return _CYCLES[self.by] if self.by in _CYCLES else _bin(self.by, self.last) - _bin(self.by, self.first) + 1

    @property
    def is_ordered(self) -> bool:
        return self.by != WEEKDAY

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """For bins that follow each other: the first day of each within the span."""
        first = _bin(self.by, self.first)
        later = (_first_day(self.by, first + i) for i in range(1, self.value_count))
        return (self.first.toordinal(), *later)

    def code_of(self, day: int, hour: int) -> int | None:
        """The code of an hour of a day; None if it is outside the span and clipping is not declared."""
        first, last = self.first.toordinal(), self.last.toordinal()
        if not first <= day <= last:
            if self.outside == REFUSE:
                return None
            day, hour = (first, 0) if day < first else (last, 23)
        if self.by == HOUR:
            return hour
        if self.by == WEEKDAY:
            return _weekday(day)
        return bisect_right(self.starts, day) - 1

    def days(self, code: int) -> range:
        """The days of a bin within the span."""
        first, last = self.first.toordinal(), self.last.toordinal()
        if self.by == HOUR:
            return range(first, last + 1)
        if self.by == WEEKDAY:
            return range(first + (code - _weekday(first)) % 7, last + 1, 7)
        end = self.starts[code + 1] if code + 1 < len(self.starts) else last + 1
        return range(self.starts[code], end)

    @cached_property
    def moments(self) -> tuple[tuple[int, int], ...]:
        """The first moment of every bin within the span: its day, and the hour."""
        return tuple((self.days(code)[0], code if self.by == HOUR else 0) for code in range(self.value_count))

    @cached_property
    def value_texts(self) -> tuple[str, ...]:
        return tuple(self.format.write(day, hour * HOUR_MICROSECONDS) for day, hour in self.moments)

    @property
    def complaint(self) -> str | None:
        """Why a table in this format could not be read back as the same codes, or None."""
        if self.by == WEEKDAY and (self.last - self.first).days < 6:
            return f"by = {WEEKDAY}: the span must contain every day of the week"
        for code, text in enumerate(self.value_texts):
            read = self.format.read(text)
            if read is None or self.code_of(*read) != code:
                return (
                    f"by = {self.by}: bin {code + 1} would be written {text}, which reads as another bin; "
                    "give a finer format, or a first day that begins a bin"
                )
        return None

    def _kind_json(self) -> dict[str, Any]:
        found = {"date": self.format.text, "first": self.first.isoformat(), "last": self.last.isoformat()}
        found["by"] = self.by
        return found if self.outside == REFUSE else {**found, "outside": self.outside}


def span_of_bins(first: date, last: date, by: str) -> tuple[date, date]:
    """The whole bins that contain these days, at least two of them if bins follow each other."""
    if by in _CYCLES:
        return first, last
    numbers = _bin(by, first), _bin(by, last)
    if numbers[0] == numbers[1]:
        numbers = (numbers[0] - 1, numbers[1]) if last.year == date.max.year else (numbers[0], numbers[1] + 1)
    at_end = by == YEAR and numbers[1] == date.max.year
    end = date.max.toordinal() if at_end else _first_day(by, numbers[1] + 1) - 1
    return date.fromordinal(max(1, _first_day(by, numbers[0]))), date.fromordinal(end)


def _weekday(day: int) -> int:
    return (day - 1) % 7  # 1 January of the year 1 was a Monday


def _bin(by: str, when: date) -> int:
    """The number of a bin of the calendar, counted from the year 0 or the first Monday."""
    if by == WEEK:
        return (when.toordinal() - 1) // 7
    if by == DAY:
        return when.toordinal()
    return {YEAR: when.year, QUARTER: 4 * when.year + (when.month - 1) // 3, MONTH: 12 * when.year + when.month - 1}[by]


def _first_day(by: str, number: int) -> int:
    if by == WEEK:
        return 7 * number + 1
    if by == DAY:
        return number
    months = {YEAR: 12, QUARTER: 3, MONTH: 1}[by]
    return date(number * months // 12, number * months % 12 + 1, 1).toordinal()
