"""The smallest epsilon for n records and a target: six digits that suffice while one unit less does not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from bounds.roots import first_integer

_DIGITS = 6
_LARGEST = Fraction(1000)
_LAST_DECADE = -12
LEAST = Fraction(1, 10**12)
"""The least epsilon that is looked at."""


def smallest_decimal(enough: Callable[[Fraction], bool]) -> Fraction | None:
    """The smallest decimal of six digits, from 1e-12 to 1000, at which a growing condition holds.

    >>> smallest_decimal(lambda x: x * x >= 2)
    Fraction(70711, 50000)
    """
    decade = 3
    if not enough(_LARGEST):
        return None
    while decade > _LAST_DECADE and enough(_power_of_ten(decade - 1)):
        decade -= 1
    unit = _power_of_ten(decade - _DIGITS)
    if decade == _LAST_DECADE:
        return LEAST
    # in units; the decade below is not enough, its end is
    return unit * first_integer(lambda x: enough(x * unit), low=10 ** (_DIGITS - 1), high=10**_DIGITS)


def unit_below(value: Fraction) -> Fraction:
    """The decimal of six digits just below."""
    decade = 3
    while _power_of_ten(decade - 1) >= value:
        decade -= 1
    return value - _power_of_ten(decade - _DIGITS)


def _power_of_ten(exponent: int) -> Fraction:
    return Fraction(10**exponent) if exponent >= 0 else Fraction(1, 10**-exponent)
