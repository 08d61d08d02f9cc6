"""The public part of a release of distance, before the real table is used: features, synthetic moments, noise.

The first number is how far the synthetic first moments are from the real ones in Euclidean norm, the second how far the
second moments are in operator norm. Proof: docs/proofs/synthbounds.table-distance.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from release.comparison.planned import ComparisonPlan
from release.data.schema import Schema
from release.statistics.features import FeatureMap
from release.statistics.moment_distance import distance_sensitivity
from release.statistics.moments import MomentSums
from release.statistics.statistic import RECORD_STEPS

DISTANCE = "distance"


@dataclass(frozen=True, kw_only=True)
class DistancePlan(ComparisonPlan):
    """Features and exact moments of a finished table, for comparison with those of the real one."""

    KIND: ClassVar[str] = DISTANCE

    feature_map: FeatureMap
    synthetic: MomentSums
    """Exact, and public: they follow from the synthetic table."""

    @property
    def schema(self) -> Schema:
        return self.feature_map.schema

    @property
    def synthetic_size(self) -> int:
        return self.synthetic.n

    @property
    def statistic_text(self) -> str:
        times = "n" if self.size_is_exact else "least_size"
        return (
            f"distance, in 1/{RECORD_STEPS} of a record and rounded up, of the sums over all records from {times} "
            "times the means of the synthetic table, features in the unit ball: of label times feature in Euclidean "
            "norm, of products of two features in operator norm; each with noise"
        )

    def said_besides(self) -> dict[str, Any]:
        return {"feature_map": self.feature_map.to_json()}

    def moved(self) -> tuple[Fraction, Fraction]:
        return distance_sensitivity(self.adjacency)
