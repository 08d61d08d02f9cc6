"""Certified numbers in words for people who never met them: points of a percentage, a confidence, a rare chance.

Each is rounded to the side on which its sentence stays true.
"""

from __future__ import annotations

from fractions import Fraction

from bounds.exact import show_rational
from synthbounds.render.numbers import down, up


def points(share: Fraction, digits: int = 2) -> str:
    """The error of a share in points of a percentage, rounded up.

    >>> points(Fraction("0.00828")), points(Fraction("0.251"))
    ('0.83', '26')
    """
    return up(100 * share, digits)


def confidence(beta: Fraction) -> str:
    """How surely a statement is true that fails with probability beta, rounded down.

    >>> confidence(Fraction("0.05")), confidence(Fraction(1, 30))
    ('95 % confidence', '96.6666 % confidence')
    """
    return f"{down(100 * (1 - beta), 6)} % confidence"


def surely(beta: Fraction, least_size: int | None) -> str:
    """How a certified sentence begins; `least_size` is what it supposes of a table whose size is private."""
    supposed = "" if least_size is None else f", if the table has {least_size:,} records or more"
    return f"With {confidence(beta)}{supposed}"


def in_brackets(beta: Fraction, least_size: int | None) -> str:
    """What brackets around shares promise, one by one and together."""
    sure = surely(beta, least_size)
    return f"The real percentages, which are not shown, lie inside the brackets: {sure[:1].lower()}{sure[1:]}, all do."


def unless_text(beta: Fraction, least_size: int | None) -> str:
    """The same for experts."""
    supposed = "" if least_size is None else f", if the table has {least_size:,} records or more"
    return f"except with probability {show_rational(beta)}{supposed}"
