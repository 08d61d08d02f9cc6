"""The question the other way round: for n records, the least epsilon, delta or gamma, or the largest degree.

A real answer is the smallest decimal with a stated number of significant digits that suffices. It is proved
like every integer here: the theorem asks for at most n records at the value and for more one unit below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import NotApplicable, ParameterError, SynthboundsError, UsageError
from bounds.exact import parse_integer, show_rational
from bounds.plan import require
from bounds.requirement import Requirement

SOLVABLE = ("epsilon", "delta", "gamma", "degree")
DIGITS = 6
_LARGEST = {"epsilon": Fraction(1000), "delta": Fraction(1, 2), "gamma": Fraction(1, 4)}
_SMALLEST_DECADE = {"epsilon": -12, "delta": -30, "gamma": -90}


@dataclass(frozen=True)
class Inversion:
    """The best value of one parameter for n records, with the neighbour that does not suffice."""

    parameter: str
    value: Fraction
    n: int
    requirement: Requirement
    neighbour: Fraction | None
    neighbour_n: int | None
    """Records that the neighbour would need; None where it is outside the allowed range."""


def solve_for(parameter: str, *, n: object, **question: object) -> Inversion:
    """Smallest epsilon, delta or gamma (six significant digits), or largest degree, that n records allow."""
    if parameter not in SOLVABLE:
        raise ParameterError("solve-for", parameter, "one of " + ", ".join(SOLVABLE))
    synonym = {"delta": "accuracy", "gamma": "failure"}.get(parameter)
    for name in (parameter, synonym):
        if name is not None and question.get(name) is not None:
            raise UsageError(f"{name} is given and to be solved for: leave it out")
    if parameter == "degree" and question.get("queries") is not None:
        raise UsageError("queries is given and degree is to be solved for: leave queries out")
    records = parse_integer(n, "n")
    if records < 1:
        raise ParameterError("n", n, "at least 1", "number of records")

    def needed(value: Fraction) -> Requirement:
        shown: object = int(value) if parameter == "degree" else value
        return require(**{**question, parameter: shown})  # type: ignore[arg-type]

    if parameter == "degree":
        return _largest_degree(needed, records, parse_integer(question.get("p"), "p"))
    return _smallest_value(needed, records, parameter)


def _smallest_value(needed: Callable[[Fraction], Requirement], records: int, parameter: str) -> Inversion:
    largest = _LARGEST[parameter]
    if needed(largest).n > records:
        raise NotApplicable(
            f"n = {records}: no {parameter} up to {show_rational(largest)} is enough; "
            f"at {show_rational(largest)} the theorem asks for {needed(largest).n} records"
        )
    decade = _SMALLEST_DECADE[parameter]
    while _records(needed, Fraction(10) ** (decade + 1), largest) > records:
        decade += 1
    unit = Fraction(10) ** (decade + 1 - DIGITS)
    low, high = 10 ** (DIGITS - 1) - 1, 10**DIGITS
    while high - low > 1:
        middle = (low + high) // 2
        if _records(needed, middle * unit, largest) <= records:
            high = middle
        else:
            low = middle
    value = min(high * unit, largest)
    neighbour = value - unit
    asked = _records(needed, neighbour, largest)
    return Inversion(parameter, value, records, needed(value), neighbour, int(asked))


def _records(needed: Callable[[Fraction], Requirement], value: Fraction, largest: Fraction) -> int:
    return needed(min(value, largest)).n


def _largest_degree(needed: Callable[[Fraction], Requirement], records: int, p: int) -> Inversion:
    def fits(degree: int) -> bool:
        try:
            return needed(Fraction(degree)).n <= records
        except ParameterError:
            if degree == 1:
                raise
            return False  # so many queries that they cannot be written down

    if not fits(1):
        asked = needed(Fraction(1)).n
        raise NotApplicable(f"n = {records}: not even degree 1 is possible; it asks for {asked} records")
    low, high = 1, 2
    while high <= p and fits(high):
        low, high = high, 2 * high
    high = min(high, p + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    neighbour: Requirement | None = None
    if low < p:
        try:
            neighbour = needed(Fraction(low + 1))
        except SynthboundsError:
            neighbour = None
    return Inversion(
        "degree",
        Fraction(low),
        records,
        needed(Fraction(low)),
        Fraction(low + 1) if low < p else None,
        neighbour.n if neighbour is not None else None,
    )
