"""Noisy shares of single columns, from the release behind a table, all at once on the event of `known`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechanisms.synth.known import log_event, moments_event
from release.cross_moments.file import CrossMoments
from release.log.file import MarginalLog
from release.marginals.file import Marginals
from release.statistics.measured_shares import MeasuredShares, shares_of


def measured_shares(
    release: CrossMoments | Marginals | MarginalLog, beta: Fraction
) -> tuple[MeasuredShares | None, ...]:
    """The shares of every column of the schema; None if its one-way table was not measured.

    `beta` is the probability that something is farther off; marginals have their own beta.
    """
    places = range(len(release.schema.columns))
    if isinstance(release, Marginals):
        return tuple(_from_tables(release, place) for place in places)
    if isinstance(release, CrossMoments):
        event = moments_event(release, beta)
        return tuple(shares_of(table, event.count_radius, event.sizes) for table in release.one_way)
    bounds, sizes = log_event(release, beta)
    by_column = ([found for found in bounds if found.columns == (place,)] for place in places)
    best = (min(found, key=lambda one: one.radius, default=None) for found in by_column)
    return tuple(None if one is None else shares_of(one.counts, one.radius, sizes) for one in best)


def _from_tables(release: Marginals, place: int) -> MeasuredShares | None:
    """The table of a column that needs the fewest cells for a share, since each cell may be off by the radius."""
    sizes = release.schema.domain.sizes
    holding = [table for table in release.tables if place in table.columns]
    if not holding:
        return None
    table = min(holding, key=lambda t: (t.radius * (len(t.counts) // sizes[place]), t.columns))
    cells = np.array(table.counts, dtype=object).reshape([sizes[u] for u in table.columns])
    others = tuple(axis for axis, u in enumerate(table.columns) if u != place)
    shares = tuple(Fraction(count, table.denominator) for count in cells.sum(axis=others))
    return MeasuredShares(shares, (table.radius * (cells.size // sizes[place]),) * sizes[place])
