"""Decimal numbers of tables, exactly: the fraction that a cell denotes, and short decimals that denote a fraction."""

from __future__ import annotations

import re
from fractions import Fraction

_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+))?", re.ASCII)
MOST_CHARACTERS = 1200
_MOST_EXPONENT = 3000
"""Beyond these a number is too small or too large for any range of a schema, and its fraction unreasonably long."""


def parse_decimal(text: str) -> Fraction | None:
    """The exact number of a cell, or None if it is not a decimal number of reasonable size."""
    found = _DECIMAL.fullmatch(text) if len(text) <= MOST_CHARACTERS else None
    if found is None:
        return None
    exponent = found.group(1) or "0"
    if len(exponent) > 6 or abs(int(exponent)) > _MOST_EXPONENT:
        return None
    return Fraction(text)


def is_decimal(text: str) -> bool:
    """Whether the text is a decimal number, of whatever size."""
    return _DECIMAL.fullmatch(text) is not None


def exact_decimal(value: Fraction, *, most_digits: int) -> str | None:
    """The decimal of a fraction, or None if it has more digits or no end.

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
    text = fixed_decimal(value, max(twos, fives))
    return text if sum(c.isdigit() for c in text) <= most_digits else None


def close_decimal(value: Fraction, tolerance: Fraction, lo: Fraction, hi: Fraction) -> str:
    """A short decimal within [lo, hi] that differs from the value by at most the tolerance.

    >>> close_decimal(Fraction(1, 3), Fraction(1, 1000), Fraction(0), Fraction(1))
    '0.3333'
    """
    places = max(0, len(str(int(1 / tolerance))))  # rounding errs by at most half a unit of the last place
    while True:
        text = fixed_decimal(value, places)
        if lo <= Fraction(text) <= hi:
            return text.rstrip("0").rstrip(".") if "." in text else text
        places += 1


def fixed_decimal(value: Fraction, places: int) -> str:
    """The value rounded to this many decimal places."""
    scaled = round(value * 10**places)
    digits = str(abs(scaled)).rjust(places + 1, "0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
