"""What the density of full support should cost, from public sizes alone: points, queries and their shape."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

from lp.programme.matrices import DENSE_CELLS, gram_seconds, histogram_of, split_of
from lp.programme.matrix_moments import boolean_masks
from lp.programme.matrix_tables import table_moments
from release.statistics.families import ProductFamily

if TYPE_CHECKING:
    from release.statistics.families import Family

MOST_SECONDS = 60
"""CPU seconds, as forecast: a density that should cost more is not computed."""
_STEPS = 40
"""Newton's method takes 20 to 40 steps."""
_FACTOR_COST, _POINT_COST, _MOMENT_COST = 1.2e-11, 3e-8, 5e-11
"""CPU seconds of a cubic term of the factorisation, of pricing and weighing one point, of one point in one moment."""


def density_seconds(family: Family, points: int, *, whole: bool) -> float:
    """CPU seconds for the density of full support on so many points, or on the whole domain."""
    step = _gram_seconds(family, points, whole=whole) + family.count**3 * _FACTOR_COST + points * _POINT_COST
    return _STEPS * step


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
