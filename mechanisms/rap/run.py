"""RAP and RAP++ on records: each round chooses and measures the answers that points are farthest from, and moves them.

Every answer is drawn once and kept; a round is charged only for its choice and for measuring what it chose. Between
rounds points are a function of published numbers. Proof: docs/proofs/synthbounds.threshold-queries.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.rap.fit import BETWEEN_ROUNDS, fit
from mechanisms.rap.scores import TableDistances, query_distances
from mechanisms.rap.start import start
from mechanisms.rap.targets import Targets
from mechanisms.select.scores import in_steps, noise_distance, scores
from release.log.make import OpenLog
from release.log.steps import records_moved
from release.one_thread import one_thread
from release.statistics.conditional_counts import ConditionalCounts
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from mechanisms.rap.plan import RapPlan
    from mechanisms.rap.rounds import Round
    from release.data.domain import Codes
    from release.data.source import Source
    from release.log.file import MarginalLog
    from release.log.steps import AnswersStep, TableStep
    from release.noise.randomness import Randomness

Say = Callable[[str], None]


def run_rap(records: Codes | Source, plan: RapPlan, randomness: Randomness, *, say: Say | None = None) -> MarginalLog:
    """The log of one run: it spends the whole budget of the plan except what is reserved."""
    with one_thread():
        run = _Run(OpenLog(records, plan.log, randomness), plan)
        for number, part in enumerate(plan.rounds, 1):
            run.makes(part, is_last=number == len(plan.rounds))
            if say is not None:
                say(f"round {number} of {len(plan.rounds)}: {run.text(part)}")
        return run.log.close()


class _Run:
    """The state between rounds: the log, points fitted to it, and exact answers for the scores."""

    def __init__(self, log: OpenLog, plan: RapPlan) -> None:
        self.log, self.plan, self.value = log, plan, 0.0
        steps = log.measure([(place,) for place in range(len(plan.log.schema.columns))], rho=plan.start)
        if plan.roles.shape.groups is not None:
            log.merge(plan.roles.shape.groups)
        self.total = log.total_est
        self.targets = Targets(plan.roles, plan.log.queries, self.total)
        self.targets.add(steps)
        self.points = start(plan.roles, self.targets.one_way, plan.points)
        exact = log.counts_of(plan.candidates)
        self._tables = TableDistances(plan.roles, plan.candidates, [exact[columns] for columns in plan.candidates])
        self._measured = np.zeros(len(plan.candidates), dtype=bool)
        self._moved = records_moved(plan.log.adjacency)

    def makes(self, part: Round, *, is_last: bool) -> None:
        """One round: choose, measure, move; after the last round nothing is chosen, and points need not move."""
        if part.workload is None:
            self.targets.add(self._measures_tables(part))
        else:
            self.targets.add([self._asks(part, part.workload)])
        if not is_last:
            self.value = fit(self.plan.roles.layout, self.points, self.targets.twins(), BETWEEN_ROUNDS)

    def text(self, part: Round) -> str:
        """A message about a round; everything in it is published."""
        what = "tables" if part.workload is None else self.plan.log.queries[part.workload].KIND
        used = float(1 - self.log.left / (self.plan.start + sum(r.rho for r in self.plan.rounds)))
        return f"{part.top} {what}, {used:.0%} of the budget"

    def _measures_tables(self, part: Round) -> tuple[TableStep, ...]:
        candidates = self.plan.candidates
        noise = noise_distance(part.half / part.top, self._moved)
        distances = self._tables.of(self.points, self.total)
        penalties = [in_steps(noise * self.plan.roles.shape.cells(columns)) for columns in candidates]
        quality = scores(distances, [1] * len(candidates), penalties)
        chosen = []
        for _ in range(part.top):
            left = np.flatnonzero(~self._measured).tolist()
            names, values = [candidates[i] for i in left], [quality[i] for i in left]
            found = self.log.choose(names, values, moved=RECORD_STEPS, rho=part.half / part.top)
            self._measured[left[names.index(found)]] = True
            chosen.append(found)
        return self.log.measure(chosen, rho=part.half)

    def _asks(self, part: Round, workload: int) -> AnswersStep:
        queries = self.plan.log.queries[workload]
        assert isinstance(queries, ConditionalCounts)
        noise = noise_distance(part.half / part.top, self._moved)
        distances = query_distances(self.plan.roles, queries, self.log.answers(workload), self.points, self.total)
        penalties = [in_steps(noise * width) for width in queries.widths.tolist()]
        quality = scores(distances, [1] * len(distances), penalties)
        chosen = self.log.choose_queries(workload, quality, count=part.top, moved=RECORD_STEPS, rho=part.half)
        return self.log.ask(workload, chosen, rho=part.half)
