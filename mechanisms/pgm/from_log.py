"""The model and the rows that a log of measured tables determines: functions of the log, so nothing more is spent.

If a log merged codes, the model is one of merged codes; its rows get single codes by their shares in the one-way tables
within each merged code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bounds.errors import NotApplicable
from mechanisms.pgm.base import base_shares
from mechanisms.pgm.dual import SHARE
from mechanisms.pgm.estimate import Estimator
from mechanisms.pgm.measured import MeasuredTable, pool
from mechanisms.pgm.need import need
from mechanisms.tilt.fit import systematic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.model import Model
    from release.data.domain import Codes
    from release.log.file import MarginalLog
    from release.log.steps import Groups, Shape, TableStep

    Floats = NDArray[np.float64]

_NEAR = 0.004
"""Largest L1 distance of any table of a fit from the estimate that the log determines."""
_MOST_STEPS = 5_000
_MOST_ROUNDS = 100


def estimate_log(log: MarginalLog, *, say: Callable[[str], None] | None = None) -> Model:
    """A fit from the log alone, to a small gap."""
    estimator = Estimator(log.shape.merged, log.total_est, impossible=_impossible(log))
    for table in merged_tables(log):
        estimator.add(table)
    if say is not None:
        told = need(log.shape.merged, estimator.scopes)
        say(f"estimate of {len(log.tables)} tables: {told.bytes / 2**20:.1f} MB, {told.flops:.3g} operations a step")
    return estimator.fit(enough=2 * (log.total_est / SHARE) * _NEAR**2, most_steps=_MOST_STEPS, say=say)


class HasRows(Protocol):
    """A distribution from which rows can be drawn: the model of a log, or another one made from it."""

    def rows(self, k: int, stream: np.random.Generator) -> Codes: ...


def rows_of_log(log: MarginalLog, model: HasRows, k: int, *, seed: int | None = None) -> Codes:
    """k records of the schema from the log's model, with randomness that is a function of the log (and a seed)."""
    stream = stream_of_log(log, seed)
    rows = model.rows(k, stream)
    if log.groups is not None:
        rows = _unmerged(log, rows, stream)
    return rows.astype(log.schema.domain.code_type)


def stream_of_log(log: MarginalLog, seed: int | None) -> np.random.Generator:
    """Randomness for rows: a function of a seed and of the log without the distance, which is measured on the rows."""
    key = int(log.rows_digest[:32], 16) + (0 if seed is None else seed + 1)
    return np.random.Generator(np.random.Philox(key=key % 2**128))


def measured_table(table: TableStep, shape: Shape) -> MeasuredTable:
    """A table as it was measured, with an axis for each column."""
    counts = np.array(table.counts, dtype=np.float64).reshape(shape.of(table.columns))
    return MeasuredTable(columns=table.columns, counts=counts, sd=float(table.sd))


def merged_tables(log: MarginalLog) -> list[MeasuredTable]:
    """All tables of a log, in merged codes if it merged any."""
    return [merged_table(table, log.shape) for table in log.tables]


def merged_table(table: TableStep, shape: Shape) -> MeasuredTable:
    """A table in merged codes; one-way tables still have to be merged."""
    found = measured_table(table, shape)
    if len(table.columns) > 1 or shape.groups is None:
        return found
    group = np.array(shape.groups[table.columns[0]])
    merged = np.asarray(np.bincount(group, weights=found.counts), dtype=np.float64)
    return MeasuredTable(columns=table.columns, counts=merged, sd=float(table.sd) * np.sqrt(np.bincount(group)))


def _impossible(log: MarginalLog) -> dict[tuple[int, ...], NDArray[np.bool_]]:
    """Facts in merged codes: a merged cell is impossible if everything merged into it is."""
    found = {}
    for zeros in log.impossible:
        cells = zeros.cells(log.schema.domain.sizes)
        if log.groups is not None:
            merged = np.ones([log.shape.merged[u] for u in zeros.columns], bool)
            codes = np.indices(cells.shape)
            places = tuple(np.array(log.groups[u])[codes[i]] for i, u in enumerate(zeros.columns))
            np.logical_and.at(merged, places, cells)
            cells = merged
        found[zeros.columns] = cells
    return found


def code_shares(log: MarginalLog, u: int) -> Floats:
    """Shares of the codes of a column by its one-way tables, used to divide merged codes."""
    tables = [measured_table(t, log.shape) for t in log.tables if t.columns == (u,)]
    return base_shares(pool(tables) if tables else None, log.schema.domain.sizes[u], log.total_est)


def unmerged(rows: Codes, groups: Groups, shares: Sequence[Floats], stream: np.random.Generator) -> Codes:
    """Rows with single codes instead of merged ones, each as often as its share within them says, up to one."""
    found = np.empty_like(rows)
    for u, group in enumerate(np.array(g) for g in groups):
        for merged in range(int(group.max()) + 1):
            codes, places = np.nonzero(group == merged)[0], np.nonzero(rows[:, u] == merged)[0]
            drawn = codes[systematic(shares[u][codes], len(places), stream)]
            found[stream.permutation(places), u] = drawn
    return found


def _unmerged(log: MarginalLog, rows: Codes, stream: np.random.Generator) -> Codes:
    """Rows with single codes, without impossible combinations."""
    assert log.groups is not None
    shares = [code_shares(log, u) for u in range(len(log.groups))]
    found = unmerged(rows, log.groups, shares, stream)
    for _ in range(_MOST_ROUNDS):
        if not _redrawn(log, rows, found, shares, stream):
            return found
    raise NotApplicable("impossible: no possible combination was found among the codes within the merged ones")


def _redrawn(log: MarginalLog, rows: Codes, found: Codes, shares: list[Floats], stream: np.random.Generator) -> bool:
    """Whether some row had an impossible combination; its codes are then redrawn within the merged ones."""
    changed = False
    for zeros in log.impossible:
        cells, columns = zeros.cells(log.schema.domain.sizes), list(zeros.columns)
        weights = np.where(cells, 0.0, 1.0)
        for i, u in enumerate(columns):
            weights *= shares[u].reshape([-1 if j == i else 1 for j in range(len(columns))])
        for row in np.nonzero(cells[tuple(found[:, columns].T)])[0]:
            inside = [np.nonzero(np.array((log.groups or ())[u]) == rows[row, u])[0] for u in columns]
            among = weights[np.ix_(*inside)].ravel()
            pick = np.unravel_index(systematic(among, 1, stream)[0], [len(codes) for codes in inside])
            found[row, columns] = [codes[i] for codes, i in zip(inside, pick, strict=True)]
            changed = True
    return changed
