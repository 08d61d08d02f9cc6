"""Sources of tables for sums: records, a model of a log, or a release of noisy tables of pairs.

Tables of a model agree with each other. Those of a release do not: each entry of the sums then comes from its own
pair's table, and entries for a single column come from all tables with it, pooled by precision. What tables of a
release show is decided before their numbers are looked at: a pair that none shows is refused, or declared independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import prod, sqrt
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bounds.errors import NotApplicable, UsageError
from mechanisms.pgm.from_log import code_shares
from mechanisms.regression.sums import Sums
from mechanisms.regression.table_sums import Columns, pairs_needed, row_norms, sums_of_tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.log.file import MarginalLog
    from release.marginals.file import Marginals, MarginalTable
    from release.statistics.features import FeatureMap

    Floats = NDArray[np.float64]

_NO_NOISE = 1e-12
"""Least deviation of a share: tables without noise are pooled as if they had a tiny amount."""


class HasMarginals(Protocol):
    """A distribution over codes: a graphical model, or a mixture."""

    def marginals(self, sets: Iterable[Columns]) -> dict[Columns, Floats]: ...


def sums_of_model(log: MarginalLog, model: HasMarginals, features: FeatureMap) -> Sums:
    """The sums of the model of a log; merged codes are divided by their shares in the one-way tables."""
    require_columns(features, log)
    return sums_of_tables(features, tables_of_model(log, model, pairs_needed(features)))


def tables_of_model(
    log: MarginalLog, model: HasMarginals, sets: Iterable[Columns]
) -> Callable[[Columns], NDArray[Any]]:
    """The model's tables of the schema's codes on these sets of columns and on single ones, times its total."""
    total = log.total_est
    wanted = [*((u,) for u in range(len(log.shape.merged))), *sets]
    found = {columns: _unmerged(log, table, columns) * total for columns, table in model.marginals(wanted).items()}
    found[()] = np.array(total)
    return found.__getitem__


def _unmerged(log: MarginalLog, table: Floats, columns: Columns) -> Floats:
    if log.groups is None:
        return table
    for axis, u in enumerate(columns):
        group = np.array(log.groups[u])
        shares = code_shares(log, u)
        within = shares / np.bincount(group, weights=shares)[group]
        table = np.take(table, group, axis=axis) * within.reshape([-1 if i == axis else 1 for i in range(table.ndim)])
    return table


def sums_of_marginals(release: Marginals, features: FeatureMap, *, independent: bool = False) -> Sums:
    """Sums over the stated number of records: n, or the public least number.

    Without `independent` every pair must be shown. The stated deviation of the noise is the one whose spectrum has the
    same edge as that of these tables: twice the root of the largest sum of variances in a row.
    """
    require_columns(features, release)
    missing = pairs_not_shown(release, features)
    if missing and not independent:
        named = " x ".join(missing[0])
        raise NotApplicable(f"release: no table shows {named}: {len(missing)} pairs are missing, and none is guessed")
    size, shown = release.size, {table.columns for table in release.tables}
    pairs = pairs_needed(features)
    alone: list[Columns] = [(u,) for u in sorted({u for pair in pairs for u in pair})]
    pooled = {columns: _pooled(release, columns) for columns in (*alone, *(pair for pair in pairs if pair in shown))}
    tables = {columns: size * shares for columns, (shares, _) in pooled.items()}
    for u, v in set(pairs) - shown:
        tables[u, v] = np.outer(tables[u,], tables[v,]) / size
    tables[()] = np.array(float(size))
    gram_sd, cross_sd = _noise(features, {columns: size * sd for columns, (_, sd) in pooled.items()})
    return sums_of_tables(features, tables.__getitem__, gram_sd=gram_sd, cross_sd=cross_sd)


def pairs_not_shown(release: Marginals, features: FeatureMap) -> tuple[tuple[str, str], ...]:
    """Names of the pairs of columns that sums need but no table shows: public, before any number is read."""
    shown, names = {table.columns for table in release.tables}, release.schema.names
    hidden = [pair for pair in pairs_needed(features) if pair not in shown]
    seen = {u for columns in shown for u in columns}
    unseen = [names[u] for pair in hidden for u in pair if u not in seen]
    if unseen:
        raise NotApplicable(f"release: no table shows the column {unseen[0]}")
    return tuple((names[u], names[v]) for u, v in hidden)


def require_columns(features: FeatureMap, release: Marginals | MarginalLog) -> None:
    """Refuse features whose columns are not those of the tables."""
    if features.schema.columns != release.schema.columns:
        raise UsageError("feature_map: its schema has other columns than the release")


def tables_of_records(codes: Codes, features: FeatureMap) -> Callable[[Columns], NDArray[np.int64]]:
    """Exact counts, for public rows and for studies."""
    sizes = features.schema.domain.sizes

    def table_of(columns: Columns) -> NDArray[np.int64]:
        shape = [sizes[u] for u in columns]
        if not columns:
            return np.array(len(codes))
        cells = np.ravel_multi_index([codes[:, u].astype(np.int64) for u in columns], shape)
        return np.bincount(cells, minlength=prod(shape)).reshape(shape)

    return table_of


def _shares(table: MarginalTable, release: Marginals) -> Floats:
    sizes = release.schema.domain.sizes
    counts = np.array(table.counts, dtype=object) / table.denominator
    return counts.astype(np.float64).reshape([sizes[u] for u in table.columns])


def _sd(table: MarginalTable) -> float:
    """Deviation of a share; if the distribution of the noise is not known, its radius stands for it."""
    return max(float(table.radius if table.noise is None else table.noise.sd), _NO_NOISE)


def _pooled(release: Marginals, columns: Columns) -> tuple[Floats, float]:
    """Shares of some columns from all tables with them, weighted by precision, and the deviation of a share."""
    shares, precisions = [], []
    for table in release.tables:
        if set(columns) <= set(table.columns):
            found = _shares(table, release)
            shares.append(found.sum(axis=tuple(i for i, u in enumerate(table.columns) if u not in columns)))
            precisions.append(shares[-1].size / found.size / _sd(table) ** 2)
    weights = np.array(precisions) / sum(precisions)
    return np.asarray(np.tensordot(weights, np.array(shares), 1)), 1 / sqrt(sum(precisions))


def _noise(features: FeatureMap, deviations: Mapping[Columns, float]) -> tuple[float, float]:
    """Deviations as Sums states them: an entry of A' T B has a cell's deviation times the norms of its two columns."""
    norms = row_norms(features)
    variances = np.zeros((len(norms), len(norms)))
    for i, (u, left) in enumerate(norms):
        for j, (v, right) in enumerate(norms):
            table = tuple(sorted({place for place in (u, v) if place is not None}))
            variances[i, j] = (deviations.get(table, 0.0) * left * right) ** 2
    edge = 2 * sqrt(variances[:-1, :-1].sum(axis=1).max())
    return edge / sqrt(2 * (len(norms) - 1)), sqrt(variances[:-1, -1].max())
