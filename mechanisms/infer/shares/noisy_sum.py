"""A mean that noisy tables estimate, with the distribution of its error: Gaussian plus a bounded part.

In a release noise is discrete: cells with the same coefficient add up to one discrete Gaussian number, which a coupling
brings near to a continuous one. In a simulation noise is continuous. Tables made elsewhere are taken at their word; if
they do not state Gaussian noise, there is no such sum.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from bounds.errors import NotApplicable
from bounds.inference.lattice_coupling import distance_of_sum, gaussian_coupling
from mechanisms.infer.shares.combination import Combination, best_combination
from mechanisms.infer.shares.functional import Functional
from mechanisms.infer.shares.shown import Known, ShownTable, ShownTables

NORMAL: tuple[Known, ...] = ("gaussian", "discrete")
"""Kinds of noise whose sums are nearly Gaussian."""
_NEGLIGIBLE = Fraction(1, 10**9)
"""Largest total variation distance at which cells are added up to one number; public, like every choice here."""
_LEAST_VARIANCE = Fraction(1, 10**40)
"""Variance used for a table that is stated to have no noise."""


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
        return sqrt(self.variance)


def combination_for(functional: Functional, shown: ShownTables, known: tuple[Known, ...]) -> Combination:
    """The best combination of the tables whose noise is known in one of these ways."""
    if not any(table.known in known for table in shown.tables):
        raise NotApplicable("the noise of the tables is not known to be Gaussian, as it is when --dp-delta is given")
    weighed = [
        (table.columns, max(table.variance, _LEAST_VARIANCE) if table.known in known else None)
        for table in shown.tables
    ]
    return best_combination(
        functional,
        weighed,
        shown.schema.domain.sizes,
        shown.schema.names,
        total_is_known=shown.total_is_known,
    )


def measured(combination: Combination, shown: ShownTables) -> NoisySum:
    """The estimate of the tables, and how far it may be off."""
    variance, slack, lost = Fraction(0), Fraction(0), Fraction(0)
    together: dict[tuple[int, Fraction], int] = defaultdict(int)
    for part in combination.parts:
        table = shown.tables[part.table]
        variance += part.coefficient**2 * part.cells * table.variance
        slack += abs(part.coefficient) * part.cells * table.rounding
        together[part.table, abs(part.coefficient)] += part.cells  # the noise is symmetric
    for (place, coefficient), cells in together.items():
        if shown.tables[place].known == "discrete":
            distance, failure = nearness(shown.tables[place], cells)
            slack, lost = slack + coefficient * distance, lost + failure
    return NoisySum(
        estimate=combination.estimate(shown.tables, shown.schema.domain.sizes),
        variance=variance,
        slack=slack,
        lost=lost,
        tables=combination.tables,
    )


def nearness(table: ShownTable, cells: int) -> tuple[Fraction, Fraction]:
    """How far the summed noise of this many cells is from a Gaussian, as a share, and how often it is farther."""
    variance = table.variance / table.step**2
    apart = distance_of_sum(variance, cells)
    if apart <= _NEGLIGIBLE:
        of_sum = gaussian_coupling(variance * cells)
        return of_sum.distance * table.step, of_sum.failure + apart
    of_one = gaussian_coupling(variance)
    return cells * of_one.distance * table.step, cells * of_one.failure
