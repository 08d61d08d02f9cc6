"""Shares of single columns as a release has them, with how far the real ones can be: for pictures and tables.

They hold on the event of `known`, all at once. Nothing but the release enters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechanisms.synth.known import Sizes, log_event, moments_event
from release.cross_moments.file import CrossMoments
from release.log.file import MarginalLog
from release.marginals.file import Marginals, MarginalTable


@dataclass(frozen=True)
class MeasuredShares:
    """The noisy shares of a column, below 0 or above 1 where the noise makes them so, and how far each can be off."""

    shares: tuple[Fraction, ...]
    radius: tuple[Fraction, ...]


def measured_shares(
    release: CrossMoments | Marginals | MarginalLog, beta: Fraction
) -> tuple[MeasuredShares | None, ...]:
    """For every column of the schema; None where its one-way table was not measured.

    `beta` is the probability that something is farther off; marginals have their own.
    """
    places = range(len(release.schema.columns))
    if isinstance(release, Marginals):
        tables = {table.columns: table for table in release.tables}
        return tuple(None if (t := tables.get((u,))) is None else _of_table(t) for u in places)
    if isinstance(release, CrossMoments):
        event = moments_event(release, beta)
        return tuple(_shares(table, event.count_radius, event.sizes) for table in release.one_way)
    bounds, sizes = log_event(release, beta)
    by_column = ([found for found in bounds if found.columns == (u,)] for u in places)
    best = (min(found, key=lambda one: one.radius, default=None) for found in by_column)
    return tuple(None if one is None else _shares(one.counts, one.radius, sizes) for one in best)


def _of_table(table: MarginalTable) -> MeasuredShares:
    return MeasuredShares(table.cells, (table.radius,) * len(table.counts))


def _shares(counts: Sequence[int], radius: Fraction, sizes: Sizes) -> MeasuredShares:
    """Of the middle of what the number of records can be; a real count is within the radius, and not negative."""
    middle = (sizes[0] + sizes[1]) / 2
    shares = tuple(count / middle for count in counts)
    ends = [(max(count - radius, Fraction(0)), max(count + radius, Fraction(0))) for count in counts]
    return MeasuredShares(
        shares,
        tuple(
            max(abs(share - end / size) for end in both for size in sizes)
            for share, both in zip(shares, ends, strict=True)
        ),
    )
