"""What is known about a finished table from its own release: certified distances of shares and moments to real ones.

All noise is below its quantile, except with probability beta; on that event a real count lies within the quantile of
the noisy one, and the finished table's count is compared with both ends. Under add-remove the one-way tables themselves
enclose the number of records. Everything is exact. Proofs: docs/proofs/synthbounds.cross-moments.md and, for logs,
docs/proofs/synthbounds.lattice-noise.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from release.cross_moments.file import CrossMoments
from release.data.counting import counts
from release.noise.quantiles import largest_noise, largest_sum
from release.statistics.cross_moments import BITS, cross_sums, split_one_way
from release.statistics.public_queries import NumberQueries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.log.file import MarginalLog
    from release.log.steps import TableStep
    from release.marginals.file import Marginals

Sizes: TypeAlias = tuple[Fraction, Fraction]
"""The ends of an interval that contains the number of records."""
_MOST_SHARE, _MOST_MOMENT = Fraction(1), Fraction(2)
"""Largest possible errors, whatever the noise: shares lie in [0, 1], products of features in [-1, 1]."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """Except with probability beta, no share or moment of the table is farther than this from the real one."""

    beta: Fraction
    one_way: tuple[Fraction, ...]
    """For each column the largest error of a share."""
    cross: Fraction | None
    """The largest error of a mean product of two columns' features; None if none were measured."""
    least_size: int | None
    """If n is private, all of this assumes at least this many records; None if n is public."""
    tables: Mapping[tuple[int, ...], Fraction] = field(default_factory=dict)
    """For each measured table of several columns, the largest error of a share of its cells."""
    queries: Mapping[int, Fraction] = field(default_factory=dict)
    """For each workload of queries of a log, by its place, the largest error of a mean over those asked."""


def known_from_moments(release: CrossMoments, rows: Codes, beta: Fraction) -> Known:
    """Half of beta is for the counts, half for the products."""
    made = cross_sums(rows, release.encoding)
    event = moments_event(release, beta)
    shares = split_one_way(made.one_way, release.schema)
    one_way = tuple(
        min(largest_error(noisy, table, made.n, event.count_radius, event.sizes, least=0), _MOST_SHARE)
        for noisy, table in zip(release.one_way, shares, strict=True)
    )
    cross = None
    if release.has_cross_moments:
        found = largest_error(release.cross_sums, made.cross, made.n, event.cross_radius, event.sizes)
        cross = min(found / 4**BITS, _MOST_MOMENT)
    return Known(
        beta=beta, one_way=one_way, cross=cross, least_size=None if release.size_is_exact else release.stated_size
    )


@dataclass(frozen=True, kw_only=True)
class MomentsEvent:
    """Except with probability beta, no real count or sum of products is farther than this from the noisy one."""

    count_radius: Fraction
    cross_radius: Fraction
    """In units of 4^-bits."""
    sizes: Sizes


def moments_event(release: CrossMoments, beta: Fraction) -> MomentsEvent:
    """Bounds on the noise of a release: half of beta is for the counts, half for the products."""
    half = beta / 2 if release.has_cross_moments else beta
    count_radius = release.one_way_quantile(half, size=1)
    return MomentsEvent(
        count_radius=count_radius,
        cross_radius=release.cross_quantile(half, size=1) * 4**BITS,
        sizes=_sizes(release, ((table, count_radius) for table in release.one_way)),
    )


def known_from_log(log: MarginalLog, rows: Codes, beta: Fraction) -> Known:
    """Errors of every table of a log and, also from wider ones, of single columns; the best of several bounds.

    Proof: docs/proofs/synthbounds.lattice-noise.md.
    """
    bounds, sizes = log_event(log, beta)
    made = _counts_like(log, rows)
    queries: dict[int, Fraction] = {}
    for asked in answers_event(log, beta):
        error = _largest_of_answers(log, asked, rows, sizes)
        queries[asked.workload] = max(error, queries.get(asked.workload, Fraction(0)))
    errors: dict[tuple[int, ...], Fraction] = {}
    for found in bounds:
        shown = made[found.columns].ravel().tolist()
        error = largest_error(found.counts, shown, len(rows), found.radius, sizes, least=0)
        errors[found.columns] = min(error, errors.get(found.columns, _MOST_SHARE))
    return Known(
        beta=beta,
        one_way=tuple(errors.get((place,), _MOST_SHARE) for place in range(len(log.schema.columns))),
        cross=None,
        least_size=None if log.size_is_exact else log.stated_size,
        tables={columns: error for columns, error in sorted(errors.items()) if len(columns) > 1},
        queries=dict(sorted(queries.items())),
    )


def log_event(log: MarginalLog, beta: Fraction) -> tuple[list[NoisyCounts], Sizes]:
    """Bounds on all noise of a log at once, except with probability beta.

    Half of beta is for the one-way tables that come first. The other half is for what follows, tables here and
    answers in `answers_event`, in proportion to the rho that each cost: what is measured depends on earlier noise, but
    its part of beta is fixed before its own noise is drawn.
    """
    measured, half = log.tables, beta / 2
    first = list(takewhile(lambda table: len(table.columns) == 1, measured[: len(log.schema.columns)]))
    together = sum(len(table.counts) for table in first)
    bounds = [NoisyCounts(table.columns, table.counts, _radius(table.sd, together, half)) for table in first]
    for table in measured[len(first) :]:
        failure = _failure(log, table.rho, beta)
        if len(table.columns) > 1:
            failure /= 2  # the other half is for its sums
            bounds += _sums(log, table, failure)
        bounds.append(NoisyCounts(table.columns, table.counts, _radius(table.sd, len(table.counts), failure)))
    return bounds, _sizes(log, ((found.counts, found.radius) for found in bounds))


