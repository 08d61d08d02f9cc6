"""From records to a private release of moments: everything is checked and decided first, then noise is drawn once.

Only the exact sums see the records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.errors import DataError, UsageError
from bounds.exact import Exact
from bounds.privacy.adjacency import Adjacency
from release.measure import Measurement, measure
from release.moments.file import MOMENTS, MomentRelease
from release.moments.planned import MomentPlan
from release.noise.kinds import Mode
from release.noise.randomness import read_randomness
from release.parameters import DEFAULT_WEIGHT, read_neighbours, read_release_numbers
from release.reserving import plan_ledger
from release.spending import spending
from release.statistics.features import FeatureMap
from release.statistics.moments import MomentSums, moment_sums, require_fourth

if TYPE_CHECKING:
    from release.data.source import Records


def make_release(
    records: Records,
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
    """Noisy moments of records that are given as codes of the schema: an array, batches, or a source.

    In release mode the result may be published, once: each further call spends the budget again. `n0` is the public
    least number of records that add-remove needs; `reserve` the share of mu^2 that is kept for one later query.
    """
    asked = MomentRequest(
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
    return asked.release(records)


class MomentRequest:
    """A release that has been requested and checked, before any record is seen."""

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
        self.adjacency = read_neighbours(adjacency, least_size=n0)
        given = {"epsilon": epsilon, "dp_delta": dp_delta, "least_size": n0, "reserve": reserve, "seed": seed}
        numbers = read_release_numbers({**given, "weight": weight, "fourth_weight": fourth_weight})
        self.randomness = read_randomness(mode, seed=None if seed is None else int(numbers["seed"]), run=run)
        if not self.randomness.is_simulated:
            feature_map.schema.require_releasable()
        if fourth:
            require_fourth(feature_map)
        self.feature_map = feature_map
        self.least_size = None if n0 is None else int(numbers["least_size"])
        self.weight = numbers["weight"]
        self.fourth_weight = numbers["fourth_weight"] if fourth else None
        self.ledger = plan_ledger(
            epsilon=numbers["epsilon"],
            dp_delta=numbers["dp_delta"],
            adjacency=self.adjacency,
            reserve=numbers["reserve"],
        )

    def plan(self, n: int) -> MomentPlan:
        """Everything public for a table of n records; under add-remove n is not used."""
        simulated = self.randomness.is_simulated
        return MomentPlan(
            feature_map=self.feature_map,
            mode=self.randomness.mode,
            ledger=self.ledger,
            stated_size=n if self.least_size is None else self.least_size,
            weight=self.weight,
            fourth_weight=self.fourth_weight,
            seed=self.randomness.seed if simulated else None,
            run=self.randomness.run if simulated else None,
        )

    def release(self, records: Records) -> MomentRelease:
        """Count the moments exactly, and draw the noise, once."""
        return self.release_sums(moment_sums(records, self.feature_map, fourth=self.fourth_weight is not None))

    def release_sums(self, sums: MomentSums) -> MomentRelease:
        """Draw the noise on exact sums, once."""
        if (sums.fourth is None) != (self.fourth_weight is None):
            raise UsageError("fourth: the sums are not those that were asked for")
        if self.adjacency is Adjacency.REPLACE_ONE and sums.n == 0:
            raise DataError("the table has no rows")
        plan = self.plan(sums.n)
        with spending(is_private=not plan.is_simulated):
            measurement, ledger = measure(
                sums.counted,
                plan.noise,
                plan.ledger,
                what=MOMENTS,
                randomness=self.randomness,
                kept_as=plan.kept_as if plan.mu_squared_reserved else None,
                header=_header(plan),
            )
            return released(plan.plan(ledger=ledger), measurement)


def released(plan: MomentPlan, measurement: Measurement) -> MomentRelease:
    """The release of a plan and the noisy sums that were measured for it."""
    if measurement.mode != plan.mode:
        raise UsageError(f"mode = {measurement.mode}: these sums were not measured for mode = {plan.mode}")
    p, noisy = plan.feature_map.size, iter(int(value) for value in measurement.values)
    return MomentRelease(
        feature_map=plan.feature_map,
        mode=plan.mode,
        ledger=plan.ledger,
        stated_size=plan.stated_size,
        weight=plan.weight,
        fourth_weight=plan.fourth_weight,
        seed=plan.seed,
        run=plan.run,
        first_sums=tuple(next(noisy) for _ in range(p)),
        second_sums=tuple(tuple(next(noisy) for _ in range(p - j)) for j in range(p)),
        fourth_sums=None if plan.fourth_weight is None else tuple(noisy),
    )


def _header(plan: MomentPlan) -> dict[str, object]:
    """The public fields around the sums, from which an interrupted release can be finished."""
    return {
        "kind": MOMENTS,
        "mode": plan.mode,
        "statistic": plan.statistic.text,
        "stated_size": plan.stated_size,
        "weight": str(plan.weight),
        "fourth_weight": None if plan.fourth_weight is None else str(plan.fourth_weight),
        "schema": plan.feature_map.schema.to_json(),
        "feature_map": plan.feature_map.to_json(),
    }
