"""Logs with a seeded bug in place of the shipped one: each claims more privacy than it has.

They do what careless code would do; an audit that finds all of them looks where it should.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, ClassVar

import numpy as np

from bounds.privacy.adjacency import Adjacency
from bounds.privacy.statements import ZCDP
from release.choose import ExponentialPlan
from release.log import make
from release.log.make import OpenLog
from release.log.steps import AnswersStep, Columns, TableStep, records_moved, tables_noise
from release.noise.kinds import Noise
from release.statistics.statistic import RECORD_STEPS
from verify.audit.following import replacing


class BuggyLog(OpenLog):
    """`BUG` says what is wrong with it."""

    BUG: ClassVar[str]


class HalfMoved(BuggyLog):
    BUG = "a replaced record is taken to move a score by as much as an added one"

    def choose(
        self, candidates: Iterable[Sequence[int]], scores: Sequence[int], *, moved: int, rho: Fraction
    ) -> Columns:
        return super().choose(candidates, scores, moved=moved // 2, rho=rho)


class OneTable(BuggyLog):
    BUG = "tables that are measured together have the noise of one"

    def measure(self, sets: Iterable[Sequence[int]], *, rho: Fraction) -> tuple[TableStep, ...]:
        def too_little(count: int, tables: int, *rest: Any) -> Noise:
            return tables_noise(count, 1, *rest)

        with replacing({(make, "tables_noise"): too_little}):
            return super().measure(sets, rho=rho)


class AnnealedFree(BuggyLog):
    BUG = "a round that is annealed is charged what it cost before"

    _price: Fraction | None = None

    def measure(self, sets: Iterable[Sequence[int]], *, rho: Fraction) -> tuple[TableStep, ...]:
        before, asked = self._ledger, list(sets)
        found = super().measure(asked, rho=rho)
        if len(asked) == 1:
            self._price = self._price or rho
            if self.left and rho > self._price:
                self._ledger = before.spend(before.statement(self._price), "a round")
        return found


class Redrawn(BuggyLog):
    BUG = "a table with a negative count is redrawn at no cost"

    def measure(self, sets: Iterable[Sequence[int]], *, rho: Fraction) -> tuple[TableStep, ...]:
        asked, before, steps = list(sets), self._ledger, len(self._steps)
        for _ in range(4):
            self._ledger = before
            del self._steps[steps:]
            found = super().measure(asked, rho=rho)
            if min(count for table in found for count in table.counts) >= 0:
                break
        return found


class FloatScores(BuggyLog):
    BUG = "scores are means over the columns, in floats of half precision"

    def choose(
        self, candidates: Iterable[Sequence[int]], scores: Sequence[int], *, moved: int, rho: Fraction
    ) -> Columns:
        unit = RECORD_STEPS * len(self.plan.schema.columns)
        rounded = [int(float(np.float16(score / unit)) * unit) for score in scores]
        return super().choose(candidates, rounded, moved=moved, rho=rho)


class FromTheData(BuggyLog):
    BUG = "the amount of noise on a table depends on its exact counts"

    def measure(self, sets: Iterable[Sequence[int]], *, rho: Fraction) -> tuple[TableStep, ...]:
        asked = list(sets)
        if len(asked) == 1 and rho < self.left and self.counts(asked[0]).max() > 1:
            rho /= 2
        return super().measure(asked, rho=rho)


class EuclideanScores(BuggyLog):
    BUG = "a score that adds up absolute errors is taken to move like answers in L2"

    def choose_queries(
        self, workload: int, scores: Sequence[int], *, count: int, moved: int, rho: Fraction
    ) -> tuple[int, ...]:
        def too_fast(among: int, *, moved: int, adjacency: Adjacency, rho: Fraction, winners: int) -> ExponentialPlan:
            most = isqrt(records_moved(adjacency) * moved**2)
            return ExponentialPlan(count=among, moved=most, cost=ZCDP(rho=rho, adjacency=adjacency), winners=winners)  # type: ignore[arg-type]

        with replacing({(make, "choice_plan"): too_fast}):
            return super().choose_queries(workload, scores, count=count, moved=moved, rho=rho)


class NoisedAgain(BuggyLog):
    BUG = "answers are redrawn in every later round but charged once"

    def ask(self, workload: int, queries: Sequence[int], *, rho: Fraction) -> AnswersStep:
        asked = [step.queries for step in self.steps if isinstance(step, AnswersStep) and step.workload == workload]
        for earlier in asked:
            before = self._ledger
            super().ask(workload, earlier, rho=rho)
            self._ledger = before
            del self._steps[-1]
        return super().ask(workload, queries, rho=rho)


BUGGY_LOGS: dict[str, type[BuggyLog]] = {
    "wrong-sensitivity": HalfMoved,
    "one-table": OneTable,
    "annealed-free": AnnealedFree,
    "redrawn": Redrawn,
    "float-scores": FloatScores,
    "from-the-data": FromTheData,
}
"""Of AIM."""
BUGGY_QUERY_LOGS: dict[str, type[BuggyLog]] = {"euclidean-scores": EuclideanScores, "noised-again": NoisedAgain}
"""Bugs of rounds that choose and ask queries: two mistakes in the program published with vietri2022."""
