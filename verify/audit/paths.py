"""The exact law of a sampler that draws whole random numbers below a bound: every path is followed, in rationals.

The sampler is run again for each path, with the numbers of that path; a path whose probability is too small to follow
is cut off, and the mass of all these is reported beside the law.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import TypeVar

Outcome = TypeVar("Outcome", bound=Hashable)


class _Unknown(Exception):
    """The path goes on with a number below this bound."""

    def __init__(self, below: int) -> None:
        super().__init__()
        self.below = below


def law_of(
    sampler: Callable[[Callable[[int], int]], Outcome], *, smallest: Fraction
) -> tuple[dict[Outcome, Fraction], Fraction]:
    """The probability of every outcome along paths of at least that probability, and the mass of all others."""
    found: dict[Outcome, Fraction] = defaultdict(Fraction)
    left = Fraction(0)
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        path, mass = waiting.pop()
        try:
            found[_run(sampler, path)] += mass
        except _Unknown as more:
            each = mass / more.below
            if each < smallest:
                left += mass
            else:
                waiting += [((*path, number), each) for number in range(more.below)]
    return dict(found), left


def _run(sampler: Callable[[Callable[[int], int]], Outcome], path: tuple[int, ...]) -> Outcome:
    numbers = iter(path)

    def below(bound: int) -> int:
        for number in numbers:
            return number
        raise _Unknown(bound)

    return sampler(below)
