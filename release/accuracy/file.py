"""A release of accuracy: two noisy integers that bound the largest and the mean error of a finished table's answers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from release.accuracy.planned import AccuracyPlan
from release.comparison.file import Comparison
from release.statistics.statistic import RECORD_STEPS


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Except with probability `failure`, no mean of a query differs by more than `largest`, and the average difference
    is at most `mean`: means over the real table, and over the synthetic one."""

    largest: Fraction
    mean: Fraction
    failure: Fraction


@dataclass(frozen=True, kw_only=True)
class AccuracyRelease(AccuracyPlan, Comparison):
    """How wrong the answers of a finished table are; make it with `release_accuracy`."""

    def errors(self, failure: Fraction) -> Errors:
        """Simultaneous upper bounds on both errors, except with this probability.

        If n is private it is at least N - L, L the bound on the largest error of a sum: the constant query is one.
        """
        first, second = self.at_most(failure)
        largest, mean = Fraction(first, RECORD_STEPS), Fraction(second, RECORD_STEPS) * self.mean_moved
        mean, records = min(largest, mean), Fraction(self.stated_size)
        if not self.size_is_exact:
            records -= largest
            mean += largest * self.synthetic.average_mean
            largest *= 1 + self.synthetic.largest_mean
        if records <= 0:
            return Errors(largest=Fraction(1), mean=Fraction(1), failure=failure)
        largest, mean = (min(Fraction(1), error / records) for error in (largest, mean))
        return Errors(largest=largest, mean=mean, failure=failure)

    def said_of_synthetic(self) -> dict[str, Any]:
        return {
            **super().said_of_synthetic(),
            "largest_mean": str(self.synthetic.largest_mean),
            "average_mean": str(self.synthetic.average_mean),
        }
