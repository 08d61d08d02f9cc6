"""AIM: measure the one-way tables, then, round by round, the table that the model fits worst for the workload.

In a round the exponential mechanism chooses among the candidates, the table is measured with Gaussian noise, and the
model is fitted again. If the fit moved no further than noise would have moved it, all later rounds cost four times as
much. Proof: docs/proofs/synthbounds.aim.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.estimate import Estimator
from mechanisms.pgm.from_log import merged_table
from mechanisms.pgm.order import tree_cells
from mechanisms.select.aim_plan import ANNEALING, AimPlan, Round, next_round
from mechanisms.select.entering import Entering
from mechanisms.select.joints import Joints
from mechanisms.select.scores import Comparison, exact_counts, in_steps, scores
from release.log.file import MarginalLog
from release.log.make import OpenLog
from release.log.steps import Shape
from release.one_thread import one_thread
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.model import Model
    from mechanisms.select.workload import Columns
    from release.data.domain import Codes
    from release.data.source import Source
    from release.log.steps import TableStep
    from release.noise.randomness import Randomness

Say = Callable[[str], None]
_ENOUGH, _PER_CELL = 0.5, 1e-4
"""Duality gap, in nats, at which the fit of a round stops; noise alone leaves half a nat a cell."""
_STEPS, _MOST_STEPS = 80, 320
"""Steps of a fit, before the first annealing and at most; each annealing doubles them: less noise needs more steps."""


def run_aim(records: Codes | Source, plan: AimPlan, randomness: Randomness, *, say: Say | None = None) -> MarginalLog:
    """The log of one run: it spends the whole budget of the plan except what is reserved."""
    with one_thread():
        run = _Run(OpenLog(records, plan.log, randomness), plan)
        price, is_last = plan.price, False
        while not is_last:
            paid = next_round(run.log.left, price)
            is_last = paid.is_last
            if run.makes(paid):
                price *= ANNEALING
                run.steps = min(2 * run.steps, _MOST_STEPS)
            if say is not None:
                say(run.text())
        return run.log.close()


class _Run:
    """The state between rounds: the log, the model fitted to it, and counts for the scores."""

    def __init__(self, log: OpenLog, plan: AimPlan) -> None:
        """The one-way tables come first: they give the model of independent columns and the number of records."""
        self.log, self.plan, self.rounds, self.steps, self.cells = log, plan, 0, _STEPS, 0
        self._shape = Shape(plan.log.schema.domain.sizes, plan.groups)
        sizes = plan.workload.sizes
        steps = log.measure([(j,) for j in range(len(sizes))], rho=plan.start)
        if plan.groups is not None:
            log.merge(plan.groups)
        self.total = log.total_est
        zeros = {found.columns: found.cells(sizes) for found in plan.log.impossible}
        self._always = tuple(zeros)
        self.estimator = Estimator(sizes, self.total, impossible=zeros)
        self.model = self._fitted(*steps)
        self.compared = Comparison(sizes, [])
        self.counts: dict[Columns, NDArray[np.int64]] = {}
        self.entering = Entering(plan.workload, self.total)

    @property
    def scopes(self) -> tuple[Columns, ...]:
        return (*self.model.scopes, *self._always)

    def makes(self, paid: Round) -> bool:
        """One round: choose, measure, fit. Returns whether the model moved no further than noise would move it."""
        self.rounds += 1
        noise = self.plan.noise_distance(paid.measure)
        chosen = self._choose(paid, noise)
        (step,) = self.log.measure([chosen], rho=paid.measure)
        if paid.is_last:
            return False
        before = self.model.marginal(chosen)
        self.model = self._fitted(step)
        moved = np.abs(self.model.marginal(chosen) - before).sum() * self.total
        return bool(moved <= noise * before.size)

    def text(self) -> str:
        """A message about a round; everything in it is published."""
        used = float(1 - self.log.left / self.plan.rho)
        tree = 8 * tree_cells(self.plan.workload.sizes, self.scopes) / 2**20
        gap = self.model.gap_est
        return f"round {self.rounds}: {used:.0%} of the budget, junction tree {tree:.2g} MB, gap {gap:.2g} nats"

    def _fitted(self, *steps: TableStep) -> Model:
        """The model after adding these tables."""
        for step in steps:
            self.estimator.add(merged_table(step, self._shape))
            self.cells += len(step.counts)
        return self.estimator.fit(enough=max(_ENOUGH, _PER_CELL * self.cells), most_steps=self.steps)

    def _choose(self, paid: Round, noise: float) -> Columns:
        workload = self.plan.workload
        most_cells = self.plan.most_cells_of_model(self.plan.rho - self.log.left + paid.price)
        which = self.entering.among(self.scopes, noise=noise, most_cells=most_cells)
        sets = [workload.candidates[i] for i in which]
        weights = [workload.weights[i] for i in which]
        penalties = [in_steps(noise * workload.cells[i]) for i in which]
        if tuple(sets) != self.compared.sets:
            self.compared = Comparison(workload.sizes, sets)
            new = [columns for columns in sets if columns not in self.counts]
            self.counts |= exact_counts(workload.sizes, new, self._counts_of)
        distances = self.compared.distances(self.counts, Joints(self.model).of, self.total)
        quality = scores(distances, weights, penalties)
        return self.log.choose(sets, quality, moved=max(weights) * RECORD_STEPS, rho=paid.choose)

    def _counts_of(self, sets: Iterable[Columns]) -> dict[Columns, NDArray[np.int64]]:
        """Exact tables in merged codes; one-way tables are published in all codes, but scored like the others."""
        found = self.log.counts_of(sets)
        if self.plan.groups is None:
            return found
        merged = self.plan.workload.sizes
        return {
            columns: np.bincount(self.plan.groups[columns[0]], table, minlength=merged[columns[0]]).astype(np.int64)
            if len(columns) == 1
            else table
            for columns, table in found.items()
        }
