"""Boedihardjo's algorithm from records to a synthetic table: points, noisy answers, the programme, rows, certificate.

The steps are those of Algorithm 1 of bojkovic2024. Only two of them see the records: a private reference measure, and
the noisy answers. All that follows is computed from what they return, so it costs no privacy, and every number that is
called certified is exact. Reading and writing of tables is not done here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.enclosure import Enclosure
from bounds.errors import NotApplicable, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from lp.programme.density_certificate import (
    DensityCertificate,
    ExactTarget,
    certify,
    require_gap,
    to_json,
)
from lp.programme.solve import Candidate, solve
from lp.synthesis.answers import Answers, CountedTable, answer
from lp.synthesis.points import ROW_DRAWS, MeasureSettings, stream_for
from lp.synthesis.product import METHOD, product_rows
from lp.synthesis.question import GAP, Plan, Question
from lp.synthesis.rows import Density, farthest, make_rows
from lp.synthesis.synthesis_plan import plan_synthesis
from release.noise.randomness import read_randomness
from release.one_thread import one_thread
from release.spending import spending
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    from lp.programme.vertex import Vertex
    from release.data.domain import Codes

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Synthesis:
    """A synthetic table, what was spent on it, and what is known about it."""

    plan: Plan
    rows: Codes
    """k records; equal ones stand together."""
    seed: int | None
    too_few: bool
    """Whether there are fewer records than the public least size says; for the holder of the data alone."""
    points: str
    columns: int
    """Distinct reference points."""
    optimum: Enclosure
    support: int
    """Distinct synthetic records."""
    way: str
    """How the rows were made."""
    way_reason: str
    """Why they were not made as asked; empty if they were."""
    method: str
    ledger: Ledger
    """What was spent; in a simulation, what a release would spend."""
    proof: Callable[[str], str]
    """The programme with the exact bounds on its optimum, and a note, as JSON for verify.checkers.density."""
    observed: Fraction
    """max over the queries of |synthetic - noisy answer|, exactly."""
    because: str | None = None
    """Why this method was taken, where several could have been."""
    advice: str | None = None
    """What would give more."""

    @property
    def epsilon_spent(self) -> Fraction:
        return self.ledger.spent

    @property
    def dp_delta_spent(self) -> Fraction:
        return self.ledger.dp_delta_spent

    @property
    def gap(self) -> Fraction:
        return self.optimum.hi - self.optimum.lo

    @property
    def accuracy(self) -> Fraction:
        """The certificate after the fact: every query is this near to the real one, except with the failure."""
        return self.observed + self.plan.target_error

    @property
    def noise_exceeded(self) -> bool:
        """Whether the noise is known to be larger than its quantile: some density is as near as the largest noise."""
        return self.plan.m is None and self.optimum.lo > self.plan.noise.quantile

    @property
    def says_nothing(self) -> bool:
        """Whether the certified error is one that a table chosen without data does not exceed."""
        return self.accuracy >= self.plan.question.family.facts.trivial_accuracy

    @property
    def promise_holds(self) -> bool:
        """The rows are as near to the noisy answers as the promise in advance supposes."""
        return self.observed <= farthest(self.plan, self.way, self.optimum.hi)


def synthesize(
    table: CountedTable,
    question: Question,
    *,
    seed: int | None = None,
    run: int = 0,
    anyway: bool = False,
    exact: bool = False,
    method: str = "auto",
    progress: Progress | None = None,
    settings: MeasureSettings | None = None,
) -> Synthesis:
    """A synthetic table for the counted records, private in release mode.

    Without `anyway` a promise that is not kept or says nothing is refused before any budget is spent. `exact` asks for
    the exact rational vertex.
    """
    randomness = read_randomness(question.mode, seed=seed, run=run)
    plan = _planned(table, question, anyway=anyway)
    with spending(is_private=not randomness.is_simulated):
        release = answer(table, plan, randomness, settings or MeasureSettings(), method=method)
        found = make(release, exact=exact, method=method, progress=progress)
        return replace(found, too_few=table.n < question.size)


def _planned(table: Counted, question: Question, *, anyway: bool) -> Plan:
    if question.takes_every_point and question.lipschitz is not None:
        raise UsageError(
            "lipschitz is for points that are drawn: here every point of the domain is taken (or give --m)"
        )
    if question.adjacency is Adjacency.REPLACE_ONE and table.n != question.size:
        raise UsageError(f"size = {question.size}: the table has {table.n} records, and n is public")
    plan = plan_synthesis(question)
    if plan.promise.broken and not anyway:
        raise NotApplicable(f"{plan.promise.broken} (give --anyway to go on with the certificate after the fact alone)")
    return plan


def make(release: Answers, *, exact: bool = False, method: str = "auto", progress: Progress | None = None) -> Synthesis:
    """All that follows from the answers: the programme, the rows, the certificate. It costs no privacy."""
    if release.plan.product is not None:
        return _from_one_way(release)
    wanted = np.array([float(value) for value in release.answers])
    # Threads of the linear algebra wait for each other more than they help at these sizes.
    with spending(is_private=not release.is_simulated), one_thread():
        candidate = solve(release.matrix, wanted, gap=float(GAP), method=method, progress=progress)
        return _from_candidate(release, candidate, exact=exact)


def _from_one_way(release: Answers) -> Synthesis:
    """All that follows from one-way answers: columns, their product, the rows, the certificate."""
    plan = release.plan.whole
    with spending(is_private=not release.is_simulated), one_thread():
        matrix, answers, certificate, made = product_rows(release, plan)
        return Synthesis(
            plan=plan,
            rows=np.repeat(matrix.points_at(made.numbers), made.counts, axis=0),
            seed=release.seed,
            too_few=False,
            points="none: the columns are independent",
            columns=matrix.columns,
            optimum=Enclosure.of(0),  # the product has the answers that are aimed at
            support=int(made.numbers.size),
            way=made.way,
            way_reason=made.reason,
            method=METHOD,
            ledger=release.ledger,
            proof=lambda note: to_json(matrix, answers, certificate, note=note),
            observed=made.observed,
        )


def _from_candidate(release: Answers, candidate: Candidate, *, exact: bool) -> Synthesis:
    """What follows the solver: certificate, rows and what is observed."""
    plan, matrix, seed, run = release.plan, release.matrix, release.seed, release.run
    target = ExactTarget.of(release.answers)
    certificate = certify(matrix, target, candidate)
    require_gap(certificate, GAP)
    proved: DensityCertificate | Vertex = certificate
    if exact:
        from lp.programme.vertex import exact_vertex

        proved = exact_vertex(matrix, target, candidate)
    density = Density(proved.numbers, proved.weights, proved.weight_total)
    optimum = Enclosure(proved.lower, proved.upper)
    made = make_rows(plan, matrix, release.answers, density, optimum.hi, stream_for(seed, run, ROW_DRAWS))
    return Synthesis(
        plan=plan,
        rows=np.repeat(matrix.points_at(made.numbers), made.counts, axis=0),
        seed=seed,
        too_few=False,
        points=release.points.description,
        columns=matrix.columns,
        optimum=optimum,
        support=int(made.numbers.size),
        way=made.way,
        way_reason=made.reason,
        method=candidate.method,
        ledger=release.ledger,
        proof=lambda note: to_json(matrix, release.answers, proved, note=note),
        observed=made.observed,
    )
