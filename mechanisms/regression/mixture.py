"""A mixture of products fitted to the tables of a log, which Appendix H of ddssp2024 compares with a graphical model.

Records of every component have independent columns, and all components are equally frequent: a relaxed projection. All
measured tables are fitted at once by squared error over variance. The problem is not convex, so the result depends on
the start, which is a function of the log. This is post-processing, and nothing is certified.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from bounds.exact import require_range
from mechanisms.pgm.base import base_shares
from mechanisms.pgm.from_log import merged_tables, stream_of_log
from mechanisms.pgm.measured import MeasuredTable, pool
from mechanisms.tilt.fit import systematic
from mechanisms.tilt.quasi_newton import minimise
from release.one_thread import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.log.file import MarginalLog

    Floats = NDArray[np.float64]

COMPONENTS, STEPS = 300, 100
_SPREAD = 0.5
"""Spread of the logarithms of shares at the start, around those of one-way tables."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Mixture:
    """Equally frequent components, each with shares of the codes of every column."""

    shares: tuple[Floats, ...]
    """For each column a table with a row for each component."""
    loss_est: float
    """Squared error over variance, averaged over the measured cells: about 1 if it is only noise."""

    def marginals(self, sets: Iterable[Sequence[int]]) -> dict[tuple[int, ...], Floats]:
        """Shares of the cells of some columns."""
        return {tuple(columns): _table([self.shares[u] for u in columns]) for columns in sets}

    def rows(self, k: int, stream: np.random.Generator) -> Codes:
        """k records, as near to the shares of every component as systematic sampling brings them."""
        count = len(self.shares[0])
        ends = np.arange(1, count + 1) * k // count
        found = np.empty((k, len(self.shares)), dtype=np.int64)
        for component, (start, end) in enumerate(zip((0, *ends[:-1]), ends, strict=True)):
            for u, shares in enumerate(self.shares):
                drawn = systematic(shares[component], int(end - start), stream)
                found[start:end, u] = stream.permutation(drawn)
        return found


def mixture_of_log(
    log: MarginalLog, *, components: int = COMPONENTS, steps: int = STEPS, seed: int | None = None
) -> Mixture:
    """The mixture that a log determines, with public settings; merged codes stay merged."""
    require_range("components", components, components, least=1, most=10**4)
    require_range("steps", steps, steps, least=1, most=10**5)
    if log.impossible:
        raise NotApplicable("impossible: a mixture of products cannot rule records out; use the graphical model")
    return fit_mixture(
        log.shape.merged,
        merged_tables(log),
        total=log.total_est,
        components=components,
        steps=steps,
        stream=stream_of_log(log, seed),
    )


def fit_mixture(
    sizes: Sequence[int],
    tables: Iterable[MeasuredTable],
    *,
    total: float,
    components: int,
    steps: int,
    stream: np.random.Generator,
) -> Mixture:
    """This many steps of L-BFGS from a start around the one-way tables."""
    by_columns: dict[tuple[int, ...], list[MeasuredTable]] = {}
    for table in tables:
        by_columns.setdefault(table.columns, []).append(table)
    pooled = {columns: pool(same) for columns, same in sorted(by_columns.items())}
    bases = [np.log(base_shares(pooled.get((u,)), size, total)) for u, size in enumerate(sizes)]
    loss = TableLoss(tuple(sizes), tuple(pooled.values()), total, components)
    spread = [base + _SPREAD * stream.standard_normal((components, len(base))) for base in bases]
    start = np.concatenate([logs.ravel() for logs in spread])
    with one_thread():
        place = minimise(loss, start, steps=steps, memory=20)
        return Mixture(shares=tuple(loss.shares(place)), loss_est=2 * loss(place)[0])


@dataclass(frozen=True, eq=False)
class TableLoss:
    """Half the squared error over variance, averaged over the cells of all tables, as a function of all logarithms."""

    sizes: tuple[int, ...]
    tables: tuple[MeasuredTable, ...]
    total: float
    components: int

    def __call__(self, place: Floats) -> tuple[float, Floats]:
        shares = self.shares(place)
        slopes = [np.zeros_like(table) for table in shares]
        cells = sum(table.counts.size for table in self.tables)
        value = 0.0
        for table in self.tables:
            parts = [shares[u] for u in table.columns]
            off = (self.total * _table(parts) - table.counts) / table.deviations
            value += float((off * off).sum()) / (2 * cells)
            pull = off / table.deviations * (self.total / (cells * self.components))
            for axis, u in enumerate(table.columns):
                others = [part for i, part in enumerate(parts) if i != axis]
                flat = np.moveaxis(pull, axis, 0).reshape(pull.shape[axis], -1)
                slopes[u] += _products(others, self.components) @ flat.T
        return value, np.concatenate(
            [(p * (g - (p * g).sum(axis=1, keepdims=True))).ravel() for p, g in zip(shares, slopes, strict=True)]
        )

    def shares(self, place: Floats) -> list[Floats]:
        """Shares of every column, a row for each component."""
        ends = np.cumsum([self.components * size for size in self.sizes])[:-1]
        logs = [part.reshape(self.components, -1) for part in np.split(place, ends)]
        weights = [np.exp(part - part.max(axis=1, keepdims=True)) for part in logs]
        return [part / part.sum(axis=1, keepdims=True) for part in weights]


def _table(parts: Sequence[Floats]) -> Floats:
    """The mean over components of the products of their shares."""
    flat = parts[0].T @ _products(parts[1:], len(parts[0])) / len(parts[0])
    return np.asarray(flat.reshape([part.shape[1] for part in parts]))


def _products(parts: Sequence[Floats], components: int) -> Floats:
    """For every component, products of the shares of several columns, the last column's code running fastest."""
    found = np.ones((components, 1))
    for part in parts:
        found = (found[:, :, None] * part[:, None, :]).reshape(components, -1)
    return found
