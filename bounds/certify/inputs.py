"""Common to every radius: checked exact inputs, and rounding up to 12 digits."""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import decimal_text
from bounds.errors import ParameterError
from bounds.exact import parse_rational, require_range

RADIUS_DIGITS = 12  # significant digits of every radius, rounded up
RADIUS_BITS = 48  # a little more than those digits


def rounded_up(value: Fraction) -> Fraction:
    """The least number of 12 significant decimal digits that is not below value.

    >>> rounded_up(Fraction(2, 3)) == Fraction("0.666666666667")
    True
    """
    return Fraction(decimal_text(value, RADIUS_DIGITS, up=True))


def exact_number(name: str, value: object) -> Fraction:
    """A Fraction of any length as it is; decimal text and integers parsed; floats refused."""
    return value if isinstance(value, Fraction) else parse_rational(value, name)


def probability(name: str, value: object) -> Fraction:
    """An exact number strictly between 0 and 1."""
    number = exact_number(name, value)
    require_range(name, number, value, above=0, below=1, reason="a probability")
    return number


def positive_dimension(value: object) -> int:
    number = exact_number("dimension", value)
    if number.denominator != 1:
        raise ParameterError("dimension", value, "a whole number")
    require_range("dimension", number, value, least=1)
    return number.numerator
