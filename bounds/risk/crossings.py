"""Where a margin in one variable is positive, proved on both sides.

A margin either grows throughout, or falls up to a turn and grows after it. So it is positive from a threshold on and,
in the second case, perhaps also up to an earlier end. Both are roots, enclosed to the precision in force.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from flint import arb, ctx, fmpq

from bounds.enclosure import BallNumber, Undecided, as_fmpq, as_fraction, precision
from bounds.errors import NotApplicable
from bounds.pieces.statistical_queries import is_nonnegative
from bounds.roots import proved_root

Margin: TypeAlias = Callable[[BallNumber], BallNumber]
Root: TypeAlias = Callable[[], BallNumber]
"""A number that is recomputed at the precision in force."""

_MOST_DOUBLINGS = 2000
_MOST_STEPS = 200
_COARSE_BITS = 40


@dataclass(frozen=True)
class Shape:
    """How a margin moves on (start, infinity): it falls left of `turn` and grows right of it; None: it grows.

    A turn that has no closed form is given by two numbers between which it lies.
    """

    start: Fraction
    turn: tuple[Fraction, Fraction] | None = None


@dataclass(frozen=True)
class Region:
    """Where a margin is positive: from `threshold` on, and between the start and `earlier`; None: nowhere there."""

    start: Fraction
    threshold: Root | None
    earlier: Root | None = None
    whole: int | None = None
    """Where e to the threshold is a whole number: that number."""


def exact_root(value: Fraction) -> Root:
    return lambda: as_fmpq(value)


def positive_region(margin: Margin, shape: Shape) -> Region:
    """Where a margin of that shape is positive. Every sign is decided in balls."""
    start = shape.start
    if shape.turn is None or shape.turn[1] <= start:
        if _positive_at(margin, as_fmpq(start)):
            return Region(start, exact_root(start))
        return Region(start, _rising_root(margin, start))
    low, high = max(shape.turn[0], start), shape.turn[1]
    if is_nonnegative(lambda: margin(_hull(low, high))):
        return Region(start, exact_root(start))
    earlier = _root_between(margin, start, low) if _positive_at(margin, as_fmpq(start)) else None
    return Region(start, _rising_root(margin, high), earlier)


def _positive_at(margin: Margin, point: fmpq) -> bool:
    return is_nonnegative(lambda: margin(point))


def _hull(low: Fraction, high: Fraction) -> BallNumber:
    return as_fmpq(low) if low == high else arb(as_fmpq(low)).union(arb(as_fmpq(high)))


def _rising_root(margin: Margin, left: Fraction) -> Root:
    """The root right of a point where the margin is negative and from which on it grows."""
    for doublings in range(1, _MOST_DOUBLINGS):
        right = as_fmpq(left) * 2**doublings
        if _positive_at(margin, right):
            return _root_between(margin, left, as_fraction(right))
    raise NotApplicable("no finite number of records satisfies the condition at these parameters")


def _root_between(margin: Margin, left: Fraction, right: Fraction) -> Root:
    """The only root between two points at which the margin has different signs."""
    low, high = _coarse(margin, left, right)

    def root() -> BallNumber:
        bits = ctx.prec
        with precision(2 * bits + 64):
            return _proved(margin, _secant(margin, low, high), bits, low=low, high=high)

    return root


def _coarse(margin: Margin, left: Fraction, right: Fraction) -> tuple[arb, arb]:
    """Bisect to a relative width at which the secant method is fast."""
    with precision(4 * _COARSE_BITS):
        low, high = arb(as_fmpq(left)).mid(), arb(as_fmpq(right)).mid()
        rises = bool(margin(high) > 0)
        for _ in range(_MOST_STEPS):
            if high - low < high * arb(2) ** -_COARSE_BITS:
                break
            middle = ((low + high) / 2).mid()
            value = margin(middle)
            if not (value > 0 or value < 0):
                break
            low, high = (low, middle) if bool(value > 0) == rises else (middle, high)
        return low, high


def _secant(margin: Margin, low: arb, high: arb) -> arb:
    """A point near the root; it is proved elsewhere."""
    small = arb(2) ** (-int(ctx.prec) + 16)
    before, here = low, high
    value_before = arb(margin(before)).mid()
    for _ in range(_MOST_STEPS):
        value = arb(margin(here)).mid()
        if value == value_before:
            break
        step = (value * (here - before) / (value - value_before)).mid()
        before, value_before, here = here, value, (here - step).mid()
        if abs(step) < small * here:
            break
    return here


def _proved(margin: Margin, guess: arb, bits: int, *, low: arb, high: arb) -> arb:
    """An interval around the guess, near the bracket, at whose ends the margin has different signs."""
    slack = high * arb(2) ** -_COARSE_BITS
    if not (low - slack <= guess <= high + slack):
        raise Undecided  # the secant method has left the bracket: with more bits it starts nearer to the root
    return proved_root(margin, guess, bits + 2)
