"""The noisy tables from which shares are read, from any kind of release, with what is known about a cell's noise.

Cells are shares or, in a log under add-remove, counts over a stated number. In a release noise is discrete, in a
simulation it is continuous, and rounded to whole records in a log. Tables made elsewhere are taken at their word. From
a log only tables are used that were measured before anything was chosen, and none whose codes were merged because of
the records.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from bounds.errors import NotApplicable
from mechanisms.infer.unchosen_tables import unchosen_tables
from release.data.schema import Schema
from release.log.file import MarginalLog
from release.log.steps import TableStep
from release.marginals.file import Marginals, MarginalTable
from release.noise.kinds import NoisePlan
from release.private_release import Release

Known: TypeAlias = Literal["gaussian", "discrete", "laplace", "proxy", "radius"]
"""What is known about the noise: Gaussian, Gaussian on a lattice, Laplace as planned, only the proxy variance of a
sub-Gaussian tail, or only how far a cell may be off."""


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    """Cell c is the share counts[c]/denominator, the last column's code running fastest."""

    columns: tuple[int, ...]
    counts: tuple[int, ...]
    denominator: int
    known: Known
    variance: Fraction = Fraction(0)
    """Variance of a cell's noise, or its proxy."""
    rounding: Fraction = Fraction(0)
    """A further error that a cell may have."""
    step: Fraction = Fraction(0)
    """Step of the lattice of discrete noise."""
    radius: Fraction = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class ShownTables:
    """All that is needed from a release. `size` is n if it is public, else a public lower bound on n."""

    schema: Schema
    size: int
    n_is_public: bool
    is_simulated: bool
    tables: tuple[ShownTable, ...]
    beta: Fraction | None = None
    """Failure probability of all radii together."""
    plan: NoisePlan | None = None
    """The plan of Laplace noise."""
    total_is_known: bool = True
    """Whether the cells of a table add up to 1; else they are counts over `size`, and n is what they add up to."""
    chosen: frozenset[tuple[int, ...]] = frozenset()
    """Columns of tables that are left out, because they were measured in view of what was seen of the records."""

    def hidden(self, columns: set[int]) -> str:
        """A note for when a table of these columns is left out."""
        if not any(columns <= set(places) for places in self.chosen):
            return ""
        return "; the log has one, but it was measured because of what had been seen, so its level is not known"


def shown_by(release: Release) -> ShownTables:
    """The tables of a release of marginals, or of a log."""
    if isinstance(release, MarginalLog):
        return _by_log(release)
    if not isinstance(release, Marginals):
        raise NotApplicable(
            f"release: is of kind {release.KIND}; shares are read from marginals, or from a log of tables"
        )
    return ShownTables(
        schema=release.schema,
        size=release.size,
        n_is_public=release.n_is_public,
        is_simulated=release.is_simulated,
        tables=tuple(_of_marginals(table, release) for table in release.tables),
        beta=release.beta,
        plan=release.plan,
    )


def _of_marginals(table: MarginalTable, release: Marginals) -> ShownTable:
    noise, plan = table.noise, release.plan
    known: Known = "radius"
    if noise is None:
        known = "laplace" if plan is not None and plan.mechanism == "laplace" else "radius"
    elif noise.law == "gaussian":
        known = "gaussian"
    else:
        known = "discrete" if plan is not None and release.origin == "release" else "proxy"
    return ShownTable(
        columns=table.columns,
        counts=table.counts,
        denominator=table.denominator,
        known=known,
        variance=Fraction(0) if noise is None else noise.sd**2,
        rounding=Fraction(0) if noise is None else noise.rounding,
        step=plan.unit if plan is not None and known == "discrete" else Fraction(0),
        radius=table.radius,
    )


def _by_log(log: MarginalLog) -> ShownTables:
    before, chosen = unchosen_tables(log)
    whole = tuple(step for step in before if len(step.columns) == 1 or (len(step.columns) == 2 and log.groups is None))
    return ShownTables(
        schema=log.schema,
        size=log.stated_size,
        n_is_public=log.size_is_exact,
        is_simulated=log.is_simulated,
        tables=tuple(_of_log(step, log) for step in whole),
        total_is_known=log.size_is_exact,
        chosen=chosen,
    )


def _of_log(step: TableStep, log: MarginalLog) -> ShownTable:
    one = Fraction(1, log.stated_size)
    return ShownTable(
        columns=step.columns,
        counts=step.counts,
        denominator=log.stated_size,
        known="gaussian" if log.is_simulated else "discrete",
        variance=(step.sd * one) ** 2,
        rounding=one / 2 if log.is_simulated else Fraction(0),
        step=Fraction(0) if log.is_simulated else one,
    )
