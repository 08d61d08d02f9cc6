"""Noisy tables of counts for a test, from any kind of release.

From a log, only tables that were measured before anything was chosen are used: a table that was chosen because the
records made its columns look dependent is no fair sample of tables, and the level of a test on it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from mechanisms.infer.chi_square.cell_noise import CellNoise, planned_noise
from mechanisms.infer.unchosen_tables import unchosen_tables
from release.data.schema import Schema
from release.log.file import MarginalLog
from release.log.steps import TableStep
from release.marginals.file import Marginals, MarginalTable
from release.private_release import Release

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyTable:
    """Counts in records of a table of the release's size, an axis for each column, all with the same noise."""

    columns: tuple[int, ...]
    counts: Floats
    noise: CellNoise | None
    """None if no distribution of independent noise is stated."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyTables:
    """All that a test needs from a release."""

    schema: Schema
    size: int
    """The number of records, or a public lower bound on it."""
    size_is_public: bool
    is_simulated: bool
    tables: tuple[NoisyTable, ...]
    chosen: frozenset[tuple[int, ...]] = frozenset()
    """Columns of tables that are left out, because they were measured in view of what was seen of the records."""


def tables_of(release: Release) -> NoisyTables:
    """The tables of a release of marginals, or of a log."""
    if isinstance(release, MarginalLog):
        return _of_log(release)
    if not isinstance(release, Marginals):
        raise NotApplicable(f"release: is of kind {release.KIND}; a test needs marginals, or a log of noisy tables")
    sizes = release.schema.domain.sizes
    tables = (
        NoisyTable(
            columns=table.columns,
            counts=np.array([float(cell * release.size) for cell in table.cells]).reshape(
                [sizes[place] for place in table.columns]
            ),
            noise=_noise_of(release, table),
        )
        for table in release.tables
    )
    return NoisyTables(
        schema=release.schema,
        size=release.size,
        size_is_public=release.n_is_public,
        is_simulated=release.is_simulated,
        tables=tuple(tables),
    )


def _noise_of(release: Marginals, table: MarginalTable) -> CellNoise | None:
    """The distribution that a table states, or that its plan states for all."""
    plan, law = release.plan, table.noise
    if plan is not None and (law is not None or plan.mechanism != "gaussian"):
        return planned_noise(plan)
    if law is None or law.law != "gaussian" or law.sd == 0:
        return None
    return CellNoise(kind="gaussian", scale=float(law.sd * release.size), step=1.0, is_whole=law.rounding == 0)


def _of_log(log: MarginalLog) -> NoisyTables:
    if not log.size_is_exact:
        raise NotApplicable(
            "release: a log under add-remove shows counts, but not out of how many records; "
            "a test needs marginals, or a log under replace-one"
        )
    before, chosen = unchosen_tables(log)
    tables = (
        NoisyTable(
            columns=table.columns,
            counts=np.array(table.counts, dtype=np.float64).reshape(log.shape.of(table.columns)),
            noise=_noise_of_step(table, is_simulated=log.is_simulated),
        )
        for table in before
    )
    return NoisyTables(
        schema=log.schema,
        size=log.stated_size,
        size_is_public=True,
        is_simulated=log.is_simulated,
        tables=tuple(tables),
        chosen=chosen,
    )


def _noise_of_step(table: TableStep, *, is_simulated: bool) -> CellNoise:
    """A release draws discrete noise; a simulation rounds a normal number, which adds a twelfth to the variance."""
    scale = float(table.sd)
    if is_simulated:
        return CellNoise(kind="discrete-gaussian", scale=sqrt(scale**2 + 1 / 12), step=1.0, is_whole=False)
    return CellNoise(kind="discrete-gaussian", scale=scale, step=1.0)
