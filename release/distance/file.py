"""A release of distance: two noisy integers that bound how far a finished table's moments are from the real ones.

The exact moments of the synthetic table go with it, so that models are certified from the file alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from bounds.exact import root_at_least
from release.comparison.file import Comparison
from release.distance.planned import DistancePlan
from release.files.fields import integer_json
from release.statistics.statistic import RECORD_STEPS


@dataclass(frozen=True, kw_only=True)
class Distance:
    """Except with probability `failure`, the real moments are this near to the synthetic ones.

    On the scale of x, the features in the unit ball, sums divided by the stated size.
    """

    first: Fraction
    """Of label times feature, in Euclidean norm."""
    second: Fraction
    """Of products of two features, in operator norm."""
    failure: Fraction


MOST_FIRST, MOST_SECOND = Fraction(2), Fraction(1)
"""No two tables are further apart."""


@dataclass(frozen=True, kw_only=True)
class DistanceRelease(DistancePlan, Comparison):
    """How far the moments of a finished table are from the real ones; make it with `release_distance`."""

    ROWS: ClassVar[tuple[str, ...]] = ()

    def distance(self, failure: Fraction) -> Distance:
        """Simultaneous upper bounds on both distances, except with this probability."""
        first, second = (Fraction(value, RECORD_STEPS * self.stated_size) for value in self.at_most(failure))
        if self.size_is_exact:  # means of vectors in the unit ball, and of their squares
            first, second = min(first, MOST_FIRST), min(second, MOST_SECOND)
        return Distance(first=first, second=second, failure=failure)

    def radii(self, failure: Fraction) -> tuple[Fraction, Fraction]:
        """The same on the scale of the features f, whose squared norm is at most P."""
        found, norm = self.distance(failure), self.feature_map.squared_norm
        return found.first * root_at_least(Fraction(norm)), found.second * norm

    @cached_property
    def first(self) -> tuple[Fraction, ...]:
        """Means of y f over the synthetic table."""
        unit = self.synthetic.n * self.feature_map.one
        return tuple(Fraction(value, unit) for value in self.synthetic.first)

    @cached_property
    def second(self) -> tuple[tuple[Fraction, ...], ...]:
        """Means of f f' over the synthetic table, the whole symmetric matrix."""
        unit, p = self.synthetic.n * self.feature_map.one**2, self.feature_map.size
        upper = [[Fraction(value, unit) for value in row] for row in self.synthetic.second]
        return tuple(tuple(upper[min(i, j)][abs(i - j)] for j in range(p)) for i in range(p))

    def said_of_synthetic(self) -> dict[str, Any]:
        return {
            **super().said_of_synthetic(),
            "first": [integer_json(value) for value in self.synthetic.first],
            "second": [[integer_json(value) for value in row] for row in self.synthetic.second],
        }
