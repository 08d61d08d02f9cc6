"""Numbers with a direction, as text: upper bounds are rounded up, lower bounds down."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, log10

from flint import arb

from bounds.enclosure import Enclosure

Real = Enclosure | Fraction | float | int | arb
_NEGLIGIBLE = Fraction(1, 10**9)
"""Share of a unit of the last place by which an enclosure of an exact number may be off."""


def up(value: Real, places: int) -> str:
    """Rounded up to a decimal with that many places."""
    return _decimal(ceil(_exact(value) * 10**places - _NEGLIGIBLE), places)


def down(value: Real, places: int) -> str:
    return _decimal(floor(_exact(value) * 10**places + _NEGLIGIBLE), places)


def digits_up(value: Real, count: int) -> str:
    """Rounded up to that many significant digits, written out."""
    return up(value, count - 1 - _power(value))


def scientific_up(value: Real, count: int) -> str:
    """The same as a number from 1 to 10 times a power of ten."""
    power = _power(value)
    shown = up(_exact(value) / Fraction(10) ** power, count - 1)
    return rf"{shown}\cdot10^{power if 0 <= power < 10 else f'{{{power}}}'}"


def _exact(value: Real) -> Fraction:
    enclosed = Enclosure.of(value) if isinstance(value, arb) else value
    return enclosed.midpoint if isinstance(enclosed, Enclosure) else Fraction(enclosed)


def _power(value: Real) -> int:
    return floor(log10(float(_exact(value))))


def _decimal(whole: int, places: int) -> str:
    return f"{Decimal(whole).scaleb(-places):f}"
