"""A log while it is made: the only part that sees records in a method that measures and chooses what to measure.

Every measurement and every choice is charged to the ledger before its noise is drawn, and refused if the budget is too
small; costs may depend on everything published before. A method gets exact counts only for its scores, and publishes
nothing but the steps of the log. Proof: docs/proofs/synthbounds.marginal-log.md.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import DataError, ParameterError, UsageError
from bounds.privacy.amounts import Entry
from bounds.privacy.ledger import Ledger
from release.choose import choose_several
from release.data.domain import require_records
from release.data.source import Source
from release.log.exact import ExactCounts
from release.log.file import MarginalLog, groups_json
from release.log.impossible import require_possible
from release.log.planned import MARGINAL_LOG, LogPlan
from release.log.steps import (
    AnswersStep,
    ChoiceStep,
    Columns,
    Groups,
    QueriesChoiceStep,
    Shape,
    Step,
    TableStep,
    answers_noise,
    choice_plan,
    order_of,
    tables_noise,
)
from release.measure import measure
from release.noise.exact import opendp
from release.replay import NothingMore
from release.spending import book_ahead, current_replay, spending
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.choose import ExponentialPlan
    from release.data.domain import Codes
    from release.noise.kinds import Noise
    from release.noise.randomness import Randomness


class Ended(NothingMore):
    """An interrupted log cannot go on; it ends with what was kept of it."""

    def __init__(self, log: MarginalLog) -> None:
        super().__init__("log: no more of the interrupted run was kept")
        self.log = log


class OpenLog:
    """Records and a ledger in rho, from which tables and answers are measured and chosen, until it is closed.

    The whole rho of the log is recorded in the account before its first noise; measurements and choices draw on it.
    """

    def __init__(self, records: Codes | Source, plan: LogPlan, randomness: Randomness) -> None:
        if randomness.mode != plan.mode:
            raise UsageError(f"mode = {plan.mode}: the randomness is for {randomness.mode}")
        if not plan.is_simulated:
            plan.schema.require_releasable()
            opendp()  # if exact noise cannot be drawn, nothing is recorded
        if any(entry.state == "spent" for entry in plan.ledger.entries):
            raise UsageError("ledger: a log must begin with one from which nothing is spent")
        if not isinstance(records, Source):
            require_records(records, plan.schema.domain)
        if plan.size_is_exact and len(records) != plan.stated_size:
            raise DataError("the table does not have the public number of records")
        if current_replay() is None:
            require_possible(records, plan.impossible, plan.schema)
        self.plan, self._randomness = plan, randomness
        self._exact = ExactCounts(records, Shape(plan.schema.domain.sizes), plan.queries)
        self._ledger, self._steps = plan.ledger, list[Step]()
        self._chosen: list[set[int]] = [set() for _ in plan.queries]
        self._is_booked = self._has_failed = False

    @property
    def left(self) -> Fraction:
        """rho that is neither spent nor reserved."""
        return self._ledger.left

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was published so far."""
        return tuple(self._steps)

    @property
    def total_est(self) -> float:
        """The number of records, estimated from everything published so far."""
        return self.plan.total_said([step for step in self._steps if isinstance(step, TableStep)])

    def counts(self, columns: Sequence[int]) -> NDArray[np.int64]:
        """The exact table of these columns, one axis per column: only for scores."""
        return self.counts_of([columns])[tuple(columns)]

    def counts_of(self, sets: Iterable[Sequence[int]]) -> dict[Columns, NDArray[np.int64]]:
        """Many exact tables at once, in fewer passes over the records."""
        return self._exact.tables(sets)

    def measure(self, sets: Iterable[Sequence[int]], *, rho: Fraction) -> tuple[TableStep, ...]:
        """Tables of these sets of columns with noise, as one charge: every table has an equal part of rho."""
        asked = [tuple(columns) for columns in sets]
        if len(set(asked)) < len(asked):
            raise ParameterError("tables", "one of them twice", "sets of columns that differ, in one measurement")
        tables = self.counts_of(asked)
        exact = tuple(value for columns in asked for value in tables[columns].ravel().tolist())
        noise = tables_noise(len(exact), len(asked), rho, self.plan.adjacency, self.plan.mode)
        assert isinstance(noise.scales, Fraction)
        with self._spending(rho):
            cells, start = self._measured(exact, noise, [self._names(columns) for columns in asked]), 0
            made = []
            for columns in asked:
                end = start + tables[columns].size
                counted = tuple(cells[start:end])
                made.append(TableStep(columns=columns, sd=noise.scales, rho=rho / len(asked), counts=counted))
                start = end
            self._steps += made
            return tuple(made)

    def choose(
        self, candidates: Iterable[Sequence[int]], scores: Sequence[int], *, moved: int, rho: Fraction
    ) -> Columns:
        """One of the candidates by the exponential mechanism: with probability proportional to exp(rate score).

        `moved` is how far one added or removed record moves a score, at most; a replaced one moves it by twice that.
        """
        listed = [tuple(columns) for columns in candidates]
        if len(listed) != len(scores) or len(set(listed)) < len(listed):
            raise ParameterError("candidates", f"{len(listed)} for {len(scores)} scores", "all different, a score each")
        plan = choice_plan(len(listed), moved=moved, rho=rho, adjacency=self.plan.adjacency)
        pairs = sorted(zip(listed, scores, strict=True), key=lambda pair: order_of(pair[0]))
        among = tuple(columns for columns, _ in pairs)
        with self._spending(rho):
            (winner,) = self._chosen_of([score for _, score in pairs], plan, [self._names(one) for one in among])
            self._steps.append(ChoiceStep(candidates=among, moved=moved, rho=rho, chosen=among[winner]))
            return among[winner]

    def answers(self, workload: int) -> NDArray[np.int64]:
        """The exact answers of all queries of a workload, one query after the other: only for scores."""
        return self._exact.answers(workload)

    def ask(self, workload: int, queries: Sequence[int], *, rho: Fraction) -> AnswersStep:
        """Answers of these queries of a workload with noise, as one charge."""
        of, asked = self.plan.queries[workload], tuple(queries)
        of.require_queries(asked)
        noise = answers_noise(of, asked, rho, self.plan.adjacency, self.plan.mode)
        assert isinstance(noise.scales, Fraction)
        exact = tuple(self.answers(workload)[of.places(asked)].tolist())
        with self._spending(rho):
            sums = self._measured(exact, noise, [[workload, query] for query in asked])
            step = AnswersStep(workload=workload, queries=asked, sd=noise.scales, rho=rho, sums=sums)
            self._steps.append(step)
            return step

    def choose_queries(
        self, workload: int, scores: Sequence[int], *, count: int, moved: int, rho: Fraction
    ) -> tuple[int, ...]:
        """This many queries of a workload, one after the other by the exponential mechanism, of those never chosen.

        There is a score for every query of the workload; `moved` is how far one added or removed record moves one, at
        most. `rho` is for all of the choices together.
        """
        of, before = self.plan.queries[workload], self._chosen[workload]
        if len(scores) != of.count:
            raise ParameterError("scores", f"{len(scores)} of them", f"{of.count}, one for each query")
        left = [query for query in range(of.count) if query not in before]
        plan = choice_plan(len(left), moved=moved, rho=rho, adjacency=self.plan.adjacency, winners=count)
        with self._spending(rho):
            winners = self._chosen_of([scores[query] for query in left], plan, [[workload, query] for query in left])
            chosen = tuple(left[winner] for winner in winners)
            before.update(chosen)
            self._steps.append(QueriesChoiceStep(workload=workload, moved=moved, rho=rho, chosen=chosen))
            return chosen

    def merge(self, groups: Sequence[Sequence[int]]) -> None:
        """From now on tables of two columns and more have merged codes: groups[column][code] is the merged one.

        A rule based on published numbers decides the groups; merged codes are numbered from 0 on, by their first codes.
        """
        found: Groups = tuple(tuple(int(code) for code in group) for group in groups)
        if self._exact.shape.groups is not None or any(
            isinstance(step, TableStep) and len(step.columns) > 1 for step in self._steps
        ):
            raise UsageError("merge: codes are merged once, before the first table of two columns")
        self._exact.merge(found)

    def close(self) -> MarginalLog:
        """The finished log; everything that was not reserved must have been spent."""
        self._require_whole()
        if self.left:
            raise UsageError(f"log: rho = {self.left} is left; the last step spends what is left")
        return self._log(self._steps, self._ledger)

    def _unfinished(self) -> MarginalLog:
        """The log as far as it was kept: what was chosen but not measured is left out; everything counts as spent."""
        steps = list(self._steps)
        while isinstance(steps[-1], ChoiceStep | QueriesChoiceStep):
            steps.pop()
        used, ledger = sum((step.rho for step in steps), Fraction(0)), self.plan.ledger
        ledger = _folded(ledger.spend(ledger.statement(ledger.left), MARGINAL_LOG))
        return self._log(steps, ledger, unfinished=self.plan.rho - used)

    def _log(self, steps: Sequence[Step], ledger: Ledger, unfinished: Fraction = Fraction(0)) -> MarginalLog:
        public = {field.name: getattr(self.plan, field.name) for field in fields(LogPlan)}
        simulated = self.plan.is_simulated
        return MarginalLog(
            **(public | {"ledger": ledger}),
            steps=tuple(steps),
            unfinished=unfinished,
            groups=self._exact.shape.groups,
            seed=self._randomness.seed,
            run=self._randomness.run if simulated else None,
        )

    @contextlib.contextmanager
    def _spending(self, rho: Fraction) -> Iterator[None]:
        """Refuse what is not left; before the first noise, record the whole cost of the log, or be refused.

        A step that fails may have drawn noise that was not charged: nothing more is drawn from this log.
        """
        self._require_whole()
        self._ledger.spend(self._ledger.statement(rho), MARGINAL_LOG)
        with spending(is_private=not self.plan.is_simulated):
            if not self._is_booked and not self.plan.is_simulated:
                book_ahead(self.plan.charges)
                self._is_booked = True
            self._has_failed = True
            try:
                yield
            except NothingMore:
                if not self._steps:
                    raise
                raise Ended(self._unfinished()) from None
            self._has_failed = False

    def _measured(self, exact: tuple[int, ...], noise: Noise, names: list[Any]) -> tuple[int, ...]:
        """With noise, and paid; continuous noise of simulations is rounded: a log contains whole numbers."""
        counted = Counted(n=self._exact.n, values=exact)
        found, paid = measure(counted, noise, self._ledger, names=names, **self._around())
        self._ledger = _folded(paid)
        return tuple(round(value) for value in found.values)

    def _chosen_of(self, scores: list[int], plan: ExponentialPlan, names: list[Any]) -> tuple[int, ...]:
        """Places that were chosen, and paid."""
        winners, paid = choose_several(scores, plan, self._ledger, names=names, **self._around())
        self._ledger = _folded(paid)
        return winners

    def _around(self) -> dict[str, Any]:
        """A separate stream for every measurement and every choice of a simulation, and the public fields around it."""
        return {
            "what": MARGINAL_LOG,
            "randomness": self._randomness.at_step(len(self._steps) + 1),
            "header": header_of(self.plan, self._exact.shape.groups),
        }

    def _require_whole(self) -> None:
        if self._has_failed:
            raise UsageError("log: a step failed, perhaps after its noise; start a new log, which spends again")

    def _names(self, columns: Columns) -> list[str]:
        return [self.plan.schema.names[place] for place in columns]


def header_of(plan: LogPlan, groups: Groups | None) -> dict[str, Any]:
    """The public fields around the numbers, from which an interrupted log can be finished."""
    return {
        "kind": MARGINAL_LOG,
        "mode": plan.mode,
        "statistic": plan.statistic,
        "stated_size": plan.stated_size,
        **plan.said(),
        "groups": groups_json(groups),
    }


def _folded(ledger: Ledger) -> Ledger:
    """The same ledger with one entry for all steps: the cost of each is in the log."""
    spent = Entry(what=MARGINAL_LOG, amount=ledger.spent)
    return replace(ledger, entries=(*(entry for entry in ledger.entries if entry.state == "reserved"), spent))
