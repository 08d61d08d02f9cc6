"""Boedihardjo's algorithm from records to a synthetic table: points, noisy answers, the programme, rows, certificate.

The steps are those of Algorithm 1 of bojkovic2024. Only two of them see the records: a private reference measure, and
the noisy answers. All that follows is computed from what they return, so it costs no privacy, and every number that is
called certified is exact. Reading and writing of tables is not done here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from bounds.enclosure import Enclosure
from bounds.errors import NotApplicable, UsageError, after_noise
from bounds.privacy.adjacency import Adjacency
from lp.measures import ReferencePoints
from lp.programme.density_certificate import (
    DensityCertificate,
    ExactTarget,
    certify,
    primal_value,
    require_gap,
    to_json,
)
from lp.programme.matrices import QueryMatrix, build_matrix, full_matrix
from lp.programme.solve import Candidate, require_method, solve
from lp.synthesis.points import POINTS, ROW_DRAWS, MeasureSettings, reference_points, stream_for
from lp.synthesis.question import ENTROPY_SLACK, GAP, ROUNDING, Plan, Question
from lp.synthesis.rows import Density, sampled_rows, vertex_rows
from lp.synthesis.synthesis_plan import plan_synthesis
from release.data.domain import require_records
from release.noise.kinds import NoisyAnswers
from release.statistics.counting import family_sums
from release.statistics.families import Family

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    method: str
    epsilon_spent: Fraction
    dp_delta_spent: Fraction
    proof: Callable[[str], str]
    """The programme with the exact bounds on its optimum, and a note, as JSON for verify.checkers.density."""
    observed: Fraction
    """max over the queries of |synthetic - noisy answer|, exactly."""

    @property
    def gap(self) -> Fraction:
        return self.optimum.hi - self.optimum.lo

    @property
    def accuracy(self) -> Fraction:
        """The certificate after the fact: every query is this near to the real one, except with the failure."""
        return self.observed + self.plan.noise.quantile

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
        allowed = self.optimum.hi + self.plan.row_error
        if self.plan.question.rows != ROUNDING:
            allowed += ENTROPY_SLACK * (self.optimum.hi + self.plan.noise.quantile)
        return self.observed <= allowed


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What the algorithm needs of a table: how many records, the exact sums of all queries, and perhaps the records."""

    n: int
    sums: list[int]
    records: Codes | None


def count_records(family: Family, records: Codes | Iterable[Codes], *, keep: bool) -> Counted:
    """One pass over the records, which are held in memory only if a private measure needs them."""
    held = records if isinstance(records, np.ndarray) else None
    if held is None and keep:
        none = np.empty((0, family.domain.p), dtype=family.domain.code_type)
        held = np.concatenate([none, *records])
    total = 0

    def counted(batches: Iterable[Codes]) -> Iterable[Codes]:
        nonlocal total
        for batch in batches:
            require_records(batch, family.domain)
            total += len(batch)
            yield batch

    sums = family_sums(family, counted(records if held is None else [held]))
    return Counted(n=total, sums=sums, records=held)


