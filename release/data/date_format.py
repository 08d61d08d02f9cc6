"""Texts of dates and times in a declared format, read and written in whole numbers only.

The directives are those of strptime that do not depend on a place or a language: names of months are English. A part
that a format does not show is the first of its kind: January, the 1st, midnight. Time zones are not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_SHORT = tuple(name[:3] for name in MONTHS)
_PATTERNS = {
    "Y": r"\d{4}",
    "y": r"\d{2}",
    "m": r"1[0-2]|0[1-9]|[1-9]",
    "B": f"(?i:{'|'.join(MONTHS)})",
    "b": f"(?i:{'|'.join(_SHORT)})",
    "d": r"3[01]|[12]\d|0[1-9]|[1-9]",
    "j": r"36[0-6]|3[0-5]\d|[12]\d{2}|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9]",
    "H": r"2[0-3]|[01]\d|\d",
    "I": r"1[0-2]|0[1-9]|[1-9]",
    "p": r"(?i:am|pm)",
    "M": r"[0-5]\d|\d",
    "S": r"[0-5]\d|\d",
    "f": r"\d{1,6}",
}
DIRECTIVES = tuple(f"%{letter}" for letter in _PATTERNS)
DAY_MICROSECONDS = 24 * 3600 * 10**6
_ALIKE = ("Yy", "mBbj", "dj", "HI")
"""A format has at most one of each of these."""
_CENTURY_TURN = 69
"""Two digits from here on belong to the 20th century, lower ones to the 21st, as in POSIX."""


@dataclass(frozen=True)
class DateFormat:
    """A format such as `%Y-%m-%d %H:%M:%S`; `complaint` says what is wrong with it."""

    text: str

    @cached_property
    def shows(self) -> frozenset[str]:
        """The letters of its directives."""
        return frozenset(re.findall(r"%(.)", self.text, re.DOTALL))

    @property
    def shows_day(self) -> bool:
        """Whether it distinguishes one day from the next."""
        return bool(self.shows & {"d", "j"})

    @property
    def step(self) -> int:
        """The fewest microseconds between moments of a day that it distinguishes; a whole day if it shows no time."""
        for letters, seconds in (("f", 0), ("S", 1), ("M", 60), ("HI", 3600)):
            if self.shows & set(letters):
                return seconds * 10**6 or 1
        return DAY_MICROSECONDS

    @property
    def complaint(self) -> str | None:
        """Why texts of this format cannot be read, or None."""
        letters = re.findall(r"%(.?)", self.text, re.DOTALL)
        for letter in letters:
            if letter not in _PATTERNS:
                return f"%{letter} is not a directive; known are {', '.join(DIRECTIVES)}"
            if letters.count(letter) > 1:
                return f"%{letter} is given twice"
        for group in _ALIKE:
            both = [f"%{letter}" for letter in letters if letter in group]
            if len(both) > 1:
                return f"{both[0]} and {both[1]} mean the same"
        if not self.shows & set("Yy"):
            return "it must show the year, by %Y or %y"
        if "d" in self.shows and not self.shows & set("mBb"):
            return "%d needs the month, by %m, %b or %B"
        if ("I" in self.shows) != ("p" in self.shows):
            return "%I and %p need each other"
        for fine, coarse in (("f", "S"), ("S", "M"), ("M", "HI")):
            if fine in self.shows and not self.shows & set(coarse):
                return f"%{fine} needs %{coarse[0]}"
        return None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = re.split(r"%(.)", self.text, flags=re.DOTALL)
        return re.compile(
            "".join(f"(?P<{part}>{_PATTERNS[part]})" if i % 2 else re.escape(part) for i, part in enumerate(parts)),
            re.ASCII,
        )

    def read(self, text: str) -> tuple[int, int] | None:
        """The day, counted from 1 January of the year 1, and the hour; None if the text is not such a date."""
        found = self._pattern.match(text)
        if found is None or found.end() != len(text):
            return None
        said = found.groupdict()
        day = _day(said)
        return None if day is None else (day, _hour(said))

    def write(self, day: int, microsecond: int = 0) -> str:
        """That moment of a day, counted as `read` counts, as far as the format shows it."""
        seconds, rest = divmod(microsecond, 10**6)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        when = date.fromordinal(day)
        said = {
            "Y": f"{when.year:04}",
            "y": f"{when.year % 100:02}",
            "m": f"{when.month:02}",
            "B": MONTHS[when.month - 1],
            "b": _SHORT[when.month - 1],
            "d": f"{when.day:02}",
            "j": f"{day - date(when.year, 1, 1).toordinal() + 1:03}",
            "H": f"{hour:02}",
            "I": f"{(hour - 1) % 12 + 1:02}",
            "p": "AM" if hour < 12 else "PM",
            "M": f"{minute:02}",
            "S": f"{second:02}",
            "f": f"{rest:06}",
        }
        return re.sub(r"%(.)", lambda found: said[found[1]], self.text, flags=re.DOTALL)


def _day(said: dict[str, str]) -> int | None:
    if "Y" in said:
        year = int(said["Y"])
    else:
        year = int(said["y"])
        year += 1900 if year >= _CENTURY_TURN else 2000
    month = int(said.get("m", 1))
    for letter, names in (("B", MONTHS), ("b", _SHORT)):
        if letter in said:
            month = names.index(said[letter].capitalize()) + 1
    try:
        if "j" in said:
            day = date(year, 1, 1).toordinal() + int(said["j"]) - 1
            return day if day <= date(year, 12, 31).toordinal() else None
        return date(year, month, int(said.get("d", 1))).toordinal()
    except ValueError:  # 30 February, or the year 0
        return None


def _hour(said: dict[str, str]) -> int:
    if "I" in said:
        return int(said["I"]) % 12 + (12 if said["p"].lower() == "pm" else 0)
    return int(said.get("H", 0))
