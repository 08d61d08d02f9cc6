"""The public part of a release of moments, before any record is seen: features, budget, noise; it has no numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

from bounds.exact import root_at_least
from bounds.privacy.gaussian import gaussian_epsilon
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import Sensitivity, l2_sensitivity
from release.data.schema import Schema
from release.files.digest import digest_of
from release.moments.budget import (
    MULTIPLICITIES,
    NoiseDeviations,
    multiplicity,
    noise_deviations,
    squared_sensitivity,
)
from release.noise.kinds import Mode, Noise
from release.reserving import QUERY, ReservingPlan
from release.statistics.features import FeatureMap
from release.statistics.moments import fourth_indices, moment_count, moment_sums, statistic_text
from release.statistics.statistic import Statistic


@dataclass(frozen=True, kw_only=True)
class MomentPlan(ReservingPlan):
    """Features, privacy and noise of moments of a table; `ledger` is in mu^2, with what is kept for a query."""

    feature_map: FeatureMap
    mode: Mode
    ledger: Ledger
    stated_size: int
    """n under replace-one, where it is public; under add-remove the public least size."""
    weight: Fraction
    fourth_weight: Fraction | None
    seed: int | None = None
    run: int | None = None

    @property
    def schema(self) -> Schema:
        return self.feature_map.schema

    @property
    def epsilon_spent(self) -> Fraction:
        """What the moments alone cost at the same dp_delta, rounded up; the rest of epsilon is not additive."""
        return gaussian_epsilon(self.own_cost, dp_delta=self.dp_delta).epsilon.hi

    @property
    def kept_as(self) -> str:
        """The name under which an account keeps the reservation: of what is public before the noise and after."""
        public = {
            "adjacency": self.adjacency.value,
            "stated_size": self.stated_size,
            "weights": [str(self.weight), str(self.fourth_weight)],
            "budget": [str(self.mu_squared), str(self.mu_squared_reserved)],
            "feature_map": self.feature_map.to_json(),
            "schema": self.feature_map.schema.to_json(),
        }
        return f"{QUERY} of moments {digest_of(public)[:32]}"

    @cached_property
    def squared_sensitivity(self) -> Fraction:
        return squared_sensitivity(self.adjacency, weight=self.weight, fourth_weight=self.fourth_weight)

    @property
    def sensitivity(self) -> Sensitivity:
        return l2_sensitivity(
            squared=self.squared_sensitivity,
            adjacency=self.adjacency,
            n_is_public=self.size_is_exact,
            text="weighted moments of features in the unit ball",
        )

    @property
    def statistic(self) -> Statistic:
        """The sums in the order first, second (row by row of the upper triangle), fourth."""
        features, fourth = self.feature_map, self.fourth_weight is not None
        return Statistic(
            text=statistic_text(features, fourth=fourth),
            count=moment_count(features.size, fourth=fourth),
            sensitivity=self.sensitivity,
            of=lambda source: moment_sums(source, features, fourth=fourth).counted,
        )

    @cached_property
    def deviations(self) -> NoiseDeviations:
        """Standard deviations of the noise on the integer sums."""
        return noise_deviations(
            self.feature_map,
            mu_squared=self.mu_squared_spent,
            squared=self.squared_sensitivity,
            weight=self.weight,
            fourth_weight=self.fourth_weight,
        )

    @property
    def noise(self) -> Noise:
        """On the sums of the statistic, each with its own deviation."""
        p, deviations = self.feature_map.size, self.deviations
        found = [deviations.first] * p
        for j in range(p):
            found += [deviations.second_diagonal, *[deviations.second_off_diagonal] * (p - j - 1)]
        if deviations.fourth is not None:
            by_multiplicity = dict(zip(MULTIPLICITIES, deviations.fourth, strict=True))
            found += [by_multiplicity[multiplicity(indices)] for indices in fourth_indices(p)]
        return Noise(
            kind="rounded-gaussian",
            scales=tuple(found),
            count=len(found),
            sensitivity=self.sensitivity,
            cost=self.own_cost,
            mode=self.mode,
        )

    @property
    def size(self) -> int:
        """The divisor of sums."""
        return self.stated_size

    def plan(self, **changes: Any) -> MomentPlan:
        """Its own public fields, with changes."""
        return MomentPlan(**({f.name: getattr(self, f.name) for f in fields(MomentPlan)} | changes))

    # Noise of the means in units of x = f / sqrt(P), without the rounding: upper bounds, since roots are rounded up.

    @cached_property
    def noise_first(self) -> Fraction:
        """Standard deviation of every coordinate of the mean of y x."""
        return self._in_ball((self.deviations.first / self.feature_map.label_one) ** 2, 1)

    @cached_property
    def noise_second(self) -> Fraction:
        """s such that the mean of x x' has deviations of at most s on the diagonal and s / sqrt 2 off it."""
        return self._in_ball(max(self.deviations.second_diagonal**2, 2 * self.deviations.second_off_diagonal**2), 2)

    @cached_property
    def noise_fourth(self) -> Fraction | None:
        """s such that a product of four that stands m times in the tensor has a deviation of at most s / sqrt m."""
        if self.deviations.fourth is None:
            return None
        return self._in_ball(max(m * sd**2 for m, sd in zip(MULTIPLICITIES, self.deviations.fourth, strict=True)), 4)

    def _in_ball(self, variance: Fraction, degree: int) -> Fraction:
        unit = self.size * self.feature_map.one**degree
        return root_at_least(variance / unit**2 / self.feature_map.squared_norm**degree)

    # Rounding of the noise to the lattice: at most half a step for each entry of the means of f.

    @property
    def grid_first(self) -> Fraction:
        return Fraction(1, 2 * self.size * self.feature_map.one * self.feature_map.label_one)

    @property
    def grid_second(self) -> Fraction:
        return Fraction(1, 2 * self.size * self.feature_map.one**2)

    @property
    def grid_fourth(self) -> Fraction:
        return Fraction(1, 2 * self.size * self.feature_map.one**4)
