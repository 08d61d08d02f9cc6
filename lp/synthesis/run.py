"""Boedihardjo's algorithm from records to a synthetic table: points, noisy answers, the programme, rows, certificate.

The steps are those of Algorithm 1 of bojkovic2024. Only two of them see the records: a private reference measure, and
the noisy answers. Everything after that is computed from their results, so it costs no privacy, and every number that
is called certified is exact. Reading and writing of tables is not done here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.enclosure import Enclosure, decimal_text
from bounds.errors import NotApplicable, OutOfMemory, ParameterError, UsageError
from bounds.exact import show_rational
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.shown import Shown
from lp.programme.density_certificate import DensityCertificate, ExactTarget, certify, require_gap, to_json
from lp.programme.forecast import Cost, memory_at_hand, programme_cost
from lp.programme.solve import MOST_EXACT, Candidate, require_method, solve
from lp.synthesis.answers import Answers, CountedTable, answer
from lp.synthesis.plan_parts import cost_of, is_fitted_to, way_of_optimum
from lp.synthesis.plan_product import unused_options
from lp.synthesis.points import ROW_DRAWS, MeasureSettings, stream_for
from lp.synthesis.product import METHOD, product_rows
from lp.synthesis.question import GAP, TREE, Plan, Question
from lp.synthesis.rows import Density, MadeRows, farthest, make_rows, rows_of_density
from lp.synthesis.synthesis_plan import plan_synthesis
from release.memory import require_memory
from release.noise.randomness import read_randomness
from release.one_thread import one_thread
from release.spending import spending
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    from lp.programme.vertex import Vertex
    from release.data.domain import Codes

Progress = Callable[[str], None]
Approve = Callable[[Plan], None]
"""Refuses a plan, by an error, before anything is spent."""


@dataclass(frozen=True, kw_only=True)
class Synthesis(Shown):
    """A synthetic table, what was spent on it, and what is known about it."""

    plan: Plan
    rows: Codes
    """k rows; equal ones are adjacent."""
    seed: int | None
    too_few: bool
    """Whether there are fewer records than the public least size says; only for the steward."""
    points: str
    columns: int
    """Distinct reference points."""
    optimum: Enclosure
    support: int
    """Distinct synthetic rows."""
    way: str
    """How the rows were made."""
    way_reason: str
    """Why they were not made as asked; empty if they were."""
    method: str
    ledger: Ledger
    """What was spent; in a simulation, what a release would spend."""
    cost: Cost
    """What was planned, from public sizes."""
    is_fitted: bool
    """Whether the programme was too large to be solved: its density is near the optimum, and how near is stated."""
    proof: Callable[[str], str]
    """The programme with the exact bounds on its optimum, and a note, as JSON for verify.checkers.density."""
    observed: Fraction
    """max over the queries of |synthetic - noisy answer|, exactly."""
    because: str | None = None
    """Why this method was chosen, if several were possible."""
    advice: str | None = None
    """What would give more accuracy."""

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
    def within(self) -> Fraction | None:
        """The share by which the optimum is exceeded, at most; None if nothing bounds it from below."""
        return self.optimum.hi / self.optimum.lo - 1 if self.optimum.lo > 0 else None

    @property
    def accuracy(self) -> Fraction:
        """The certificate after the fact: how near every query is to the real one, but for the failure probability."""
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
        """The rows are as near to the noisy answers as the promise in advance supposes, if there is one."""
        if self.plan.promise.accuracy is None:
            return True
        optimum = min(self.optimum.hi, self.optimum.lo + GAP)
        return self.observed <= farthest(self.plan, self.way, optimum)


def synthesize(
    table: CountedTable,
    question: Question,
    *,
    seed: int | None = None,
    run: int = 0,
    anyway: bool = False,
    exact: bool = False,
    approve: Approve | None = None,
    progress: Progress | None = None,
    settings: MeasureSettings | None = None,
) -> Synthesis:
    """A synthetic table for the counted records, private in release mode.

    Without `anyway` a promise that is not kept or says nothing is refused before any budget is spent. `exact` asks for
    the exact rational vertex.
    """
    randomness = read_randomness(question.mode, seed=seed, run=run)
    plan = _planned(table, question, anyway=anyway, exact=exact)
    if approve is not None:
        approve(plan)
    if progress is not None:
        progress(f"{question.family.count:,} queries at {plan.sizes.columns:,} points: {_cost(plan).text}")
    with spending(is_private=not randomness.is_simulated):
        release = answer(table, plan, randomness, settings or MeasureSettings())
        found = make(release, exact=exact, progress=progress)
        unused = "" if plan.product is None else unused_options(question, exact=exact)
        return replace(found, too_few=table.n < question.size, points=found.points + unused)


def _planned(table: Counted, question: Question, *, anyway: bool, exact: bool) -> Plan:
    if question.takes_every_point and question.lipschitz is not None:
        raise UsageError(
            "lipschitz is for points that are drawn: here every point of the domain is taken (or give --m)"
        )
    if question.adjacency is Adjacency.REPLACE_ONE and table.n != question.size:
        raise UsageError(f"size = {question.size}: the table has {table.n} records, and n is public")
    plan = plan_synthesis(question)
    if plan.product is None:
        require_method(plan.sizes, question.solver)
    _require_memory(plan)
    if exact and plan.product is None and is_fitted_to(question, plan.m):
        reason = "programmes of this size are fitted, not solved: their density is within a stated share of the optimum"
        raise ParameterError("queries", question.family.count, f"at most {MOST_EXACT} for --exact", reason)
    if plan.promise.broken and not anyway and not _goes_without(plan):
        raise NotApplicable(f"{_why_refused(plan)} (give --anyway to go on with only the certificate after the fact)")
    return plan


def _cost(plan: Plan) -> Cost:
    if plan.product is not None:  # nothing is solved, and points are counted as if a density were fitted to them
        return programme_cost(plan.question.family, plan.sizes.columns, fitted=True)
    return cost_of(plan.question, plan.m)


def _require_memory(plan: Plan) -> None:
    """Refuse, before anything is spent, what does not fit into this machine's memory."""
    needed, there = _cost(plan).bytes_est, memory_at_hand()
    if there is not None and needed > there:
        sizes = f"{plan.question.family.count:,} queries at {plan.sizes.columns:,} points"
        raise OutOfMemory(
            f"memory: {sizes} need about {needed / 10**9:,.1f} GB, and {there / 10**9:,.1f} GB are available; "
            "give a lower --degree, fewer columns or fewer points (--m)"
        )
    if plan.question.mode == "release":
        require_memory(needed, "the programme")


