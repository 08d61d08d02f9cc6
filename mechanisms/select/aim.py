"""AIM: measure the one-way tables, then, round by round, the table on which the model is worst for the workload.

In a round the exponential mechanism chooses among the candidates, the table is measured with Gaussian noise, and the
model is fitted again. Where the fit moved no further than noise would have moved it, the next rounds cost four times
as much. Which candidates enter a choice is a function of what has been published: sets whose junction tree is small
enough, and whose noise is below any distance that a table of the published total can have. So the choice is the
exponential mechanism on them, and its sensitivity is the largest weight among them.
Proof: docs/proofs/synthbounds.aim.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.estimate import Estimator
from mechanisms.pgm.measured import MeasuredTable
from mechanisms.select.aim_plan import ANNEALING, AimPlan, Round, next_round
from mechanisms.select.growth import cells_with
from mechanisms.select.scores import Distances, in_steps, scores
from release.log.make import OpenLog
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from mechanisms.pgm.model import Model
    from mechanisms.select.workload import Columns
    from release.data.domain import Codes
    from release.log.file import MarginalLog
    from release.log.steps import TableStep
    from release.noise.randomness import Randomness

Say = Callable[[str], None]
ENOUGH = 0.5
"""Duality gap, in nats, at which a round's fit stops."""
STEPS = 80


def run_aim(records: Codes, plan: AimPlan, randomness: Randomness, *, say: Say | None = None) -> MarginalLog:
    """The log of one run: it spends the whole budget of the plan but for what is reserved."""
    log = OpenLog(records, plan.log, randomness)
    run = _Run(log, plan)
    run.start()
    price, is_last = plan.price, False
    while not is_last:
        paid = next_round(log.left, price)
        is_last = paid.is_last
        anneal = run.round(paid)
        if say is not None:
            say(run.text())
        if anneal:
            price *= ANNEALING
    return log.close()


@dataclass
class _Run:
    """What is known between rounds: the log, the model of what it says, and counts for the scores."""

    log: OpenLog
    plan: AimPlan

    def start(self) -> None:
        """The one-way tables, and the model of independent columns."""
        sizes = self.plan.workload.sizes
        steps = self.log.measure([(j,) for j in range(len(sizes))], rho=self.plan.start)
        self.total = self.log.total_est
        self.estimator = Estimator(sizes, self.total)
        for step in steps:
            self.estimator.add(_measured(step, sizes))
        self.model = self.estimator.fit(enough=ENOUGH, most_steps=STEPS)
        self.distances = Distances(sizes, self.total)
        self.entering = Entering(self.plan, self.total)

    def round(self, paid: Round) -> bool:
        """Choose, measure, fit; whether the fit moved no further than noise would have moved it."""
        workload = self.plan.workload
        noise = self.plan.noise_distance(paid.measure)
        which = self.entering.among(self.model.scopes, noise=noise, used=self.plan.rho - self.log.left + paid.price)
        sets = [workload.candidates[i] for i in which]
        weights = [workload.weights[i] for i in which]
        penalties = [in_steps(noise * workload.cells[i]) for i in which]
        self.distances.hold(self.log.counts_of(self.distances.without_counts(sets)))
        quality = scores(self.distances.of(sets, self.model.marginals), weights, penalties)
        chosen = self.log.choose(sets, quality, moved=max(weights) * RECORD_STEPS, rho=paid.choose)
        (step,) = self.log.measure([chosen], rho=paid.measure)
        if paid.is_last:
            return False
        before = self.model.marginal(chosen)
        self.estimator.add(_measured(step, workload.sizes))
        self.model = self.estimator.fit(enough=ENOUGH, most_steps=STEPS)
        moved = np.abs(self.model.marginal(chosen) - before).sum() * self.total
        return bool(moved <= noise * before.size)
