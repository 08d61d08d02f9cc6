"""The inverse question: for n records, the least epsilon, delta or gamma, or the largest degree.

A real answer is a decimal with six significant digits that suffices while one unit below does not: the theorem requires
at most n records at the value and more next to it. If the records fall as the parameter grows, as they do in every
theorem but the printed histogram one, it is the smallest. Here routes are judged only by records, however many
reference points they need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import NotApplicable, NotCertified, ParameterError, UsageError
from bounds.exact import parse_integer, show_rational
from bounds.parameters import SOLVABLE
from bounds.registry import find_theorem
from bounds.roots import first_integer
from bounds.shown import Shown
from bounds.sizes.require import fewest_records, require
from bounds.sizes.requirement import Requirement

DIGITS = 6
"""Significant digits of a solved value."""
_MOST_SCANNED = 24
"""Attributes up to which every degree is tried."""


@dataclass(frozen=True)
class _Range:
    """Where a parameter is searched: from the easiest value down to the least that is allowed."""

    parameter: str
    easiest: Fraction
    last_decade: int
    factor: int = 1
    """The promise that goes with the parameter is this multiple of it."""


_RANGES = {
    "epsilon": _Range("epsilon", Fraction(1000), -12),
    "delta": _Range("delta", Fraction(1, 2), -100),
    "gamma": _Range("gamma", Fraction(1, 4), -100),
    "accuracy": _Range("delta", Fraction(1, 2), -100, factor=8),
    "failure": _Range("gamma", Fraction(1, 4), -100, factor=4),
}


@dataclass(frozen=True)
class Inversion(Shown):
    """The best value of one parameter for n records, with the neighbour that does not suffice."""

    parameter: str
    value: Fraction
    n: int
    requirement: Requirement
    neighbour: Fraction | None
    """One unit further; None if the search ends at the edge of the allowed range."""
    neighbour_n: int | None
    """Records that the neighbour requires; None if no number is enough."""


def solve_for(parameter: str, *, n: object, levels: Sequence[int] | None = None, **question: object) -> Inversion:
    """Smallest epsilon, delta or gamma (six significant digits), or largest degree, that n records allow."""
    if parameter not in SOLVABLE:
        what = "n is what is computed without --solve-for" if parameter == "n" else ""
        raise ParameterError("solve-for", parameter, "one of " + ", ".join(SOLVABLE), what)
    _require_open(parameter, question)
    if question.get("p") is None and levels is None:
        raise UsageError("p is missing: give the number of attributes (--p) or a schema (--schema)")
    if question.get("theorem") is not None and find_theorem(str(question["theorem"])).direction != "sufficient":
        raise UsageError(f"{question['theorem']} gives no sizes that suffice: there is nothing to solve for")
    question = {**question, "levels": levels}
    records = parse_integer(n, "n")
    if records < 1:
        raise ParameterError("n", n, "at least 1", "number of records")
    if parameter == "degree":
        return _largest_degree(
            question, records, parse_integer(question.get("p"), "p") if levels is None else len(levels)
        )
    return _smallest_value(question, records, parameter)


def _require_open(parameter: str, question: dict[str, object]) -> None:
    """The parameter that is solved for must not be given as well, nor what it determines."""
    same = {"delta": "accuracy", "accuracy": "delta", "gamma": "failure", "failure": "gamma", "degree": "queries"}
    for name in (parameter, same.get(parameter, parameter)):
        if question.get(name) is not None:
            raise UsageError(f"{name} is given and {parameter} is to be solved for: leave {name} out")


def _records(question: dict[str, object]) -> int | None:
    """Records that the question requires; None if no number is enough or none can be certified."""
    try:
        return fewest_records(**question)
    except (NotApplicable, NotCertified):
        return None


def _requirement(question: dict[str, object]) -> Requirement:
    """The number of records of the best route is monotone; the cap on reference points would make it jump."""
    return require(**question, fewest_records=True)


def _smallest_value(question: dict[str, object], records: int, name: str) -> Inversion:
    where = _RANGES[name]
    easiest = where.easiest * where.factor

    def asked(value: Fraction) -> int | None:
        return _records({**question, name: min(value, easiest)})

    def enough(value: Fraction) -> bool:
        needed = asked(value)
        return needed is not None and needed <= records

    start = next((d for d in range(3, -3, -1) if enough(Fraction(10) ** d)), None)
    if start is None:  # the printed histogram theorem asks for the fewest records at a delta in between
        between = (Fraction(m, 4) * Fraction(10) ** d for d in range(0, -7, -1) for m in range(39, 4, -1))
        found = next((value for value in between if enough(value)), None)
        if found is not None:
            return _crossing(question, records, name, found, asked)
        needed = fewest_records(**{**question, name: easiest})
        raise NotApplicable(
            f"n = {records}: no {name} up to {show_rational(easiest)} is enough; "
            f"at {show_rational(easiest)} the theorem asks for {needed} records"
        )
    decade = start
    while decade > where.last_decade and enough(Fraction(10) ** decade):
        decade -= 1
    floor = Fraction(10) ** where.last_decade
    if decade == where.last_decade and enough(floor):
        return Inversion(name, floor, records, _requirement({**question, name: floor}), None, None)
    return _crossing(question, records, name, min(Fraction(10) ** (decade + 1), easiest), asked)


def _crossing(
    question: dict[str, object], records: int, name: str, enough: Fraction, asked: Callable[[Fraction], int | None]
) -> Inversion:
    """From a value that is enough down to the first of its decade that is not, one unit apart."""
    unit = Fraction(1)
    while enough / unit < 10**DIGITS:
        unit /= 10
    while enough / unit > 10**DIGITS:
        unit *= 10

    def fits(multiple: int) -> bool:
        needed = asked(multiple * unit)
        return needed is not None and needed <= records

    top = int(enough / unit)
    low = next((top // 2**i for i in range(1, 40) if not fits(max(top // 2**i, 1))), 0)
    value = min(first_integer(fits, low=max(low, 1), high=top) * unit, enough)
    answer = _requirement({**question, name: value})
    return Inversion(name, value, records, answer, value - unit, asked(value - unit))


def _largest_degree(question: dict[str, object], records: int, p: int) -> Inversion:

    def asked(degree: int) -> int | None:
        try:
            return _records({**question, "degree": degree})
        except ParameterError:
            if degree == 1:
                raise
            return None  # so many queries that they cannot be written down

    def fits(degree: int) -> bool:
        needed = asked(degree)
        return needed is not None and needed <= records

    if p <= _MOST_SCANNED:  # the printed histogram theorem may ask for fewer records at a larger degree
        largest = next((d for d in range(p, 0, -1) if fits(d)), 0)
    else:
        largest = first_integer(lambda d: not fits(d), low=0, high=p + 1) - 1
    if largest == 0:
        needed = fewest_records(**{**question, "degree": 1})
        raise NotApplicable(f"n = {records}: not even degree 1 is possible; it asks for {needed} records")
    answer = _requirement({**question, "degree": largest})
    if largest == p:
        return Inversion("degree", Fraction(p), records, answer, None, None)
    return Inversion("degree", Fraction(largest), records, answer, Fraction(largest + 1), asked(largest + 1))
