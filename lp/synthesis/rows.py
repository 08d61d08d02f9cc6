"""Synthetic rows: drawn from a density on all points, or rounded from a vertex, whichever the plan says.

Rounding adds at most R s/(4k) for a support of s points, and drawn rows are allowed as much: those that a search finds
are kept only if their distance to the noisy answers, measured exactly, is as small as the promise supposes; otherwise
the vertex is rounded, and this is reported (docs/proofs/synthbounds.rows.md). Nothing relies on solvers or searches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotCertified
from lp.programme.density_certificate import ExactTarget, primal_value
from lp.programme.rounding import round_rows
from lp.programme.support import reduced_support
from lp.synthesis.question import DENSITY_PULL, DENSITY_SLACK, ROUNDING, SAMPLING, Plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix


@dataclass(frozen=True, eq=False)
class Density:
    """Weights / total on numbered columns."""

    numbers: NDArray[np.int64]
    weights: Sequence[int] | NDArray[np.int64]
    total: int

    @property
    def support(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, eq=False)
class MadeRows:
    """Columns, how many rows each got, how they were made, and how near they are."""

    numbers: NDArray[np.int64]
    counts: list[int]
    way: str
    reason: str
    """Why they were not made as asked; empty if they were."""
    observed: Fraction
    """max over the queries of |rows - noisy answer|, exactly."""


def make_rows(
    plan: Plan,
    matrix: QueryMatrix,
    answers: Sequence[Fraction],
    vertex: Density,
    optimum: Fraction,
    generator: np.random.Generator | None,
) -> MadeRows:
    """The rows of a plan from the optimal vertex, or from a density on all points that is nearly as near."""
    target, reason = ExactTarget.of(answers), plan.rows_reason
    if plan.rows == SAMPLING:
        found = _sampled(plan, matrix, np.array([float(value) for value in answers]), float(optimum), generator)
        if found is not None:
            observed = primal_value(matrix, target, *found, plan.k)
            if observed <= farthest(plan, SAMPLING, optimum):
                return MadeRows(*found, SAMPLING, "", observed)
        reason = "no rows from a density on all points were found as near as promised"
    most_support = plan.question.family.facts.dimension + 1
    numbers, counts = vertex_rows(matrix, vertex, k=plan.k, most_support=most_support)
    return MadeRows(numbers, counts, ROUNDING, reason, primal_value(matrix, target, numbers, counts, plan.k))


def rows_of_density(
    plan: Plan,
    matrix: QueryMatrix,
    answers: NDArray[np.float64],
    density: Density,
    target: ExactTarget,
    generator: np.random.Generator | None,
) -> MadeRows:
    """The rows of a plan if the programme's own density has weight on all points."""
    from lp.programme.exchanged_rows import exchanged_rows

    weights = np.zeros(matrix.columns)
    weights[density.numbers] = density.weights
    drawn = exchanged_rows(matrix, weights, answers, k=plan.k, generator=generator or system_stream())
    numbers = np.flatnonzero(drawn)
    counts = [int(count) for count in drawn[numbers]]
    observed = primal_value(matrix, target, numbers, counts, plan.k)
    return MadeRows(numbers, counts, SAMPLING, plan.rows_reason, observed)


def system_stream() -> np.random.Generator:
    """Numbers that nobody can predict, for drawing rows."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence()))


def farthest(plan: Plan, way: str, optimum: Fraction) -> Fraction:
    """How far from the noisy answers rows may be by the promise in advance."""
    if plan.product is not None:
        return optimum + plan.row_error
    slack = DENSITY_SLACK * (optimum + plan.noise.quantile) if way == SAMPLING else Fraction(0)
    return optimum + slack + plan.row_error


def vertex_rows(
    matrix: QueryMatrix, density: Density, *, k: int, most_support: int
) -> tuple[NDArray[np.int64], list[int]]:
    """Columns and how many of the k rows each gets, by rounding; a large support is first reduced."""
    numbers, weights = density.numbers, [int(weight) for weight in density.weights]
    if density.support > most_support:
        kept, floats = reduced_support(matrix.columns_at(numbers), np.array(weights, dtype=np.float64) / density.total)
        numbers, weights = numbers[kept], [round(float(w) * 2**60) for w in floats]
    counts = round_rows(weights, k)
    occupied = [i for i, count in enumerate(counts) if count]
    return numbers[occupied], [counts[i] for i in occupied]


def _sampled(
    plan: Plan,
    matrix: QueryMatrix,
    wanted: NDArray[np.float64],
    optimum: float,
    generator: np.random.Generator | None,
) -> tuple[NDArray[np.int64], list[int]] | None:
    """Columns and how many rows each gets, drawn from a density on all points; None if the search does not end."""
    from lp.programme.balanced import balanced_rows
    from lp.programme.entropy import maximum_entropy

    try:
        density = maximum_entropy(
            matrix,
            wanted,
            value=optimum,
            relative_slack=float(DENSITY_SLACK),
            absolute_slack=float(DENSITY_SLACK * plan.noise.quantile),
            pull=DENSITY_PULL,
        ).weights
    except NotCertified:
        return None
    if matrix.columns <= plan.question.family.facts.dimension + 1:  # then rounding is as near as any
        numbers = np.arange(matrix.columns)
        whole = Density(numbers, [round(float(weight) * 2**60) for weight in density], 2**60)
        return vertex_rows(matrix, whole, k=plan.k, most_support=matrix.columns)
    return balanced_rows(matrix, density, k=plan.k, error=float(plan.row_error), generator=generator or system_stream())
