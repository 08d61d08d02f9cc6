"""Numbers as people read them, and as machines do."""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import Enclosure, decimal_text
from bounds.exact import show_rational

LARGEST_JSON_INTEGER = 2**53
_MOST_DIGITS_SHOWN = 40


def integer_text(value: int | None) -> str:
    """Thousands separators; beyond 40 digits a leading part and the number of digits.

    >>> integer_text(7301638074)
    '7,301,638,074'
    """
    if value is None:
        return "-"
    digits = len(str(value))
    if digits > _MOST_DIGITS_SHOWN:
        return f"{decimal_text(Fraction(value), 6, up=True)} ({digits} digits)"
    return f"{value:,}"


def enclosure_text(enclosure: Enclosure, digits: int = 10) -> str:
    """An exact number as it is; otherwise the upper end, with the digits on which both ends agree.

    >>> enclosure_text(Enclosure(Fraction(1, 5), Fraction(1, 5)))
    '0.2'
    """
    if enclosure.is_exact and len(show_rational(enclosure.lo)) <= 24:
        return _grouped(show_rational(enclosure.lo))
    low, high = enclosure.decimal(digits)
    return _grouped(low) if low == high else _grouped(high)


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
