"""Noisy answers of public queries as targets: planes, corners and moments, grouped by the column that splits them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import UsageError
from mechanisms.rap.mixed_twin import TargetCorners
from mechanisms.rap.moment_twin import TargetMoments
from mechanisms.rap.threshold_twin import TargetPlanes
from release.statistics.conditional_counts import ConditionalCounts
from release.statistics.mixed_marginals import MixedMarginals
from release.statistics.number_moments import NumberMoments
from release.statistics.public_queries import NumberQueries, PublicQueries
from release.statistics.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mechanisms.rap.roles import Roles
    from mechanisms.rap.twin import Target
    from release.log.steps import AnswersStep

    Doubles = NDArray[np.float64]
    Places = NDArray[np.intp]


def targets_of_answers(
    step: AnswersStep, queries: PublicQueries, roles: Roles, *, total: float, weight: float
) -> list[Target]:
    """Targets for the points from these answers; every squared error has that weight."""
    if not isinstance(queries, NumberQueries) or queries.numbers != roles.numbers:
        raise UsageError(f"queries: {queries.text} have no smooth twin of these columns")
    sums = np.array(step.sums, dtype=np.float64) / (total * queries.denominator)
    return [
        _target(queries, block, np.array(asked), np.array(shares), weight)
        for block, asked, shares in _by_block(step, queries, roles, sums)
    ]


def _by_block(
    step: AnswersStep, queries: NumberQueries, roles: Roles, shares: Doubles
) -> Iterator[tuple[int | None, list[int], list[Doubles]]]:
    """Queries that split records by the same column, with their answers."""
    ends = np.cumsum([int(queries.starts[query + 1] - queries.starts[query]) for query in step.queries])
    answers = np.split(shares, ends[:-1])
    of_query = [_column(queries, query) for query in step.queries]
    for column in sorted(set(of_query)):
        chosen = [place for place, found in enumerate(of_query) if found == column]
        block = roles.blocks((queries.by[column],))[0] if queries.by else None
        yield block, [step.queries[place] for place in chosen], [answers[place] for place in chosen]


def _column(queries: NumberQueries, query: int) -> int:
    """Which of the columns `by` splits the answers of a query."""
    if isinstance(queries, NumberMoments):
        return query // len(queries.factors)
    assert isinstance(queries, ConditionalCounts)
    return int(queries.conditioned[query])


def _target(queries: NumberQueries, block: int | None, asked: Places, shares: Doubles, weight: float) -> Target:
    if isinstance(queries, NumberMoments):
        return _moments(queries, block, asked, shares, weight)
    weights = np.full(len(asked), weight)
    if isinstance(queries, Thresholds):
        slopes, levels = queries.unit_planes
        return TargetPlanes(block, slopes[:, asked].T, levels[asked], shares, weights)
    assert isinstance(queries, MixedMarginals)
    assert block is not None
    return TargetCorners(block, queries.pairs[asked], queries.unit_most[asked], shares, weights)


def _moments(queries: NumberMoments, block: int | None, asked: Places, shares: Doubles, weight: float) -> TargetMoments:
    """Targets for moments; the mean product of two different numbers is in the matrix twice, but counts once."""
    size = len(queries.numbers) + 1
    means, weights = (np.zeros((shares.shape[1], size, size)) for _ in range(2))
    for query, answers in zip(asked.tolist(), shares, strict=True):
        i, j = (*queries.factors[query % len(queries.factors)], size - 1)[:2]
        for one, other in {(i, j), (j, i)}:
            means[:, one, other] = answers
            weights[:, one, other] = weight if i == j else weight / 2
    return TargetMoments(block, means, weights)