def _asks_no_promise(plan: Plan) -> bool:
    return plan.question.measure == TREE and plan.question.accuracy is None


def _goes_without(plan: Plan) -> bool:
    """No promise was requested, and the certificate afterwards will say something."""
    return _asks_no_promise(plan) and plan.noise.quantile < plan.question.family.facts.trivial_accuracy


def _why_refused(plan: Plan) -> str:
    if not _asks_no_promise(plan):
        return plan.promise.broken
    noise = decimal_text(plan.noise.quantile, 3, up=True)
    trivial = show_rational(plan.question.family.facts.trivial_accuracy)
    return f"the noise alone, {noise}, is no better than {trivial}, which a table chosen without data reaches"


def make(release: Answers, *, exact: bool = False, progress: Progress | None = None) -> Synthesis:
    """Everything after the answers: the programme, the rows, the certificate. It costs no privacy."""
    if release.plan.product is not None:
        return _from_one_way(release)
    plan = release.plan
    question = plan.question
    # Threads of the linear algebra wait for each other more than they help at these sizes.
    with spending(is_private=not release.is_simulated), one_thread():

        def solved(*, optimum: bool) -> Candidate:
            return solve(
                release.matrix,
                release.floats,
                gap=float(GAP),
                method=question.solver,
                exact=optimum,
                progress=progress,
            )

        candidate = solved(optimum=False)
        if candidate.is_density:
            found = _from_density(release, candidate)
            if found.promise_holds or question.solver != "auto":
                return found
            rows, reason = way_of_optimum(question, plan.noise.quantile, plan.m)
            release = replace(release, plan=replace(plan, rows=rows, rows_reason=reason))
            candidate = solved(optimum=True)
        return _from_optimum(release, candidate, exact=exact)


def _from_one_way(release: Answers) -> Synthesis:
    """Everything after one-way answers: columns, their product, the rows, the certificate."""
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
            cost=_cost(plan),
            is_fitted=False,
            ledger=release.ledger,
            proof=lambda note: to_json(matrix, answers, certificate, note=note),
            observed=made.observed,
        )


def _from_density(release: Answers, candidate: Candidate) -> Synthesis:
    """What follows a fitted density: how near to the optimum it is, rows and what is observed."""
    target = ExactTarget.of(release.answers)
    certificate = certify(release.matrix, target, candidate)
    density = Density(certificate.numbers, certificate.weights, certificate.weight_total)
    stream = stream_for(release.seed, release.run, ROW_DRAWS)
    made = rows_of_density(release.plan, release.matrix, release.floats, density, target, stream)
    return _synthesis(release, candidate, certificate, made)


def _from_optimum(release: Answers, candidate: Candidate, *, exact: bool) -> Synthesis:
    """What follows the solver: certificate, rows and what is observed."""
    plan, matrix = release.plan, release.matrix
    target = ExactTarget.of(release.answers)
    certificate = certify(matrix, target, candidate)
    if matrix.rows <= MOST_EXACT:
        require_gap(certificate, GAP)
    proved: DensityCertificate | Vertex = certificate
    if exact:
        from lp.programme.vertex import exact_vertex

        proved = exact_vertex(matrix, target, candidate)
    density = Density(proved.numbers, proved.weights, proved.weight_total)
    stream = stream_for(release.seed, release.run, ROW_DRAWS)
    made = make_rows(plan, matrix, release.answers, density, proved.upper, stream)
    return _synthesis(release, candidate, proved, made)


def _synthesis(
    release: Answers, candidate: Candidate, proved: DensityCertificate | Vertex, made: MadeRows
) -> Synthesis:
    matrix = release.matrix
    return Synthesis(
        plan=release.plan,
        rows=np.repeat(matrix.points_at(made.numbers), made.counts, axis=0),
        seed=release.seed,
        too_few=False,
        points=release.points.description,
        columns=matrix.columns,
        optimum=Enclosure(proved.lower, proved.upper),
        support=int(made.numbers.size),
        way=made.way,
        way_reason=made.reason,
        method=candidate.method,
        cost=_cost(release.plan),
        is_fitted=candidate.is_density,
        ledger=release.ledger,
        proof=lambda note: to_json(matrix, release.answers, proved, note=note),
        observed=made.observed,
    )
