"""Enclosures, three-valued comparison and automatic growth of precision.

A certified real number is a closed interval with exact rational ends that contains it. It comes from an
exact rational (fmpq, width zero) or from a ball of python-flint (arb, midpoint and radius).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeAlias, TypeVar

from flint import arb, ctx, fmpq

from bounds.errors import NotCertified
from bounds.exact import Exact, parse_rational, show_rational

BallNumber: TypeAlias = fmpq | arb
Result = TypeVar("Result")

START_PRECISION = 96
HIGHEST_PRECISION = 1 << 16
_SHORT = 24


class Truth(Enum):
    """Outcome of a comparison of two enclosed numbers."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"


class Undecided(Exception):
    """Raised inside a computation whose precision does not suffice; more precision may help."""


@dataclass(frozen=True)
class Enclosure:
    """A closed interval with exact ends that contains the number it stands for.

    >>> third = Enclosure(Fraction(1, 3), Fraction(1, 3))
    >>> third.decimal(4)
    ('0.3333', '0.3334')
    >>> third, float(third), third < 0.34
    (Enclosure(1/3), 0.3333333333333333, True)
    """

    lo: Fraction
    hi: Fraction

    @classmethod
    def of(cls, number: BallNumber | int | Fraction) -> Enclosure:
        """The exact ends of a ball, or a rational as a point."""
        if isinstance(number, arb):
            if not number.is_finite():
                raise Undecided
            mid = _dyadic(number.mid())
            if number.is_exact():
                return cls(mid, mid)
            rad = _dyadic(number.rad())
            return cls(mid - rad, mid + rad)
        exact = as_fraction(number)
        return cls(exact, exact)

    @property
    def is_exact(self) -> bool:
        return self.lo == self.hi

    @property
    def midpoint(self) -> Fraction:
        return (self.lo + self.hi) / 2

    def contains(self, number: Fraction | int) -> bool:
        return self.lo <= number <= self.hi

    def __repr__(self) -> str:
        if self.is_exact and len(shown := show_rational(self.lo)) <= _SHORT and "..." not in shown:
            return f"Enclosure({shown})"
        return f"Enclosure({', '.join(self.decimal(_SHORT // 2))})"

    def __float__(self) -> float:
        """The float nearest to the middle, an estimate."""
        return float(self.midpoint)

    def __lt__(self, other: Enclosure | Exact) -> bool:
        return self._proved(self.hi < _ends(other)[0], self.lo >= _ends(other)[1], other)

    def __le__(self, other: Enclosure | Exact) -> bool:
        return self._proved(self.hi <= _ends(other)[0], self.lo > _ends(other)[1], other)

    def __gt__(self, other: Enclosure | Exact) -> bool:
        return not self <= other

    def __ge__(self, other: Enclosure | Exact) -> bool:
        return not self < other

    def _proved(self, holds: bool, fails: bool, other: object) -> bool:
        """A comparison of every number inside; if some compare otherwise there is no answer."""
        if not holds and not fails:
            raise NotCertified(f"{self!r} and {other}: their ends do not decide which is larger")
        return holds

    def decimal(self, digits: int = 20) -> tuple[str, str]:
        """Both ends as decimal text with this many significant digits, rounded outward."""
        return decimal_text(self.lo, digits, up=False), decimal_text(self.hi, digits, up=True)


def _ends(number: Enclosure | Exact) -> tuple[Fraction, Fraction]:
    if isinstance(number, Enclosure):
        return number.lo, number.hi
    exact = parse_rational(number, "number")
    return exact, exact


def as_fraction(number: fmpq | int | Fraction) -> Fraction:
    if isinstance(number, fmpq):
        return Fraction(int(number.numer()), int(number.denom()))
    return Fraction(number)


def as_fmpq(number: Fraction | int) -> fmpq:
    """A rational in the kind of number that ball arithmetic starts from."""
    return fmpq(number.numerator, number.denominator)


def _dyadic(exact_ball: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in exact_ball.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def decimal_text(value: Fraction, digits: int, *, up: bool) -> str:
    """Decimal text with `digits` significant digits, rounded towards plus or minus infinity.

    >>> decimal_text(Fraction(2, 3), 5, up=True), decimal_text(Fraction(-2, 3), 5, up=True)
    ('0.66667', '-0.66666')
    """
    if value == 0:
        return "0"
    exponent = _decimal_exponent(abs(value))
    shift = digits - 1 - exponent
    scaled = value * 10**shift if shift >= 0 else value / 10**-shift
    rounded = -((-scaled).__floor__()) if up else scaled.__floor__()
    if scaled.denominator == 1 and shift > 0:  # exact: drop the zeros that carry nothing
        while shift > 0 and rounded % 10 == 0:
            rounded, shift = rounded // 10, shift - 1
    sign, figures = ("-" if rounded < 0 else ""), str(abs(rounded))
    if shift <= 0:
        return sign + figures + "0" * -shift if -shift <= 6 else _scientific(sign, figures, -shift)
    if len(figures) > shift:
        return f"{sign}{figures[:-shift]}.{figures[-shift:]}"
    if shift - len(figures) <= 5:
        return f"{sign}0.{figures.rjust(shift, '0')}"
    return _scientific(sign, figures, -shift)


MOST_DIGITS_SHOWN = 40


def integer_text(value: int | None) -> str:
    """Thousands separators; beyond 40 digits a leading part and the number of digits.

    >>> integer_text(7301638074)
    '7,301,638,074'
    """
    if value is None:
        return "-"
    digits = len(str(value))
    if digits > MOST_DIGITS_SHOWN:
        return f"{decimal_text(Fraction(value), 6, up=True)} ({digits} digits)"
    return f"{value:,}"


def _scientific(sign: str, figures: str, power: int) -> str:
    fraction = figures[1:].rstrip("0")
    return f"{sign}{figures[0]}{'.' + fraction if fraction else ''}e{power + len(figures) - 1}"


def _decimal_exponent(value: Fraction) -> int:
    """floor(log10(value)) for value > 0, exactly."""
    guess = (value.numerator.bit_length() - value.denominator.bit_length()) * 30103 // 100000
    while 10**guess > value if guess >= 0 else value * 10**-guess < 1:
        guess -= 1
    while 10 ** (guess + 1) <= value if guess >= -1 else value * 10 ** -(guess + 1) >= 1:
        guess += 1
    return guess


def at_most(left: BallNumber | int, right: BallNumber | int) -> Truth:
    """Is left <= right?"""
    if left <= right:
        return Truth.TRUE
    if left > right:
        return Truth.FALSE
    return Truth.UNKNOWN


def precision_in_force() -> int:
    """The number of bits with which balls are currently computed."""
    return int(ctx.prec)


def precision(bits: int) -> AbstractContextManager[object]:
    """Context in which balls are computed with this many bits."""
    manager: AbstractContextManager[object] = ctx.workprec(bits)
    return manager


def with_growing_precision(
    compute: Callable[[], Result], *, start: int = START_PRECISION, highest: int = HIGHEST_PRECISION
) -> tuple[Result, int]:
    """Run `compute` at growing precision until it does not raise Undecided; returns it and the bits."""
    bits = start
    while bits <= highest:
        with precision(bits):
            try:
                return compute(), bits
            except Undecided:
                bits *= 2
    raise NotCertified(
        f"not decided at the highest precision of {highest} bits: the two sides may be equal, "
        "or a quantity is singular at these parameters"
    )
