"""Errors of methods with a log, and what AIM would do, from public facts alone.

All of them first measure the table of every column, with noise that public facts decide. What else `aim`, `mst` and
`tree` measure depends on noise, so nothing is promised about two columns; `gen` measures all pairs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import NotApplicable
from mechanisms.planning.forecast import Budget, Planned, Work
from mechanisms.select.settings import AIM, GEN, MST, TREE
from mechanisms.synth.make import TableRequest
from mechanisms.synth.make_by_log import plan_method
from release.log.steps import table_deviation
from release.noise.quantiles import largest_noise
from release.noise.randomness import read_randomness

if TYPE_CHECKING:
    from mechanisms.select.aim_plan import AimPlan

NOT_PROMISED = {
    AIM: "it chooses round by round what to measure besides one-way tables: nothing is promised about two columns",
    MST: "it chooses with noise which pairs to measure: nothing is promised about two columns",
    TREE: "it chooses with noise which pairs to measure: nothing is promised about two columns",
    GEN: "cells are measured, not moments",
}
_SECONDS, _SECONDS_A_CANDIDATE, _ROUNDS_A_COLUMN = 0.03, 1e-4, 2
"""Measured time of a round of AIM, and its rounds for each column; most rounds are annealed away."""


class LogForecast:
    """The noise of the tables that a method measures first."""

    def __init__(self, method: str, planned: Planned, budget: Budget) -> None:
        if budget.dp_delta is None:
            raise NotApplicable("its noise is Gaussian, which needs a dp-delta")
        self.public, self.half, self.method = planned.public, planned.beta / 2, method
        request = TableRequest(
            adjacency=planned.public.adjacency,
            least_size=None,
            epsilon=budget.epsilon,
            dp_delta=budget.dp_delta,
            failure=planned.beta,
            randomness=read_randomness("release"),
            label=planned.label if method == TREE else None,
        )
        self.plan, _ = plan_method(method, planned.public, request, ())

    @property
    def one_way(self) -> Fraction:
        """Error bound of all counts of single columns, as for the finished table, which gives half of beta to these."""
        columns = len(self.public.schema.columns)
        return self._quantile(self._start / columns, sum(self.public.schema.domain.sizes), self.half)

    @property
    def two_way(self) -> Fraction | None:
        """The same for the cells of pairs, if all pairs are measured; half of each table's part is for its cells."""
        if self.method != GEN or max(map(len, self.plan.tables)) < 2:
            return None
        each, sizes = Fraction(1, len(self.plan.tables)), self.public.schema.domain.sizes
        cells = max(sizes[a] * sizes[b] for a, b in (t for t in self.plan.tables if len(t) == 2))
        return self._quantile(self.plan.log.rho * each, cells, self.half * each / 2)

    @property
    def work(self) -> Work | None:
        """What AIM would do."""
        if self.method != AIM:
            return None
        plan: AimPlan = self.plan
        candidates, columns = plan.workload.candidates, len(self.public.schema.columns)
        rounds = min(plan.most_rounds, _ROUNDS_A_COLUMN * columns)
        return Work(
            tables=len(plan.workload.tables),
            candidates=len(candidates),
            largest_cells=max(plan.workload.cells),
            noise_est=plan.deviation_est,
            most_rounds=plan.most_rounds,
            model_mb=plan.model_mb,
            cpu_seconds_est=1 + rounds * (_SECONDS + _SECONDS_A_CANDIDATE * len(candidates)),
        )

    @property
    def _start(self) -> Fraction:
        """Total cost of the one-way tables."""
        plan, rho = self.plan, self.plan.log.rho
        if self.method == AIM:
            return Fraction(plan.start)
        if self.method == TREE:
            from mechanisms.select.tree import ONE_WAY

            return Fraction(rho * plan.shares[ONE_WAY])
        columns = len(self.public.schema.columns)
        if self.method == GEN:
            return Fraction(rho * columns / len(plan.tables))
        return Fraction(rho / 3 if columns > 1 else rho)

    def _quantile(self, rho: Fraction, count: int, failure: Fraction) -> Fraction:
        deviation = table_deviation(rho, self.public.adjacency)
        return largest_noise("gaussian", "release", count=count, scale=deviation, beta=failure)
