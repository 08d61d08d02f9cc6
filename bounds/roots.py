"""Certified roots of monotone functions on balls, and the first integer at which a condition is true.

A root on balls is located with ordinary steps on midpoints and then proved: the function has different signs at the two
ends of a small interval.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx, fmpq

from bounds.enclosure import BallNumber, Undecided, precision

_MOST_STEPS = 400


def first_integer(holds: Callable[[int], bool], *, low: int, high: int) -> int:
    """The smallest integer above `low` at which a growing condition is true; it is at `high` and is not at `low`.

    >>> first_integer(lambda x: x * x >= 50, low=0, high=50)
    8
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def root_of_tail(tail: Callable[[arb], arb], target: fmpq, high: arb, low: arb | None, guard_bits: int = 0) -> arb:
    """Enclosure of the x > 0 at which a positive, decreasing function takes the value target < 1."""
    near_one = int((1 / (1 - target)).ceil()).bit_length()  # bits that cancel when the target is close to 1
    guard_bits += 2 * near_one
    with precision(2 * ctx.prec + 32 + guard_bits):
        goal = arb(target).log()

    def excess(x: arb) -> arb:
        value = tail(x)
        if not value > 0:
            raise Undecided
        return value.log() - goal

    return falling_root(excess, high, low, guard_bits)


def falling_root(excess: Callable[[arb], arb], high: arb, low: arb | None, guard_bits: int = 0) -> arb:
    """Enclosure of the only x > 0 at which a function changes its sign, from positive to negative.

    `high` and `low` are where the search begins; both ends of the enclosure are proved by the signs there.
    """
    bits = ctx.prec
    with precision(2 * bits + 32 + guard_bits):
        b = high.mid()
        fb = excess(b)
        while not fb < 0:
            b = (2 * b).mid()
            fb = _finite(excess(b))
        a = low.mid() if low is not None and low > 0 else (b / 2).mid()
        fa = excess(a)
        while not fa > 0:
            a = (a / 2).mid()
            fa = _finite(excess(a))
        guess = _illinois(excess, a, fa, b, fb, bits)
        return proved_root(excess, guess, bits)


def _finite(x: arb) -> arb:
    if not x.is_finite():
        raise Undecided
    return x


def _illinois(excess: Callable[[arb], arb], a: arb, fa: arb, b: arb, fb: arb, bits: int) -> arb:
    """Regula falsi with the Illinois weight, every third step a bisection; the result is a guess, proved elsewhere.

    Bisection in the geometric mean bounds the number of steps where the function is very flat.
    """
    small = arb(2) ** (-bits - 8)
    a_value, b_value = fa.mid(), fb.mid()
    side = 0
    x = a
    for step in range(_MOST_STEPS):
        previous = x
        falsi = (a * b_value - b * a_value) / (b_value - a_value)
        x = (a * b).sqrt().mid() if step % 3 == 2 else falsi.mid()
        value = excess(x)
        if abs(x - previous) < small * x or value.contains(0) or abs(b - a) < small * x:
            return x
        if value > 0:
            a, a_value = x, value.mid()
            if side == 1:
                b_value = (b_value / 2).mid()
            side = 1
        else:
            b, b_value = x, value.mid()
            if side == -1:
                a_value = (a_value / 2).mid()
            side = -1
    raise Undecided


def proved_root(function: Callable[[arb], BallNumber], guess: arb, bits: int) -> arb:
    """An interval of positive numbers around a guess, at whose ends the function has different signs."""
    radius = (guess * arb(2) ** (-bits)).upper()
    for _ in range(12):
        left, right = (guess - radius).mid(), (guess + radius).mid()
        if left > 0:
            first, second = function(left), function(right)
            if (first < 0 and second > 0) or (first > 0 and second < 0):
                return left.union(right)
        radius = (radius * 64).mid()
    raise Undecided
