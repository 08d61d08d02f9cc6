"""The number of records, or the epsilon, at which a falling estimate reaches a target, in few evaluations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, exp, log, log10

from bounds.errors import NotApplicable
from bounds.exact import show_rational

SIZES = tuple(Fraction(x) for x in (10, 100, 1000, 6000, 40_000, 250_000, 2 * 10**6, 10**12))
EPSILONS = tuple(Fraction(x) for x in ("0.001", "0.05", "0.25", "1", "4", "100"))
_LARGEST, _SMALLEST = 1000.0, 1e-300
_CLOSE = 0.01
"""A target is met when the estimate is below it by at most this part."""
_NARROW = Fraction(1005, 1000)
_AWAY = 0.03
_MOST_STEPS = 30


def falls_to(target: Fraction, estimate: Callable[[Fraction], float], tried: Sequence[Fraction], name: str) -> Fraction:
    """Nearly the least number at which the estimate is at most the target, rounded up to three digits.

    `tried` are increasing numbers, searched from the middle one until two of them enclose the answer. Then follows
    false position in logarithms. NotApplicable if not even the last of them reaches the target.
    """
    wanted = log(float(target))

    def above(value: Fraction) -> float:
        return log(min(max(estimate(value), _SMALLEST), _LARGEST)) - wanted

    low, high, at_low, at_high = _bracket(above, tried)
    if at_high > 0:
        raise NotApplicable(
            f"target = {show_rational(target)}: not reached by any {name} up to {show_rational(high)}, where the "
            f"certificate is about {exp(at_high + wanted):.3g}; a smaller norm, fourth moments or a query may help"
        )
    if at_low <= 0:
        return _rounded_up(low)
    last = 0
    for _ in range(_MOST_STEPS):
        if high <= low * _NARROW:
            break
        middle = _between(at_low / (at_low - at_high), low, high)
        at = above(middle)
        if -_CLOSE < at <= 0:
            return _rounded_up(middle)
        # an end that stays gets half its weight, or it would stay for long
        if at <= 0:
            high, at_high, at_low, last = middle, at, at_low / 2 if last < 0 else at_low, -1
        else:
            low, at_low, at_high, last = middle, at, at_high / 2 if last > 0 else at_high, 1
    return _rounded_up(high)


def _bracket(above: Callable[[Fraction], float], tried: Sequence[Fraction]) -> tuple[Fraction, Fraction, float, float]:
    """Two neighbours that enclose a change of sign, or the last one twice if there is none."""
    place = len(tried) // 2
    at = above(tried[place])
    step = 1 if at > 0 else -1
    while 0 <= place + step < len(tried):
        following = above(tried[place + step])
        if (following > 0) != (at > 0):
            ends = sorted([(tried[place], at), (tried[place + step], following)])
            return ends[0][0], ends[1][0], ends[0][1], ends[1][1]
        place, at = place + step, following
    return tried[place], tried[place], at, at


def _between(part: float, low: Fraction, high: Fraction) -> Fraction:
    """A number of few digits, this part of the way in logarithms, not too near the ends."""
    part = min(max(part, _AWAY), 1 - _AWAY)
    return Fraction(f"{exp(log(low) + part * (log(high) - log(low))):.8g}")


def _rounded_up(value: Fraction) -> Fraction:
    unit = Fraction(10) ** (ceil(log10(value)) - 3)
    return ceil(value / unit) * unit