@dataclass(frozen=True)
class NoisyAnswers:
    """Noisy answers of queries of a workload, as integers, and how far each may be from the real one."""

    workload: int
    queries: tuple[int, ...]
    sums: Sequence[int]
    radius: Fraction


def answers_event(log: MarginalLog, beta: Fraction) -> list[NoisyAnswers]:
    """Bounds on the noise of all answers of a log, on the event of `log_event`."""
    return [
        NoisyAnswers(
            step.workload, step.queries, step.sums, _radius(step.sd, len(step.sums), _failure(log, step.rho, beta))
        )
        for step in log.answers
    ]


def _failure(log: MarginalLog, rho: Fraction, beta: Fraction) -> Fraction:
    """The part of beta for a measurement after the first tables that cost this much."""
    return beta / 2 * rho / log.rho


def _largest_of_answers(log: MarginalLog, asked: NoisyAnswers, rows: Codes, sizes: Sizes) -> Fraction:
    """The largest error of a mean over the rows; means of queries of numbers lie in [0, 1], others in [-1, 1]."""
    queries = log.queries[asked.workload]
    made = queries.sums_of(rows, asked.queries)
    is_share = isinstance(queries, NumberQueries)
    found = largest_error(asked.sums, made, len(rows), asked.radius, sizes, least=0 if is_share else None)
    return min(found / queries.denominator, _MOST_SHARE if is_share else _MOST_MOMENT)


@dataclass(frozen=True)
class NoisyCounts:
    """Noisy counts of the cells of some columns, and how far each may be from the real one."""

    columns: tuple[int, ...]
    counts: Sequence[int]
    radius: Fraction


@cache
def _radius(sd: Fraction, count: int, failure: Fraction) -> Fraction:
    """A bound on the noise of this many cells; in simulations it is continuous and rounded, which is no larger."""
    return largest_noise("gaussian", "release", count=count, scale=sd, beta=failure)


def _sums(log: MarginalLog, table: TableStep, failure: Fraction) -> Iterator[NoisyCounts]:
    """The counts of single columns to which a wider table adds up, if its codes are those of the schema."""
    cells = np.array(table.counts, dtype=object).reshape(log.shape.of(table.columns))
    for axis, place in enumerate(table.columns):
        if log.shape.merged[place] < log.shape.sizes[place]:
            continue
        terms = cells.size // cells.shape[axis]
        radius = largest_sum(table.sd, terms=terms, count=sum(cells.shape), failure=failure)
        rounded = Fraction(terms, 2) if log.is_simulated else 0
        others = tuple(other for other in range(cells.ndim) if other != axis)
        yield NoisyCounts((place,), cells.sum(axis=others).tolist(), radius + rounded)


def _counts_like(log: MarginalLog, rows: Codes) -> dict[tuple[int, ...], NDArray[np.int64]]:
    """The log's tables, computed from these rows, with codes merged as in the log."""
    wide = sorted({table.columns for table in log.tables if len(table.columns) > 1})
    found = counts(rows, log.shape.sizes, [(place,) for place in range(len(log.schema.columns))])
    if wide:
        merged = rows
        if log.groups is not None:
            merged = np.column_stack([np.array(g, rows.dtype)[rows[:, u]] for u, g in enumerate(log.groups)])
        found |= counts(merged, log.shape.merged, wide)
    return found


def known_from_marginals(release: Marginals, rows: Codes) -> Known:
    """What is known from only one-way tables; their radius has its own beta."""
    found = []
    for table in release.tables:
        (column,) = table.columns
        made = np.bincount(rows[:, column], minlength=release.schema.domain.sizes[column])
        errors = (
            abs(Fraction(noisy, table.denominator) - Fraction(int(count), len(rows)))
            for noisy, count in zip(table.counts, made, strict=True)
        )
        found.append(min(max(errors) + table.radius, _MOST_SHARE))
    public = release.n_is_public
    return Known(beta=release.beta, one_way=tuple(found), cross=None, least_size=None if public else release.size)


def _sizes(release: CrossMoments | MarginalLog, tables: Iterable[tuple[Sequence[int], Fraction]]) -> Sizes:
    """The number of records, or an interval for it: it is the sum of a table's counts, each off by its radius."""
    stated = Fraction(release.stated_size)
    if release.size_is_exact:
        return stated, stated
    sums = [(sum(table), radius * len(table)) for table, radius in tables]
    lo = max(stated, *(total - width for total, width in sums))
    return lo, max(lo, min(total + width for total, width in sums))


def largest_error(
    noisy: Iterable[int],
    made: Iterable[int],
    k: int,
    radius: Fraction,
    sizes: Sizes,
    *,
    least: int | None = None,
) -> Fraction:
    """The largest distance of made / k to any value within the radius of noisy, over any size of the interval.

    Exact, in integers: everything is multiplied by the denominators.
    """
    unit = radius.denominator
    values = np.array([int(value) * unit for value in noisy], dtype=object)
    counts = np.array([int(count) * unit for count in made], dtype=object)
    worst = Fraction(0)
    for size in set(sizes):
        for end in (values - radius.numerator, values + radius.numerator):
            nearest = end if least is None else np.maximum(end, least * unit)
            farthest = np.abs(counts * size.numerator - nearest * (k * size.denominator)).max()
            worst = max(worst, Fraction(farthest, k * unit * size.numerator))
    return worst
