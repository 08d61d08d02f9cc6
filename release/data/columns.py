"""What the codes of one attribute mean: labels of a category, or cells of a public range of numbers, exactly.

A number belongs to the cell that its exact value lies in; ends of cells are fractions, never floats. The text of a
code, which a synthetic table shows, always reads back as the same code. Files are not touched here.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

BINS, EDGES, GRID = "bins", "edges", "grid"
REFUSE, CLIP = "refuse", "clip"
_EXACT_DIGITS = 18
"""A value whose decimal has at most this many digits is written exactly; otherwise a decimal close to it is."""
_CLOSE = Fraction(1, 10**6)
"""How close, in widths of the cell."""


@dataclass(frozen=True)
class LevelColumn:
    """A category: the code of a label is its place."""

    name: str
    levels: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.levels)

    @property
    def texts(self) -> tuple[str, ...]:
        """What a table shows for every code."""
        return self.levels

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "levels": list(self.levels)}


@dataclass(frozen=True)
class NumberColumn:
    """Numbers of a public range, in `size` cells.

    `bins` and `edges`: cell i holds the numbers from its left edge up to, but without, its right edge; the last cell is
    closed. `grid`: every number goes to the nearest of `size` equidistant points from end to end, upward when halfway.
    """

    name: str
    kind: str
    size: int
    ends: tuple[Fraction, ...]
    """The two ends of the range; every edge where the kind is `edges`."""
    outside: str = REFUSE

    @property
    def lo(self) -> Fraction:
        return self.ends[0]

    @property
    def hi(self) -> Fraction:
        return self.ends[-1]

    @cached_property
    def cuts(self) -> tuple[Fraction, ...]:
        """Where one cell ends and the next begins: the code of a number is how many cuts are at most the number."""
        if self.kind == EDGES:
            return self.ends[1:-1]
        width = self.hi - self.lo
        if self.kind == BINS:
            return tuple(self.lo + width * Fraction(i, self.size) for i in range(1, self.size))
        return tuple(self.lo + width * Fraction(2 * i - 1, 2 * (self.size - 1)) for i in range(1, self.size))

    @cached_property
    def values(self) -> tuple[Fraction, ...]:
        """What each code stands for: the middle of the bin, or the point of the grid."""
        if self.kind == GRID:
            width = self.hi - self.lo
            return tuple(self.lo + width * Fraction(i, self.size - 1) for i in range(self.size))
        bounds = (self.lo, *self.cuts, self.hi)
        return tuple((left + right) / 2 for left, right in pairwise(bounds))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What a table shows for every code: the value as a decimal, exact where that is short."""
        bounds = (self.lo, *self.cuts, self.hi)
        widths = (right - left for left, right in pairwise(bounds))
        found = []
        for value, width in zip(self.values, widths, strict=True):
            exact = exact_decimal(value, most_digits=_EXACT_DIGITS)
            found.append(close_decimal(value, width * _CLOSE, self.lo, self.hi) if exact is None else exact)
        return tuple(found)

    def code_of(self, number: Fraction) -> int | None:
        """The code of a number; None where the range does not hold it and clipping is not declared."""
        if not self.lo <= number <= self.hi and self.outside == REFUSE:
            return None
        return bisect_right(self.cuts, number)

    def to_json(self) -> dict[str, Any]:
        ends = [exact_decimal(end, most_digits=10**6) for end in self.ends]
        found: dict[str, Any] = {"name": self.name}
        if self.kind == EDGES:
            found["edges"] = ends
        else:
            found |= {"range": ends, self.kind: self.size}
        return found if self.outside == REFUSE else {**found, "outside": self.outside}


Column = LevelColumn | NumberColumn


def exact_decimal(value: Fraction, *, most_digits: int) -> str | None:
    """The decimal of a fraction, or None where it has more digits or no end.

    >>> exact_decimal(Fraction(-1, 8), most_digits=18), exact_decimal(Fraction(1, 3), most_digits=18)
    ('-0.125', None)
    """
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    text = _fixed(value, max(twos, fives))
    return text if sum(c.isdigit() for c in text) <= most_digits else None


def close_decimal(value: Fraction, tolerance: Fraction, lo: Fraction, hi: Fraction) -> str:
    """A short decimal within [lo, hi] that differs from the value by at most the tolerance.

    >>> close_decimal(Fraction(1, 3), Fraction(1, 1000), Fraction(0), Fraction(1))
    '0.3333'
    """
    places = max(0, len(str(int(1 / tolerance))))  # rounding errs by at most half a unit of the last place
    while True:
        text = _fixed(value, places)
        if lo <= Fraction(text) <= hi:
            return text.rstrip("0").rstrip(".") if "." in text else text
        places += 1


def _fixed(value: Fraction, places: int) -> str:
    scaled = round(value * 10**places)
    digits = str(abs(scaled)).rjust(places + 1, "0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
