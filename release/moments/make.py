"""From records to a private release of moments: everything is checked and decided first, then noise is drawn once.

In release mode noise comes from the exact sampler and the operating system, in simulate mode from numpy and a seed.
Only the exact sums see the records.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import DataError, UsageError
from bounds.exact import Exact
from bounds.privacy.adjacency import Adjacency, read_adjacency
from release.moments.budget import (
    MULTIPLICITIES,
    NoiseDeviations,
    multiplicity,
    noise_deviations,
    plan_budget,
    squared_sensitivity,
)
from release.moments.file import OPEN, MomentRelease
from release.noise.kinds import Mode, read_mode
from release.parameters import DEFAULT_WEIGHT, read_release_numbers
from release.statistics.features import FeatureMap
from release.statistics.moments import MomentSums, fourth_indices, moment_sums, require_fourth

if TYPE_CHECKING:
    from release.data.domain import Codes


def make_release(
    records: Codes | Iterable[Codes],
    feature_map: FeatureMap,
    *,
    epsilon: Exact,
    dp_delta: Exact,
    adjacency: Adjacency | str,
    mode: Mode | str,
    n0: Exact | None = None,
    fourth: bool = False,
    weight: Exact = DEFAULT_WEIGHT,
    fourth_weight: Exact = 1,
    reserve: Exact = 0,
    seed: Exact | None = None,
    run: int = 0,
) -> MomentRelease:
    """Noisy moments of records that are given as codes of the schema, at once or in batches.

    In release mode the result may be published, once: each further call spends the budget again. `n0` is the public
    least number of records that add-remove needs; `reserve` the share of mu^2 that is kept for one later query.
    """
    asked = Asked(
        feature_map,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        mode=mode,
        n0=n0,
        fourth=fourth,
        weight=weight,
        fourth_weight=fourth_weight,
        reserve=reserve,
        seed=seed,
        run=run,
    )
    return asked.release(moment_sums(records, feature_map, fourth=fourth))


class Asked:
    """A release that has been asked for and checked, before any record is seen."""

    def __init__(
        self,
        feature_map: FeatureMap,
        *,
        epsilon: Exact,
        dp_delta: Exact,
        adjacency: Adjacency | str,
        mode: Mode | str,
        n0: Exact | None = None,
        fourth: bool = False,
        weight: Exact = DEFAULT_WEIGHT,
        fourth_weight: Exact = 1,
        reserve: Exact = 0,
        seed: Exact | None = None,
        run: int = 0,
    ) -> None:
        self.mode, self.adjacency = read_mode(mode), read_adjacency(adjacency)
        given = {"epsilon": epsilon, "dp_delta": dp_delta, "least_size": n0, "reserve": reserve, "seed": seed}
        numbers = read_release_numbers({**given, "weight": weight, "fourth_weight": fourth_weight})
        if self.mode == "release":
            feature_map.schema.require_public()
            if seed is not None or run != 0:
                raise UsageError(
                    "seed is for --mode simulate: a release takes its randomness from the operating system"
                )
        elif seed is None:
            raise UsageError("seed is missing: a simulation records its seed")
        if (self.adjacency is Adjacency.ADD_REMOVE) != (n0 is not None):
            raise UsageError(
                "least-size is for --adjacency add-remove, and needed there: a public number of records that the "
                "table has at least"
            )
        if fourth:
            require_fourth(feature_map)
        self.feature_map, self.run = feature_map, run
        self.seed = None if seed is None else int(numbers["seed"])
        self.least_size = None if n0 is None else int(numbers["least_size"])
        self.weight = numbers["weight"]
        self.fourth_weight = numbers["fourth_weight"] if fourth else None
        self.budget = plan_budget(
            epsilon=numbers["epsilon"],
            dp_delta=numbers["dp_delta"],
            adjacency=self.adjacency,
            reserve=numbers["reserve"],
        )

    def release(self, sums: MomentSums) -> MomentRelease:
        """Draw the noise, once, and add it to the exact sums."""
        if (sums.fourth is None) != (self.fourth_weight is None):
            raise UsageError("fourth: the sums and what is asked for differ")
        if self.adjacency is Adjacency.REPLACE_ONE and sums.n == 0:
            raise DataError("the table has no rows")
        squared = squared_sensitivity(self.adjacency, weight=self.weight, fourth_weight=self.fourth_weight)
        deviations = noise_deviations(
            self.feature_map, self.budget, squared=squared, weight=self.weight, fourth_weight=self.fourth_weight
        )
        p = self.feature_map.size
        exact = [*sums.first, *(value for row in sums.second for value in row), *(sums.fourth or ())]
        noise = self._noise(noise_of_each(deviations, p))
        noisy = iter([value + more for value, more in zip(exact, noise, strict=True)])
        simulated = self.mode == "simulate"
        return MomentRelease(
            feature_map=self.feature_map,
            mode=self.mode,
            budget=self.budget,
            stated_size=sums.n if self.least_size is None else self.least_size,
            weight=self.weight,
            fourth_weight=self.fourth_weight,
            first_sums=tuple(next(noisy) for _ in range(p)),
            second_sums=tuple(tuple(next(noisy) for _ in range(p - j)) for j in range(p)),
            fourth_sums=None if sums.fourth is None else tuple(noisy),
            seed=self.seed if simulated else None,
            run=self.run if simulated else None,
            reservation_state=OPEN if self.budget.reserve else None,
        )

    def _noise(self, deviations: list[Fraction]) -> list[int]:
        if self.mode == "release":
            from release.noise.rounded_gaussian import rounded_gaussian

            return [rounded_gaussian(sd, 1)[0] for sd in deviations]
        from release.noise.simulated import standard_gaussian

        assert self.seed is not None
        standard = standard_gaussian(len(deviations), seed=self.seed, run=self.run)
        return [round(float(sd) * z) for sd, z in zip(deviations, standard, strict=True)]


def noise_of_each(deviations: NoiseDeviations, size: int) -> list[Fraction]:
    """The standard deviation of every sum, in the order first, second (row by row of the upper triangle), fourth."""
    found = [deviations.first] * size
    for j in range(size):
        found += [deviations.second_diagonal, *[deviations.second_off_diagonal] * (size - j - 1)]
    if deviations.fourth is not None:
        by_multiplicity = dict(zip(MULTIPLICITIES, deviations.fourth, strict=True))
        found += [by_multiplicity[multiplicity(indices)] for indices in fourth_indices(size)]
    return found