def synthesize(
    table: Counted,
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
    _require_seed(question, seed)
    if question.takes_every_point and question.lipschitz is not None:
        raise UsageError(
            "lipschitz is for points that are drawn: here every point of the domain is taken (or give --m)"
        )
    if question.adjacency is Adjacency.REPLACE_ONE and table.n != question.size:
        raise UsageError(f"size = {question.size}: the table has {table.n} records, and n is public")
    plan = plan_synthesis(question)
    if plan.promise.broken and not anyway:
        raise NotApplicable(f"{plan.promise.broken} (give --anyway to go on with the certificate after the fact alone)")
    points = reference_points(plan, table.records, settings or MeasureSettings(), stream_for(seed, run, POINTS))
    family = question.family
    matrix = full_matrix(family) if points.codes is None else build_matrix(family, points.codes)
    require_method(matrix, method)
    noisy = _noisy_answers(plan, table, seed, run)
    wanted = np.array([float(value) for value in noisy.answers])
    # Threads of the linear algebra wait for each other more than they help at these sizes.
    with after_noise(spent=question.mode == "release"), threadpool_limits(limits=1, user_api="blas"):
        candidate = solve(matrix, wanted, gap=float(GAP), method=method, progress=progress)
        found = _from_candidate(plan, points, matrix, noisy, wanted, candidate, seed=seed, run=run, exact=exact)
    return replace(found, too_few=table.n < question.size)


def _from_candidate(
    plan: Plan,
    points: ReferencePoints,
    matrix: QueryMatrix,
    noisy: NoisyAnswers,
    wanted: NDArray[np.float64],
    candidate: Candidate,
    *,
    seed: int | None,
    run: int,
    exact: bool,
) -> Synthesis:
    """What follows the solver: certificate, rows and what is observed."""
    target = ExactTarget.of(noisy.answers)
    certificate = certify(matrix, target, candidate)
    require_gap(certificate, GAP)
    proved: DensityCertificate | Vertex = certificate
    if exact:
        from lp.programme.vertex import exact_vertex

        proved = exact_vertex(matrix, target, candidate)
    density = Density(proved.numbers, proved.weights, proved.weight_total)
    optimum = Enclosure(proved.lower, proved.upper)
    numbers, counts = _make_rows(plan, matrix, wanted, density, optimum, stream_for(seed, run, ROW_DRAWS))
    return Synthesis(
        plan=plan,
        rows=np.repeat(matrix.points_at(numbers), counts, axis=0),
        seed=seed,
        too_few=False,
        points=points.description,
        columns=matrix.columns,
        optimum=optimum,
        support=int(numbers.size),
        method=candidate.method,
        epsilon_spent=points.epsilon_spent + (plan.noise.epsilon if noisy.spent is None else noisy.spent.epsilon.hi),
        dp_delta_spent=(plan.noise.dp_delta or Fraction(0)) if noisy.spent is None else noisy.spent.delta.hi,
        proof=lambda note: to_json(matrix, noisy.answers, proved, note=note),
        observed=primal_value(matrix, target, numbers, counts, plan.k),
    )


def _require_seed(question: Question, seed: int | None) -> None:
    if question.mode == "release" and seed is not None:
        raise UsageError("seed is for --mode simulate: a release takes its randomness from the operating system")
    if question.mode == "simulate" and seed is None:
        raise UsageError("seed is missing: a simulation records its seed")


def _noisy_answers(plan: Plan, table: Counted, seed: int | None, run: int) -> NoisyAnswers:
    question = plan.question
    anchor = None
    if question.adjacency is not Adjacency.REPLACE_ONE:  # the first point of the domain is as public as any other
        first = np.zeros((1, question.domain.p), dtype=question.domain.code_type)
        anchor = [int(value) for value in question.family.values(first)[:, 0]]
    if question.mode == "release":
        from release.noise.exact import release_answers

        return release_answers(plan.noise, table.sums, n=table.n, anchor=anchor)
    from release.noise.simulated import simulate_answers

    assert seed is not None
    return simulate_answers(plan.noise, table.sums, n=table.n, seed=seed, run=run, anchor=anchor)


def _make_rows(
    plan: Plan,
    matrix: QueryMatrix,
    wanted: NDArray[np.float64],
    density: Density,
    optimum: Enclosure,
    stream: np.random.Generator | None,
) -> tuple[NDArray[np.int64], list[int]]:
    if plan.question.rows == ROUNDING:
        return vertex_rows(matrix, density, k=plan.k, most_support=plan.question.family.facts.dimension + 1)
    from lp.programme.entropy import maximum_entropy

    canonical = maximum_entropy(
        matrix,
        wanted,
        value=float(optimum.hi),
        relative_slack=float(ENTROPY_SLACK),
        absolute_slack=float(ENTROPY_SLACK * plan.noise.quantile),
    )
    return sampled_rows(matrix, canonical.weights, k=plan.k, error=plan.row_error, generator=stream)
