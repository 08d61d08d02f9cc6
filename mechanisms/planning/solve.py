"""The least epsilon, or the fewest records, for an error that is reached at the answer but not one step below.

Epsilon is searched among decimals of three significant digits. Both steps are computed, so this much is proved however
the error behaves elsewhere; the answer is the least one if errors fall as epsilon or n grows, as those of noise do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.roots import first_integer
from mechanisms.planning.forecast import Budget, Planned
from mechanisms.planning.methods import forecast
from release.parameters import MOST_RECORDS

DIGITS = 3
"""Significant digits of an epsilon."""
_FIRST_DECADE, _LAST_DECADE = -4, 3
"""Epsilon is searched from 10^-4 to 10^3."""
_MANTISSAS = 9 * 10 ** (DIGITS - 1)
_LEAST_RECORDS = 2
"""With a single record 1/n^2 is not a valid delta."""

Error = Callable[[int], Fraction | None]
"""The error at a place of a grid; None if nothing is promised."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What a method needs for an error; `value` is None if nothing within the limits is enough."""

    method: str
    parameter: str
    """epsilon or n."""
    pure: bool
    value: Fraction | None
    dp_delta: Fraction | None = None
    error: Fraction | None = None
    neighbour: Fraction | None = None
    """The value one step below; None if the value is the least one considered."""
    neighbour_error: Fraction | None = None
    """The error one step below; None if nothing is promised there."""
    reason: str = ""


def delta_of(size: int, dp_delta: Fraction | None) -> Fraction:
    """The delta that was given, or 1/n^2."""
    return Fraction(1, size**2) if dp_delta is None else dp_delta


def solve_epsilon(
    planned: Planned, method: str, kind: str, target: Fraction, *, dp_delta: Fraction | None, pure: bool
) -> Solution:
    """The least epsilon for an error of at most the target."""
    delta = None if pure else delta_of(planned.public.size, dp_delta)

    def error(place: int) -> Fraction | None:
        return forecast(method, planned, Budget(epsilon=_epsilon(place), dp_delta=delta)).error(kind)

    last = _MANTISSAS * (_LAST_DECADE - _FIRST_DECADE)
    found = Solution(method=method, parameter="epsilon", pure=pure, value=None, dp_delta=delta)
    most = error(last)
    if most is None:
        reason = forecast(method, planned, Budget(epsilon=_epsilon(last), dp_delta=delta)).reason
        return replace(found, reason=reason)
    if most > target:
        return replace(found, reason=f"not reached by any epsilon up to {_epsilon(last)}")
    place = first_integer(lambda i: _enough(error(i), target), low=-1, high=last)
    return _solution(found, place, 0, error, _epsilon)


def solve_records(
    planned: Planned, method: str, kind: str, target: Fraction, budget: Budget, *, pure: bool
) -> Solution:
    """The fewest records for an error of at most the target; if no delta is given, it is 1/n^2."""

    def at(size: int) -> tuple[Planned, Budget]:
        delta = None if pure else delta_of(size, budget.dp_delta)
        public = replace(planned.public, size=size)
        return replace(planned, public=public), Budget(epsilon=budget.epsilon, dp_delta=delta)

    def error(size: int) -> Fraction | None:
        return forecast(method, *at(size)).error(kind)

    found = Solution(method=method, parameter="n", pure=pure, value=None)
    low, high = _LEAST_RECORDS - 1, _LEAST_RECORDS
    while not _enough(error(high), target):
        low, high = high, 4 * high
        if high > MOST_RECORDS:
            last = forecast(method, *at(low))
            reached = f"not reached by any n up to {low:,}"
            return replace(found, reason=last.reason if last.error(kind) is None else reached)
    size = first_integer(lambda n: _enough(error(n), target), low=low, high=high)
    return _solution(replace(found, dp_delta=at(size)[1].dp_delta), size, _LEAST_RECORDS, error, Fraction)


def _solution(found: Solution, place: int, least: int, error: Error, value: Callable[[int], Fraction]) -> Solution:
    """The answer with its error, and the step below it with its error."""
    below = place - 1 if place > least else None
    return replace(
        found,
        value=value(place),
        error=error(place),
        neighbour=None if below is None else value(below),
        neighbour_error=None if below is None else error(below),
    )


def _enough(error: Fraction | None, target: Fraction) -> bool:
    return error is not None and error <= target


def _epsilon(place: int) -> Fraction:
    """Decimals of three digits in their order: 1.00, 1.01, ..., 9.99, 10.0, ..."""
    decade, mantissa = divmod(place, _MANTISSAS)
    return Fraction(f"{10 ** (DIGITS - 1) + mantissa}e{decade + _FIRST_DECADE - DIGITS + 1}")
