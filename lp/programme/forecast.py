"""Forecast cost of a programme in time and memory, from public sizes alone: points, queries and their shape."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

from lp.programme.cell_tables import are_cells, cell_tables
from lp.programme.matrices import DENSE_CELLS, gram_seconds, histogram_of, split_of
from lp.programme.matrix_cells import HELD_BYTES
from lp.programme.matrix_moments import boolean_masks
from lp.programme.matrix_tables import table_moments
from release.statistics.families import ProductFamily

if TYPE_CHECKING:
    from release.statistics.families import Family

MOST_SECONDS = 60
"""CPU seconds, as forecast: a density that would cost more is not computed."""
_STEPS = 40
"""Newton's method takes 20 to 40 steps."""
_FACTOR_COST, _POINT_COST, _MOMENT_COST = 1.2e-11, 3e-8, 5e-11
"""CPU seconds of a cubic term of the factorisation, of pricing and weighing one point, of one point in one moment."""

_FIT_COST, _BLOCK_FIT_COST, _SOLVE_COST = 1.2e-6, 5e-8, 4.5e-9
"""CPU seconds of a point in one table of cells, over all sweeps and exchanges; of a point in one query of another
family; of a cubic term of the interior-point method over all its steps."""
_START_BYTES, _QUERY_BYTES, _POINT_BYTES, _SQUARES = 130_000_000, 700, 150, 4
"""Of the interpreter and its libraries, of an exact answer and its query, of a point; and how many matrices of queries
by queries the interior-point method holds."""


@dataclass(frozen=True)
class Cost:
    """The expected cost of a programme: estimates, good to a factor of two or three."""

    seconds_est: float
    """CPU seconds."""
    bytes_est: int

    @property
    def text(self) -> str:
        return f"about {self.seconds_est:,.0f} CPU seconds and {self.bytes_est / 10**9:,.1f} GB"


def programme_cost(family: Family, points: int, *, fitted: bool) -> Cost:
    """The expected cost of programme and rows, on a list of this many points or on the whole domain."""
    held = _START_BYTES + _QUERY_BYTES * family.count + _POINT_BYTES * points
    if not fitted:
        seconds = _SOLVE_COST * family.count**3 + _STEPS * _POINT_COST * points
        return Cost(seconds, held + 8 * min(family.count * points, DENSE_CELLS) + 8 * _SQUARES * family.count**2)
    if isinstance(family, ProductFamily) and are_cells(family):
        met = len(cell_tables(family)) * points
        return Cost(_FIT_COST * met, held + min(8 * met, HELD_BYTES))
    return Cost(_BLOCK_FIT_COST * family.count * points, held + HELD_BYTES)


def memory_at_hand() -> int | None:
    """Bytes that this machine has in all, or that this process may have; None if unknown."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
    try:
        import resource
    except ImportError:
        return found
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return found if allowed == resource.RLIM_INFINITY else min(found, allowed)


def density_seconds(family: Family, points: int, *, whole: bool) -> float:
    """CPU seconds for the density of full support on this many points, or on the whole domain."""
    found = _STEPS * (family.count**3 * _FACTOR_COST + points * _POINT_COST)
    # the ways to a Gram matrix of many queries take long to lay out, and would change nothing
    return found if found > MOST_SECONDS else found + _STEPS * _gram_seconds(family, points, whole=whole)


def _gram_seconds(family: Family, points: int, *, whole: bool) -> float:
    held = family.count * points <= DENSE_CELLS
    if whole and not held and isinstance(family, ProductFamily):
        if boolean_masks(family) is not None:
            half = family.domain.p // 2
            return points * _MOMENT_COST * 2 * sum(comb(half, i) for i in range(2 * family.most_factors + 1))
        tables = table_moments(family)
        if tables is not None:
            return tables.seconds_est()
    return min(gram_seconds(family.count, points, histogram_of(family), split_of(family)).values())
