"""The density LP on few columns at a time: solve on a working set, price every column, exchange, repeat.

The interior-point method runs on the working set only and stops as soon as its gap is small against the global one,
for its iterates are then central and price well. Pricing all columns gives a bound for the whole LP, so the gap is
always global. Columns of lowest reduced cost enter; columns far from entering leave. The optimum is approached from
both sides; that no exchange repeats forever is ensured by never dropping columns while the gap does not shrink.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.interior_point import interior_point, restart
from lp.programme.matrices import build_matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.int64]

MOST_ROUNDS = 100
SHRINK = 0.02
"""A round ends when the gap on the working set is this share of the global gap before it."""
ENTER = 4
"""This many columns per query may enter in a round."""
KEEP = 8
"""This many columns per query stay when columns are dropped."""
DROP = 0.3
"""Columns are dropped only after the gap shrank by this factor since the last time, so exchanges cannot cycle."""
_SEED = 20_240_229


@dataclass(frozen=True)
class Solved:
    """The best point of either side over all rounds."""

    numbers: Numbers
    weights: Vector
    dual: Vector
    upper_est: float
    lower_est: float
    rounds: int
    iterations: int


def solve_on_working_set(
    matrix: QueryMatrix,
    target: Vector,
    *,
    gap: float,
    first: Numbers | None = None,
    progress: Callable[[str], None] | None = None,
) -> Solved:
    """Exchange columns until the global gap is reached or nothing improves it."""
    scale = 1 / matrix.family.denominator
    entering = ENTER * matrix.rows
    chosen = first_columns(matrix) if first is None else np.unique(first)
    upper, lower = np.inf, 0.0
    best_h, best_numbers, best_y = np.empty(0), chosen, np.zeros(matrix.rows)
    last = np.inf
    aim, iterations, rounds, warm = 0.1, 0, 0, None
    part = build_matrix(matrix.family, matrix.points_at(chosen))
    for rounds in range(1, MOST_ROUNDS + 1):
        now = interior_point(part, target, gap=max(aim, 0.5 * gap), first=warm)
        iterations += now.iterations
        if now.top < upper:
            upper, best_h, best_numbers = now.top, now.h, chosen
        y = now.y
        pricing = lowest(matrix, y * scale, count=entering)
        offset = float(target @ y)
        bound = pricing.least - offset
        if bound > lower:
            lower, best_y = bound, y
        if progress is not None:
            progress(
                f"round {rounds}: {len(chosen)} of {matrix.columns} columns, {now.iterations} iterations, "
                f"optimum within {max(lower, 0):.3e} .. {upper:.3e}"
            )
        if upper - lower <= gap:
            break
        shortfall = now.floor - bound  # what the columns outside still take away
        fresh = pricing.numbers[pricing.values - offset < now.floor + now.gap]
        fresh = fresh[~np.isin(fresh, chosen)]
        if now.gap > max(aim, 0.5 * gap) * 1.01 and shortfall <= 0 and not fresh.size:
            break  # the interior-point method stopped early and no column would help it
        aim = SHRINK * (now.top - bound)
        h = now.h
        if fresh.size and chosen.size > KEEP * matrix.rows and upper - lower < DROP * last:
            z = part.price(y * scale) - (offset + now.floor)
            keep = np.argpartition(-h / z, KEEP * matrix.rows)[: KEEP * matrix.rows]
            chosen, h = chosen[keep], h[keep]
            last = upper - lower
        chosen = np.concatenate([chosen, fresh])
        h = np.concatenate([h, np.zeros(fresh.size)])
        part = build_matrix(matrix.family, matrix.points_at(chosen))
        warm = restart(part, target, h, now.u, now.v) if fresh.size else now
    return Solved(best_numbers, best_h, best_y, float(upper), float(lower), rounds, iterations)


@dataclass(frozen=True)
class Pricing:
    """The lowest entries of A^T y."""

    least: float
    numbers: Numbers
    values: Vector


def lowest(matrix: QueryMatrix, y: Vector, *, count: int) -> Pricing:
    """The columns with the lowest prices, found block by block."""
    kept, prices, held = [np.empty(0, dtype=np.int64)], [np.empty(0)], 0
    ceiling = np.inf
    for start, values in matrix.price_blocks(y):
        if values.size > 4 * count:
            cut = min(ceiling, float(np.partition(values, count)[count])) if ceiling == np.inf else ceiling
            found = np.flatnonzero(values <= cut)
        else:
            found = np.flatnonzero(values <= ceiling)
        kept.append(found + start)
        prices.append(values[found])
        held += found.size
        if held > 4 * count:
            numbers, all_prices = _cut(np.concatenate(kept), np.concatenate(prices), count)
            kept, prices, held = [numbers], [all_prices], numbers.size
            ceiling = float(all_prices.max())
    numbers, all_prices = _cut(np.concatenate(kept), np.concatenate(prices), count)
    return Pricing(float(all_prices.min()), numbers, all_prices)


def _cut(numbers: Numbers, prices: Vector, count: int) -> tuple[Numbers, Vector]:
    if numbers.size <= count:
        return numbers, prices
    order = np.argpartition(prices, count - 1)[:count]
    return numbers[order], prices[order]


def first_columns(matrix: QueryMatrix) -> Numbers:
    """A reproducible spread of columns to start from."""
    count = min(matrix.columns, 4 * matrix.rows)
    generator = np.random.Generator(np.random.Philox(_SEED))
    return np.unique(generator.integers(0, matrix.columns, size=count))
