"""The public part of a release of accuracy, before the real table is used: workload, synthetic table, noise.

The first number is the largest error of the synthetic table's answers, the second the mean one. Proof:
docs/proofs/synthbounds.table-accuracy.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from release.accuracy.workload import Workload
from release.comparison.planned import ComparisonPlan
from release.data.schema import Schema
from release.statistics.statistic import RECORD_STEPS
from release.statistics.table_errors import error_sensitivity

ACCURACY = "accuracy"


@dataclass(frozen=True, kw_only=True)
class SyntheticAnswers:
    """What is used of a finished table's answers besides the errors: its number of rows, and the size of the means."""

    rows: int
    largest_mean: Fraction
    """Of the queries' means over the synthetic table, the largest in size."""
    average_mean: Fraction
    """The average of the sizes of these means."""


@dataclass(frozen=True, kw_only=True)
class AccuracyPlan(ComparisonPlan):
    """A workload and a finished table whose answers will be compared with those of the real one."""

    KIND: ClassVar[str] = ACCURACY

    workload: Workload
    synthetic: SyntheticAnswers

    @property
    def schema(self) -> Schema:
        return self.workload.schema

    @property
    def synthetic_size(self) -> int:
        return self.synthetic.rows

    @property
    def mean_moved(self) -> Fraction:
        """How far one record moves the mean of all sums; a step of the second number is smaller by this."""
        return self.workload.mean_moved(self.adjacency)

    @property
    def statistic_text(self) -> str:
        times = "n" if self.size_is_exact else "least_size"
        constant = "" if self.size_is_exact else " (for the largest the constant one, too)"
        finer = "" if self.mean_moved == 1 else f", the mean in {self.mean_moved} of that"
        return (
            f"largest and mean error of {times} times the means of the synthetic table against the sums over all "
            f"records, over all queries{constant}: in 1/{RECORD_STEPS} of a record{finer}; rounded up, each with noise"
        )

    def said_besides(self) -> dict[str, Any]:
        return {"workload": self.workload.to_json()}

    def moved(self) -> tuple[Fraction, Fraction]:
        return error_sensitivity()
