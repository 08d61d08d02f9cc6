"""The density programme for cells by proportional fitting: near the optimum in seconds when exact methods take hours.

First a lower bound without points (lp.programme.table_bound), then the least-squares tables within walls a little wider
than the bound (lp.programme.table_projection), then sweeps to a density whose cells come near to them
(lp.programme.cell_sweeps), and Newton's method to bring every cell between the walls (lp.programme.cell_newton). If
walls are not met, some rows show why: the programme of these rows raises the bound, or the walls are moved. The density
has weight on every point and is the one from which rows are made: it is near the target in squares, too. The
certificate says how near it is to the optimum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lp.programme.cell_newton import Between, nearest_between
from lp.programme.cell_sweeps import sweep
from lp.programme.cell_tables import Consistency
from lp.programme.matrix_cells import cells_matrix
from lp.programme.solve import Candidate
from lp.programme.table_bound import rows_bound, table_bound
from lp.programme.table_projection import nearest_tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix
    from lp.programme.matrix_cells import CellsMatrix

    Vector = NDArray[np.float64]

GAP = 0.01
"""The density is good enough if it is within this share of the bound."""
_SLACK, _OUTSIDE = 2e-3, 5e-4
"""The walls are this much wider than the bound, and cells may be this much outside them; both as shares of it."""
_FIRST_SWEEPS, _WALL_SWEEPS, _STEPS = 20, 5, 25
_NEAR = 0.25
"""Cells come this near to the least-squares tables, in units of their root mean square distance from the target."""
_MOST_ROUNDS = 8
_STRAIGHT = 1.3
"""If the walls are within this multiple of the bound, those at the bound are tried next."""
_MOST_CRITICAL = 60
"""Rows of a programme that raises the bound."""
_LEAST_RADIUS = 1e-9
"""If the bound is 0, the walls are placed here: the answers agree, and only float64 rounding is left."""


def proportional(matrix: QueryMatrix, target: Vector, *, say: Callable[[str], None] | None = None) -> Candidate:
    """A density on all points within a few percent of the optimum, as a rule within one, and a lower bound."""
    cells = cells_matrix(matrix)
    covered = cells.apply(np.ones(cells.columns)) > 0
    bound = table_bound(cells, target)
    lower = max(bound.value_est, _LEAST_RADIUS)
    radius = (1 + _SLACK) * lower
    h = _fitted(cells, target, covered, radius)
    best, value = h, float(np.abs(cells.apply(h) - target).max())
    rounds, too_close = 0, 0.0
    while value > (1 + GAP) * lower and rounds < _MOST_ROUNDS:
        rounds += 1
        found = _between(cells, target, covered, h, radius)
        now = float(np.abs(found.cells - target).max())
        if now < value:
            best, value = found.h, now
        if now <= (1 + GAP) * radius:  # the walls were met, and closer ones are tried from there
            h = best
            radius = lower if radius <= _STRAIGHT * lower else float(np.sqrt(max(too_close, lower) * radius))
        else:
            raised = rows_bound(cells, target, _critical(found))
            if raised.value_est > (1 + _SLACK) * lower:
                bound, lower = raised, raised.value_est
                radius = lower
            else:
                too_close, radius = radius, float(np.sqrt(radius * value))
        radius = max(radius, (1 + _SLACK) * lower)
        if say is not None:
            say(f"round {rounds}: optimum within {lower:.3e} .. {value:.3e}")
    everywhere = np.arange(cells.columns)
    return Candidate(
        everywhere, best, bound.dual, value, bound.value_est, "proportional fitting", rounds, rounds, is_density=True
    )


def _walls(target: Vector, covered: NDArray[np.bool_], radius: float) -> tuple[Vector, Vector]:
    """The lowest and highest that a cell may be."""
    low, high = (np.where(covered, np.maximum(wall, 0), 0) for wall in (target - radius, target + radius))
    return low, high


def _fitted(matrix: CellsMatrix, target: Vector, covered: NDArray[np.bool_], radius: float) -> Vector:
    """A density near the least-squares tables between the walls."""
    tables = nearest_tables(Consistency(matrix.tables), target, *_walls(target, covered, radius), radius=radius)
    width = _NEAR * float(np.sqrt(np.mean((tables - target) ** 2)))
    h = np.full(matrix.columns, 1 / matrix.columns)
    for _ in range(_FIRST_SWEEPS):
        if sweep(matrix, h, np.maximum(tables - width, 0), tables + width) <= width:
            break
    return np.asarray(h / h.sum())


def _between(matrix: CellsMatrix, target: Vector, covered: NDArray[np.bool_], first: Vector, radius: float) -> Between:
    """The density brought between the walls, as nearly as possible."""
    low, high = _walls(target, covered, radius)
    h = first.copy()
    for _ in range(_WALL_SWEEPS):
        sweep(matrix, h, low, high)
    h /= h.sum()
    return nearest_between(matrix, h, low, high, radius=radius, near=_OUTSIDE * radius, most_steps=_STEPS)


def _critical(found: Between) -> NDArray[np.int64]:
    """The rows that push hardest against walls that were not met, then those that are farthest outside."""
    order = np.lexsort((-found.outside, -np.abs(found.y)))[:_MOST_CRITICAL]
    return np.sort(order[(found.y[order] != 0) | (found.outside[order] > 0)])
