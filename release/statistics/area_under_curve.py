"""The area under the ROC curve of scores, with declared least sizes of both classes, in whole steps.

A is the number of pairs of a positive and another record in which the positive has the higher score, ties counted half.
The statistic is A / (max(n+, N+) max(n-, N-)): the area itself if both classes are as large as declared, less
otherwise. One replaced record moves it by at most 1/N+ + 1/N-, an added one by at most the larger of them, whatever the
table. Proof: docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from release.files.fields import integer_json, read_integer
from release.statistics.of_predictions import OfPredictions
from release.statistics.question import Asked

AREA_UNDER_CURVE = "area-under-curve"
AREA_STEPS = 2**40
"""In an area of 1: one step is charged for rounding."""
MOST_RECORDS = 10**12


@dataclass(frozen=True)
class AreaUnderCurve(OfPredictions):
    """One integer: the area, with both class sizes at least as declared, rounded down to a step."""

    KIND: ClassVar[str] = AREA_UNDER_CURVE
    IS_SUM: ClassVar[bool] = False

    least_positive: int
    least_other: int

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("least_positive", "least_other"):
            value = getattr(self, name)
            if not 1 <= value <= MOST_RECORDS:
                raise ParameterError(name, value, f"at least 1 and at most {MOST_RECORDS}", "a least size of a class")

    @property
    def count(self) -> int:
        return 1

    @property
    def text(self) -> str:
        return (
            f"area under the ROC curve of scores for {self.label} = {self.positive}, at least {self.least_positive} "
            f"such records and {self.least_other} others counted"
        )

    @property
    def unit(self) -> Fraction:
        return Fraction(1, AREA_STEPS)

    def moved(self, adjacency: Adjacency) -> Fraction:
        one, other = Fraction(1, self.least_positive), Fraction(1, self.least_other)
        return AREA_STEPS * (max(one, other) if adjacency is Adjacency.ADD_REMOVE else one + other) + 1

    def of(self, asked: Asked) -> tuple[int, ...]:
        found, positive = self.read(asked)
        pairs = twice_ordered_pairs(found.numerators, positive)
        plus = int(np.count_nonzero(positive))
        sizes = max(plus, self.least_positive) * max(len(found) - plus, self.least_other)
        return (pairs * AREA_STEPS // (2 * sizes),)

    def to_json(self) -> dict[str, Any]:
        return self.said(least_positive=integer_json(self.least_positive), least_other=integer_json(self.least_other))

    @classmethod
    def _names(cls) -> set[str]:
        return {"least_positive", "least_other"}

    @classmethod
    def _own(cls, fields: dict[str, Any], where: str) -> dict[str, Any]:
        return {name: read_integer(fields[name], f"{where}: {name}") for name in sorted(cls._names())}


def twice_ordered_pairs(scores: tuple[int, ...], positive: np.ndarray[Any, Any]) -> int:
    """Twice the number of pairs in which the positive is higher, a tie counted once; exactly, by sorting.

    >>> twice_ordered_pairs((3, 1, 3), np.array([True, False, False]))
    3
    """
    order = sorted(range(len(scores)), key=scores.__getitem__)
    total = below = 0
    i = 0
    while i < len(order):
        tied = [0, 0]
        score = scores[order[i]]
        while i < len(order) and scores[order[i]] == score:
            tied[bool(positive[order[i]])] += 1
            i += 1
        total += tied[1] * (2 * below + tied[0])
        below += tied[0]
    return total
