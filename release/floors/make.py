"""From records to a private release of floors: everything is checked and decided first, then noise is drawn once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from bounds.errors import DataError
from bounds.exact import Exact
from bounds.privacy.adjacency import Adjacency
from release.data.source import as_source
from release.floors.file import FloorRelease
from release.floors.planned import FLOORS, FloorPlan
from release.measure import measure
from release.noise.kinds import Mode
from release.noise.randomness import read_randomness
from release.parameters import FLOOR_LOSS, read_neighbours, read_norms, read_release_numbers
from release.reserving import plan_ledger
from release.scores.planned import all_codes, counted
from release.spending import spending
from release.statistics.features import FeatureMap
from release.statistics.question import Asked

if TYPE_CHECKING:
    from release.data.source import Records
    from release.statistics.question import Minimiser


class FloorRequest:
    """A release that has been requested and checked, before any record is seen."""

    def __init__(
        self,
        feature_map: FeatureMap,
        *,
        epsilon: Exact,
        dp_delta: Exact,
        adjacency: Adjacency | str,
        mode: Mode | str,
        tau: Iterable[Exact] | None = None,
        loss: str | None = None,
        least_size: Exact | None = None,
        reserve: Exact = 0,
        seed: Exact | None = None,
        run: int = 0,
    ) -> None:
        feature_map.require_two_values("floors are for losses of a label +1 or -1")
        neighbours = read_neighbours(adjacency, least_size=least_size)
        numbers = read_release_numbers(
            {"epsilon": epsilon, "dp_delta": dp_delta, "least_size": least_size, "reserve": reserve, "seed": seed}
        )
        self.randomness = read_randomness(mode, seed=None if seed is None else int(numbers["seed"]), run=run)
        if not self.randomness.is_simulated:
            feature_map.schema.require_releasable()
        simulated = self.randomness.is_simulated
        self.size_is_stated = least_size is not None
        self._plan = FloorPlan(
            feature_map=feature_map,
            loss=FLOOR_LOSS.choice(loss),
            taus=read_norms(tau),
            mode=self.randomness.mode,
            ledger=plan_ledger(
                epsilon=numbers["epsilon"],
                dp_delta=numbers["dp_delta"],
                adjacency=neighbours,
                reserve=numbers["reserve"],
            ),
            stated_size=int(numbers.get("least_size", 1)),
            seed=self.randomness.seed if simulated else None,
            run=self.randomness.run if simulated else None,
        )

    def plan(self, n: int) -> FloorPlan:
        """Everything public for a table of n records; under add-remove n is not used."""
        return self._plan if self.size_is_stated else replace(self._plan, stated_size=n)

    def release(self, records: Records, minimise: Minimiser) -> FloorRelease:
        """Compute the floors to the gap of their questions, and draw the noise, once."""
        codes = all_codes(as_source(records, self._plan.schema.domain))
        if not self.size_is_stated and len(codes) == 0:
            raise DataError("the table has no rows")
        plan = self.plan(len(codes))
        with spending(is_private=not plan.is_simulated):
            measurement, ledger = measure(
                counted(plan.questions, Asked(codes, minimise=minimise)),
                plan.noise,
                plan.ledger,
                what=FLOORS,
                randomness=self.randomness,
                kept_as=plan.kept_as if plan.mu_squared_reserved else None,
                header=plan.header(),
            )
            values = tuple(int(value) for value in measurement.values)
            return FloorRelease(**(plan.public() | {"ledger": ledger, "values": values}))
