"""Smallest integers with a proof on both sides.

Every integer that synthbounds prints is decided here: the condition is true at the value and false one below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bounds.enclosure import (
    BallNumber,
    Enclosure,
    Truth,
    Undecided,
    at_most,
    precision,
    with_growing_precision,
)
from bounds.errors import NotApplicable, NotCertified
from bounds.roots import first_integer

_MOST_DOUBLINGS = 4000
_MOST_ANSWER_DIGITS = 3900
_LARGEST_ANSWER = 10**_MOST_ANSWER_DIGITS
_CONDITION_PRECISION = 64
"""Margins are sign questions and mostly far from zero: fewer bits decide them faster."""


@dataclass(frozen=True)
class IntegerCertificate:
    """Proof that `value` is the smallest positive integer that satisfies a condition.

    Margins are enclosures of a number that is non-negative exactly where the condition is true: at the value, and one
    below it (None for the value 1, which has nothing below it).
    """

    value: int
    margin_at_value: Enclosure
    margin_below: Enclosure | None
    precision: int

    @property
    def is_valid(self) -> bool:
        below = self.margin_below
        return self.margin_at_value.lo >= 0 and (self.value == 1 if below is None else below.hi < 0)


def smallest_integer_at_least(threshold: Callable[[], BallNumber]) -> tuple[IntegerCertificate, Enclosure]:
    """The smallest positive integer v >= threshold, and the enclosure of the threshold that decided it."""

    def decide() -> tuple[IntegerCertificate, Enclosure]:
        try:
            enclosure = Enclosure.of(threshold())
        except (ZeroDivisionError, OverflowError):
            raise NotApplicable("a quantity is not finite at these parameters") from None
        _require_writable(enclosure.lo)
        value = max(1, ceiling(enclosure.hi))
        if value > 1 and enclosure.lo <= value - 1:
            raise Undecided
        at_value = Enclosure(value - enclosure.hi, value - enclosure.lo)
        below = None if value == 1 else Enclosure(at_value.lo - 1, at_value.hi - 1)
        return IntegerCertificate(value, at_value, below, 0), enclosure

    (certificate, enclosure), bits = with_growing_precision(decide)
    return (
        IntegerCertificate(certificate.value, certificate.margin_at_value, certificate.margin_below, bits),
        enclosure,
    )


def _require_writable(least: Fraction | int) -> None:
    if least > _LARGEST_ANSWER:
        raise NotApplicable(f"asks for more than 10^{_MOST_ANSWER_DIGITS}: no data set, domain or computer has as many")


def smallest_integer_where(margin: Callable[[int], BallNumber], *, start: int = 1) -> IntegerCertificate:
    """The smallest positive integer at which a margin that grows with the integer is non-negative."""
    known: dict[int, tuple[Enclosure, int]] = {}

    def holds(value: int) -> bool:
        if value not in known:
            known[value] = with_growing_precision(lambda: _signed(margin(value)), start=_CONDITION_PRECISION)
        return known[value][0].lo >= 0

    low, high = 0, max(1, start)
    for _ in range(_MOST_DOUBLINGS):
        _require_writable(high)
        if holds(high):
            break
        low, high = high, high + max(1, (high - low)) * 2
    else:
        raise NotApplicable("no finite size satisfies the condition at these parameters")
    if low == 0:  # the start already satisfies it: step down in growing strides
        stride = 1
        while high - stride > 0 and holds(high - stride):
            high, stride = high - stride, 2 * stride
        low = max(0, high - stride)
    found = first_integer(holds, low=low, high=high)
    at_value, bits = known[found]
    below, bits_below = known[found - 1] if found > 1 else (None, bits)
    return IntegerCertificate(found, at_value, below, max(bits, bits_below))


def _signed(margin: BallNumber) -> Enclosure:
    """The enclosure of a margin whose sign is decided."""
    if at_most(0, margin) is Truth.UNKNOWN:
        raise Undecided
    return Enclosure.of(margin)


def enclose(value: Callable[[], BallNumber], *, relative_bits: int = 60, first_bits: int | None = None) -> Enclosure:
    """An enclosure with about this many correct bits; wider only if more precision does not help."""
    bits = relative_bits + 36 if first_bits is None else first_bits
    best: Enclosure | None = None
    for _ in range(6):
        try:
            with precision(bits):
                best = Enclosure.of(value())
        except Undecided:
            pass
        except (ZeroDivisionError, OverflowError):
            raise NotApplicable("a quantity is not finite at these parameters") from None
        else:
            size = max(abs(best.lo), abs(best.hi))
            if best.hi - best.lo <= size / Fraction(2) ** relative_bits:
                return best
        bits *= 2
    if best is None:
        raise NotApplicable("a quantity is not finite at these parameters")
    if best.hi - best.lo > max(abs(best.lo), abs(best.hi), Fraction(1)) / 2**20:
        raise NotCertified("a quantity could not be enclosed usefully at the highest precision tried")
    return best


def ceiling(value: Fraction) -> int:
    return -((-value.numerator) // value.denominator)
