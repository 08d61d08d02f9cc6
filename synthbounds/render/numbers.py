"""Numbers as people read them, and as machines do."""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import MOST_DIGITS_SHOWN, Enclosure, decimal_text
from bounds.enclosure import integer_text as integer_text
from bounds.exact import LARGEST_JSON_INTEGER, show_rational

_DIGITS = 4


def up(value: Fraction, digits: int = _DIGITS) -> str:
    """Rounded so that "at most" stays true."""
    return decimal_text(value, digits, up=True)


def down(value: Fraction, digits: int = _DIGITS) -> str:
    """Rounded so that "at least" stays true."""
    return decimal_text(value, digits, up=False)


def enclosure_text(enclosure: Enclosure, digits: int = 10) -> str:
    """An exact number as it is if that is short; otherwise rounded to nearest, with two decimals at least.

    >>> enclosure_text(Enclosure(Fraction(1, 5), Fraction(1, 5)))
    '0.2'
    >>> enclosure_text(Enclosure(Fraction(10**15 + 1, 3), Fraction(10**15 + 1, 3)))
    '333,333,333,333,333.67'
    """
    exact = show_rational(enclosure.lo) if enclosure.is_exact else ""
    if exact and "..." not in exact and len(exact) <= 24 and ("/" not in exact or len(exact) <= 6):
        return _grouped(exact)
    value = enclosure.midpoint
    whole = len(str(abs(int(value))))
    if whole > MOST_DIGITS_SHOWN:
        return decimal_text(value, digits, up=True)
    return _grouped(nearest_text(value, max(digits, whole + 2)))


def nearest_text(value: Fraction, digits: int) -> str:
    """Decimal text with that many significant digits, rounded to nearest."""
    low, high = decimal_text(value, digits, up=False), decimal_text(value, digits, up=True)
    return low if value - Fraction(low) < Fraction(high) - value else high


def _grouped(text: str) -> str:
    whole, dot, rest = text.partition(".")
    if whole.lstrip("-").isdigit() and len(whole.lstrip("-")) > 3:
        whole = f"{int(whole):,}"
    return whole + dot + rest


def json_integer(value: int | None) -> int | str | None:
    """A JSON number up to 2^53, decimal text above."""
    return value if value is None or abs(value) <= LARGEST_JSON_INTEGER else str(value)


def json_enclosure(enclosure: Enclosure | None, digits: int = 25) -> dict[str, str] | None:
    if enclosure is None:
        return None
    low, high = enclosure.decimal(digits)
    return {"lo": low, "hi": high}
