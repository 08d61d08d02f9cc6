"""What both tests share: reading what is asked, p-values from draws, what counts are shown."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from bounds.exact import Exact, parse_integer, parse_rational, require_range
from mechanisms.infer.chi_square.answers import Shape
from mechanisms.infer.chi_square.shown import ShownColumn, ShownPair

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats
    from release.data.schema import Schema

MOST_DEGREES = 2_500
"""A covariance has this many rows."""
DEFAULT_SIMULATIONS = 999
_DROWNED, _ROUNDING = 2, 1e-8


def read_level(level: Exact) -> Fraction:
    found = parse_rational(level, "level")
    require_range("level", found, level, least=Fraction(1, 2), below=1, reason="a probability")
    return found


def read_simulations(simulations: Exact) -> int:
    """The number of tables to draw; 0 for none."""
    found = parse_integer(simulations, "simulate")
    if found != 0:
        require_range("simulate", found, simulations, least=99, most=10**6, reason="simulated tables")
    return found


def require_degrees(degrees: int) -> None:
    if degrees > MOST_DEGREES:
        raise NotApplicable(
            f"degrees of freedom = {degrees:,}: must be at most {MOST_DEGREES:,} (the covariance of the table)"
        )


def share_at_least(simulated: Floats, statistic: float) -> float:
    """(1 + #{S* >= S}) / (B + 1); what differs by rounding errors alone is equal, as it often is in small tables."""
    reached = simulated >= statistic - _ROUNDING * (1 + statistic)
    return float((1 + np.count_nonzero(reached)) / (len(simulated) + 1))


def effective_size(size: float, sampling: Floats, noise: Floats) -> float:
    """n tr(V^-1 V1) / d: what records count for on average over directions."""
    ratio = np.trace(np.linalg.solve(sampling + noise, sampling)) / len(sampling)
    return float(size * ratio)


def shape_of_pair(shown: ShownPair) -> Shape:
    return Shape(
        columns=shown.names,
        levels=shown.levels,
        size=shown.size,
        size_is_public=shown.size_is_public,
        cell_deviation=shown.cell.deviation,
        margin_deviations=(count_deviation(shown.rows), count_deviation(shown.columns)),
        tables=(len(shown.rows.margins), len(shown.columns.margins)),
    )


def shape_of_column(shown: ShownColumn) -> Shape:
    return Shape(
        columns=(shown.name,),
        levels=(shown.levels,),
        size=shown.size,
        size_is_public=shown.size_is_public,
        cell_deviation=None,
        margin_deviations=(count_deviation(shown),),
        tables=(len(shown.margins),),
    )


def count_deviation(shown: ShownColumn) -> float:
    """Of the noise of one combined count; the known total takes one part in so many of it away."""
    return sqrt(shown.variance * (1 - 1 / shown.levels))


def drowned_values(schema: Schema, shown: ShownColumn, counts: Floats) -> tuple[str, ...]:
    """The values of a column whose combined count is less than twice the deviation of its noise."""
    texts = schema.columns[schema.names.index(shown.name)].texts
    small = counts < _DROWNED * count_deviation(shown)
    return tuple(f"{shown.name}={text}" for text, is_small in zip(texts, small.tolist(), strict=True) if is_small)
