"""Only what determines a correlation matrix: first and second moments of numbers, from noisy tables.

A column that is ordered or has two values is one number, from -1 to 1; any other column is an indicator for each value.
Means and squares come from the least noisy table that shows the column, products from one that shows both columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from mechanisms.improve.from_cross_moments import cross_means, feature_names, one_way_tables
from mechanisms.improve.from_moments import moment_wanted, upper_pairs
from mechanisms.improve.from_tables import share_tables
from mechanisms.projection.kinds import MomentStatistics
from release.statistics.blocks import LINEAR, ONE_HOT, block_names, block_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mechanisms.improve.wanted import Wanted
    from mechanisms.pgm.measured import MeasuredTable
    from mechanisms.projection.statistics import Floats, Places
    from release.cross_moments.file import CrossMoments
    from release.data.columns import Column
    from release.data.domain import Codes
    from release.marginals.file import Marginals

_ONE = 2**16


def correlation_of_marginals(release: Marginals, rows: Codes, columns: Sequence[str] | None) -> Wanted:
    """Moments of the given columns (default: all) that tables show."""
    schema, tables = release.schema, share_tables(release)
    shown = {u for table in tables for u in table.columns}
    for name in columns or ():
        if schema.names.index(name) not in shown:
            raise NotApplicable(f"features = {name}: no table of the release shows this column")
    places = [u for u in sorted(shown) if columns is None or schema.names[u] in columns]
    kinds = [LINEAR if _is_number(schema.columns[u]) else ONE_HOT for u in places]
    blocks = [np.array(block_of(schema.columns[u], kind, _ONE)) / _ONE for u, kind in zip(places, kinds, strict=True)]
    names = [name for u, kind in zip(places, kinds, strict=True) for name in block_names(schema.columns[u], kind)]
    owners = np.repeat(np.arange(len(places)), [block.shape[1] for block in blocks])
    second, sds = _moments_of_tables(tables, places, blocks, owners)
    return _wanted(rows, places, blocks, names, second, sds)


def correlation_of_cross_moments(release: CrossMoments, rows: Codes, columns: Sequence[str] | None) -> Wanted:
    """Moments of the features of these columns (default: all): products as released, the rest from one-way tables."""
    encoding, schema = release.encoding, release.schema
    tables = encoding.arrays
    for name in columns or ():
        if not tables[schema.names.index(name)].shape[1]:
            raise NotApplicable(f"features = {name}: has no features in this release")
    places = [u for u, table in enumerate(tables) if table.shape[1] and (columns is None or schema.names[u] in columns)]
    blocks = [tables[u] / encoding.one for u in places]
    of_all = np.concatenate([np.arange(encoding.starts[u], encoding.starts[u + 1]) for u in places])
    owners = np.repeat(np.arange(len(places)), [block.shape[1] for block in blocks])
    second, sds = _moments_of_tables(one_way_tables(release), places, blocks, owners)
    whole, noise = np.full((2, encoding.size, encoding.size), np.nan)
    left, right = encoding.pairs
    whole[left, right], noise[left, right] = cross_means(release)
    crossed = np.ix_(of_all, of_all)
    inner = np.s_[: len(of_all), : len(of_all)]
    known = ~np.isnan(whole[crossed])
    second[inner] = np.where(known, whole[crossed], second[inner])
    sds[inner] = np.where(known, noise[crossed], sds[inner])
    names = [feature_names(release)[place] for place in of_all]
    return _wanted(rows, places, blocks, names, second, sds)


def _is_number(column: Column) -> bool:
    return column.is_ordered or column.size == 2


def _moments_of_tables(
    tables: Sequence[MeasuredTable], places: Sequence[int], blocks: Sequence[Floats], owners: Places
) -> tuple[Floats, Floats]:
    """Means of products of two features, the last of which is 1, and their deviations; NaN if no table shows them.

    Only entries on and above the diagonal are filled.
    """
    size = len(owners)
    second, sds = np.full((2, size + 1, size + 1), np.nan)
    starts = np.searchsorted(owners, np.arange(len(places) + 1))
    for table in tables:
        inside = [(axis, places.index(u)) for axis, u in enumerate(table.columns) if u in places]
        variance = table.deviations**2
        for axis, one in inside:
            others = tuple(other for other in range(table.counts.ndim) if other != axis)
            share, noise = table.counts.sum(axis=others), variance.sum(axis=others)
            for place, values in enumerate(blocks[one].T, int(starts[one])):
                _keep(second, sds, (place, size), share @ values, noise @ values**2)
                _keep(second, sds, (place, place), share @ values**2, noise @ values**4)
        if len(inside) == 2 and table.counts.ndim == 2:
            for i, left in enumerate(blocks[inside[0][1]].T, int(starts[inside[0][1]])):
                for j, right in enumerate(blocks[inside[1][1]].T, int(starts[inside[1][1]])):
                    product, squared = left @ table.counts @ right, left**2 @ variance @ right**2
                    _keep(second, sds, (i, j), product, squared)
    return second, sds


def _keep(second: Floats, sds: Floats, place: tuple[int, int], value: float, variance: float) -> None:
    """The less noisy of two values for the same moment."""
    sd = float(np.sqrt(variance))
    if not sds[place] <= sd:
        second[place], sds[place] = value, sd


def _wanted(
    rows: Codes,
    places: Sequence[int],
    blocks: Sequence[Floats],
    names: Sequence[str],
    second: Floats,
    sds: Floats,
) -> Wanted:
    """Moments that are known, at these rows."""
    features = np.column_stack(
        [*(block[rows[:, u]] for u, block in zip(places, blocks, strict=True)), np.ones(len(rows))]
    )
    left, right = upper_pairs(np.arange(features.shape[1]))
    known = np.flatnonzero(~np.isnan(second[left, right]))
    pairs = left[known], right[known]
    statistics = MomentStatistics(features, np.ones(len(rows)), np.empty(0, dtype=np.intp), pairs)
    text = f"{len(known):,} moments that determine correlations of {len(places)} columns"
    return moment_wanted(statistics, second[pairs], sds[pairs], (*names, ""), text=text)
