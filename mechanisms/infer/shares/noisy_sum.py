"""A mean that noisy tables estimate, with the law of its error: Gaussian, and a bounded error besides.

In a release noise is discrete: cells that have one coefficient add up to one discrete Gaussian number, which a
coupling brings near to a continuous one. In a simulation noise is continuous. Tables made elsewhere are taken at their
word; where they state no Gaussian law there is no such sum.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import NotApplicable
from bounds.exact import root_at_least
from bounds.inference.lattice_coupling import distance_of_sum, gaussian_coupling
from mechanisms.infer.shares.combination import Combination, best_combination
from mechanisms.infer.shares.functional import Functional
from release.marginals.file import Marginals, MarginalTable

GAUSSIAN, DISCRETE, PROXY = "gaussian", "discrete", "proxy"
_NEGLIGIBLE = Fraction(1, 10**9)
"""A distance in total variation for which cells are still added up to one number; public, as every choice here."""
_LEAST_VARIANCE = Fraction(1, 10**40)
"""Of a table that is stated to have no noise."""


@dataclass(frozen=True, kw_only=True)
class NoisySum:
    """`estimate` is off by Gaussian noise of this variance and by at most `slack`, except with probability `lost`."""

    estimate: Fraction
    variance: Fraction
    slack: Fraction
    lost: Fraction
    tables: int
    """How many tables it rests on."""

    @property
    def deviation_est(self) -> float:
        return float(root_at_least(self.variance))


def kind_of(table: MarginalTable, release: Marginals) -> str | None:
    """How the noise of a table is known; None where only a radius is."""
    if table.noise is None:
        return None
    if table.noise.law == "gaussian":
        return GAUSSIAN
    return DISCRETE if release.plan is not None and release.origin == "release" else PROXY


def noisy_sum(functional: Functional, release: Marginals) -> NoisySum:
    """The best combination of the tables with Gaussian noise."""
    return measured(combination_for(functional, release, (GAUSSIAN, DISCRETE)), release)


def combination_for(functional: Functional, release: Marginals, kinds: tuple[str, ...]) -> Combination:
    """The best combination of the tables whose noise is known in one of these ways."""
    if not any(kind_of(table, release) in kinds for table in release.tables):
        raise NotApplicable("release: the noise of its tables is not known to be Gaussian")
    shown = [
        (table.columns, _variance(table) if kind_of(table, release) in kinds else None) for table in release.tables
    ]
    return best_combination(functional, shown, release.schema.domain.sizes, release.schema.names)


def measured(combination: Combination, release: Marginals) -> NoisySum:
    """What the tables say of it, and how far that is off."""
    variance, slack, lost = Fraction(0), Fraction(0), Fraction(0)
    together: dict[tuple[int, Fraction], int] = defaultdict(int)
    for part in combination.parts:
        table = release.tables[part.table]
        assert table.noise is not None
        variance += part.coefficient**2 * part.cells * table.noise.sd**2
        slack += abs(part.coefficient) * part.cells * table.noise.rounding
        together[part.table, abs(part.coefficient)] += part.cells  # the law of the noise is symmetric
    for (place, coefficient), cells in together.items():
        if kind_of(release.tables[place], release) == DISCRETE:
            distance, failure = nearness(release, cells)
            slack, lost = slack + coefficient * distance, lost + failure
    return NoisySum(
        estimate=combination.estimate(release.tables, release.schema.domain.sizes),
        variance=variance,
        slack=slack,
        lost=lost,
        tables=combination.tables,
    )


def nearness(release: Marginals, cells: int) -> tuple[Fraction, Fraction]:
    """How far the sum of the noise of so many cells is from a Gaussian, as a share, and how often further."""
    assert release.plan is not None
    unit, variance = release.plan.unit, release.plan.scale**2
    apart = distance_of_sum(variance, cells)
    if apart <= _NEGLIGIBLE:
        of_sum = gaussian_coupling(variance * cells)
        return of_sum.distance * unit, of_sum.failure + apart
    of_one = gaussian_coupling(variance)
    return cells * of_one.distance * unit, cells * of_one.failure


def _variance(table: MarginalTable) -> Fraction:
    assert table.noise is not None
    return max(table.noise.sd**2, _LEAST_VARIANCE)
