"""The meaning of the codes of one attribute: labels of a category, or cells of a public range of numbers, exactly.

A number belongs to the cell that contains its exact value; ends of cells are fractions, never floats. Any column may
declare that cells can be missing: they have their own code, the last one, so that code behind the schema sees one more
value and no gap. The text of a code, which a synthetic table shows, always reads back as the same code. Dates are in
release.data.dates. Files are not touched here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor
from typing import Any

from release.data.decimals import close_decimal, exact_decimal, parse_decimal

BINS, EDGES, GRID = "bins", "edges", "grid"
REFUSE, CLIP = "refuse", "clip"
MIDDLE, INSIDE = "middle", "inside"
"""What a table shows for a bin: always the same value, or one drawn inside it."""
MISSING_VALUES: tuple[str, ...] = ("",)
"""The text of a missing cell if a schema does not declare it: empty."""
_EXACT_DIGITS = 18
"""A value whose decimal has at most this many digits is written exactly; otherwise a decimal close to it is."""
_CLOSE = Fraction(1, 10**6)
"""How close, in widths of the cell."""


class Column(ABC):
    """One attribute of a public schema: a number of distinguishable values, and perhaps a code for missing cells."""

    name: str
    missing: tuple[str, ...]
    """How a missing cell is spelled, the first as it is written; empty if no cell may be missing."""

    @property
    @abstractmethod
    def value_texts(self) -> tuple[str, ...]:
        """What a table shows for every code that is not missing."""

    @property
    @abstractmethod
    def value_count(self) -> int:
        """The number of codes without the missing one; they come first."""

    @property
    @abstractmethod
    def is_ordered(self) -> bool:
        """Whether the codes that are not missing rise in a sense that the schema declares."""

    @property
    def numbers(self) -> tuple[Fraction, ...] | None:
        """The number that each code that is not missing stands for; None if they are not numbers."""
        return None

    @abstractmethod
    def _kind_json(self) -> dict[str, Any]:
        """The fields other than the name and `missing`."""

    @property
    def size(self) -> int:
        """The number of codes, including that of missing cells."""
        return self.value_count + bool(self.missing)

    @property
    def missing_code(self) -> int | None:
        """The code of missing cells, always the last; None if no cell may be missing."""
        return self.value_count if self.missing else None

    @property
    def texts(self) -> tuple[str, ...]:
        """What a table shows for every code."""
        return (*self.value_texts, *self.missing[:1])

    @property
    def cell_texts(self) -> tuple[str, ...]:
        """The cells of records with each code: a value, or numbers of a range."""
        return self.texts

    def to_json(self, missing_values: tuple[str, ...] = MISSING_VALUES) -> dict[str, Any]:
        """The object of a schema file; `missing_values` spells missing cells unless a column says otherwise."""
        found = {"name": self.name, **self._kind_json()}
        if not self.missing:
            return found
        return {**found, "missing": True if self.missing == missing_values else list(self.missing)}


@dataclass(frozen=True)
class LevelColumn(Column):
    """A category: the code of a label is its place."""

    name: str
    levels: tuple[str, ...]
    ordered: bool | None = None
    """As the schema says; if it does not, labels that are rising numbers are ordered."""
    missing: tuple[str, ...] = ()

    @property
    def value_count(self) -> int:
        return len(self.levels)

    @property
    def value_texts(self) -> tuple[str, ...]:
        return self.levels

    @cached_property
    def is_ordered(self) -> bool:
        if self.ordered is not None:
            return self.ordered
        return self.numbers is not None and all(a < b for a, b in pairwise(self.numbers))

    @cached_property
    def numbers(self) -> tuple[Fraction, ...] | None:
        found = tuple(map(parse_decimal, self.levels))
        return None if None in found else tuple(number for number in found if number is not None)

    def _kind_json(self) -> dict[str, Any]:
        return {"levels": list(self.levels), **({} if self.ordered is None else {"ordered": self.ordered})}


@dataclass(frozen=True)
class NumberColumn(Column):
    """Numbers of a public range, in cells.

    `bins` and `edges`: cell i contains the numbers from its left edge up to, but without, its right edge; the last cell
    is closed. `grid`: every number goes to the nearest of equidistant points from end to end, upward when halfway.
    """

    name: str
    kind: str
    cells: int
    ends: tuple[Fraction, ...]
    """The two ends of the range; every edge if the kind is `edges`."""
    outside: str = REFUSE
    whole: bool = False
    """Only whole numbers occur, and only whole numbers are written."""
    missing: tuple[str, ...] = ()

    @property
    def value_count(self) -> int:
        return self.cells

    @property
    def is_ordered(self) -> bool:
        return True

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        return self.values

    @property
    def lo(self) -> Fraction:
        """The lower end of the range."""
        return self.ends[0]

    @property
    def hi(self) -> Fraction:
        """The upper end of the range."""
        return self.ends[-1]

    @cached_property
    def cuts(self) -> tuple[Fraction, ...]:
        """Where one cell ends and the next begins: the code of a number is the number of cuts that do not exceed it."""
        if self.kind == EDGES:
            return self.ends[1:-1]
        width = self.hi - self.lo
        if self.kind == BINS:
            return tuple(self.lo + width * Fraction(i, self.cells) for i in range(1, self.cells))
        return tuple(self.lo + width * Fraction(2 * i - 1, 2 * (self.cells - 1)) for i in range(1, self.cells))

    @cached_property
    def bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Both ends of every cell."""
        return tuple(pairwise((self.lo, *self.cuts, self.hi)))

    def whole_numbers(self, code: int, *, unit: Fraction = Fraction(1)) -> tuple[int, int]:
        """The least and the largest whole number of units in a cell; there is none if the first is above the second."""
        left, right = (end / unit for end in self.bounds[code])
        return ceil(left), floor(right) if code == self.cells - 1 else ceil(right) - 1

    @cached_property
    def values(self) -> tuple[Fraction, ...]:
        """The value of each code: the middle of the bin, or of its whole numbers if so declared, or the grid point."""
        if self.kind == GRID:
            width = self.hi - self.lo
            return tuple(self.lo + width * Fraction(i, self.cells - 1) for i in range(self.cells))
        if self.whole:
            return tuple(Fraction(sum(self.whole_numbers(code)) // 2) for code in range(self.cells))
        return tuple((left + right) / 2 for left, right in self.bounds)

    @cached_property
    def value_texts(self) -> tuple[str, ...]:
        return tuple(self._text(value, code) for code, value in enumerate(self.values))

    @cached_property
    def end_texts(self) -> tuple[str, ...]:
        """Where each cell ends."""
        return tuple(self._text(right, code) for code, (_, right) in enumerate(self.bounds))

    @cached_property
    def cell_texts(self) -> tuple[str, ...]:
        if self.kind == GRID:
            return self.texts
        return (*map(self._cell_text, range(self.cells)), *self.texts[self.cells :])

    def _cell_text(self, code: int) -> str:
        """The numbers of a cell; also those beyond the range, if they are counted in its first and last cell."""
        first, last = code == 0 and self.outside == CLIP, code == self.cells - 1 and self.outside == CLIP
        if self.whole:
            low, high = self.whole_numbers(code)
            if low > high or (low == high and not (first or last)):
                return self.texts[code]
            return f"at most {high}" if first else f"at least {low}" if last else f"{low} to {high}"
        left, right = (self._text(end, code) for end in self.bounds[code])
        if first or last:
            return f"less than {right}" if first else f"at least {left}"
        return f"{left} to {right}" if code == self.cells - 1 else f"{left} to less than {right}"

    def _text(self, value: Fraction, code: int) -> str:
        """A number in a cell, exactly if that is short, otherwise a close one."""
        exact = exact_decimal(value, most_digits=_EXACT_DIGITS)
        if exact is None and value.denominator == 1:
            exact = str(value) if self.whole else None
        left, right = self.bounds[code]
        return close_decimal(value, (right - left) * _CLOSE, self.lo, self.hi) if exact is None else exact

    def code_of(self, number: Fraction) -> int | None:
        """The code of a number; None if it is outside the range and clipping is not declared."""
        if not self.lo <= number <= self.hi and self.outside == REFUSE:
            return None
        return bisect_right(self.cuts, number)

    def writes(self, text: str) -> bool:
        """Whether a text means the number that stands for a code, which lies in the cell of that code."""
        number = parse_decimal(text)
        if number is None or not self.lo <= number <= self.hi:
            return False
        near = bisect_right(self.cuts, number)
        codes = range(max(0, near - 1), min(self.cells, near + 2))
        return any(Fraction(self._text(self.values[code], code)) == number for code in codes)

    def _kind_json(self) -> dict[str, Any]:
        ends = [exact_decimal(end, most_digits=10**6) for end in self.ends]
        found: dict[str, Any] = {EDGES: ends} if self.kind == EDGES else {"range": ends, self.kind: self.cells}
        if self.outside != REFUSE:
            found["outside"] = self.outside
        return {**found, "whole": True} if self.whole else found
