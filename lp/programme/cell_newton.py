"""The density nearest to a given one in relative entropy whose cells lie between walls, by Newton's method.

The density is h0 exp(-A^T y), and few weights y are not 0: those of cells at a wall. Each step looks only at the cells
near or outside a wall. Their covariance matrix makes a small quadratic programme that says which of them should end at
a wall and how much every weight changes; a line search along that change follows. When sweeps creep because two large
cells must move together, this takes a handful of steps. Between walls that no density meets, y grows without end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dposv

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from lp.programme.matrix_cells import CellsMatrix

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_MOST_ROWS = 300
"""Cells that a step looks at, in addition to those that have weight already."""
_RIDGE = 1e-2
"""Of the squared distance between the walls: how soft a wall is for weights that would grow without end."""
_FARTHEST = 4.0
"""No point's weight changes by more than this power of e in one step."""
_NEGLIGIBLE = 1e-13
"""Points of less weight do not enter the covariance."""
_MOST_INNER = 100
_PATIENCE = 6
"""If this many steps bring the worst cell no nearer, the walls are taken to be too close."""


@dataclass(frozen=True, eq=False)
class Between:
    """A density, its cells, the weights that brought it there, and how far each cell is outside (negative: inside)."""

    h: Vector
    cells: Vector
    y: Vector
    outside: Vector


def nearest_between(
    matrix: CellsMatrix, first: Vector, low: Vector, high: Vector, *, radius: float, near: float, most_steps: int
) -> Between:
    """Stops when no cell is farther outside than `near`, or after this many steps."""
    search = _Search(matrix, first, low, high, _RIDGE * radius * radius)
    y = np.zeros(matrix.rows)
    value, h = search.at(y)
    cells = matrix.apply(h)
    distance = np.maximum(cells - high, low - cells)
    farthest: list[float] = []
    for _ in range(most_steps):
        farthest.append(float(distance.max()))
        if farthest[-1] <= near or len(farthest) - farthest.index(min(farthest)) > _PATIENCE:
            break
        rows = _rows(distance, y, radius)
        entries = matrix.indicator_rows(rows)
        move = _moved(_covariance(entries, h, cells[rows]), cells[rows], low[rows], high[rows], y[rows], search.ridge)
        move -= y[rows]
        if not move.any():
            break
        length = min(1.0, _FARTHEST / max(float(np.abs(entries.T @ move).max()), 1e-300))
        while True:
            wanted = y.copy()
            wanted[rows] += length * move
            there, found = search.at(wanted)
            if there <= value + 1e-14 * (1 + abs(value)) or length < 1e-4:
                break
            length *= 0.5
        y, value, h = wanted, there, found
        cells = matrix.apply(h)
        distance = np.maximum(cells - high, low - cells)
    return Between(h, cells, y, distance)


class _Search:
    """log sum h0 exp(-A^T y) + the largest y.q between the walls + ridge |y|^2 / 2, to be minimised."""

    def __init__(self, matrix: CellsMatrix, first: Vector, low: Vector, high: Vector, ridge: float) -> None:
        self._matrix, self._low, self._high, self.ridge = matrix, low, high, ridge
        self._log = np.log(np.maximum(first, 1e-300))

    def at(self, y: Vector) -> tuple[float, Vector]:
        h = self._matrix.price(y)
        np.subtract(self._log, h, out=h)
        largest = float(h.max())
        h -= largest
        np.exp(h, out=h)
        total = float(h.sum())
        h /= total
        walls = float(np.maximum(self._high * y, self._low * y).sum())
        return largest + float(np.log(total)) + walls + 0.5 * self.ridge * float(y @ y), h


def _rows(distance: Vector, y: Vector, radius: float) -> Numbers:
    """The cells that carry weight, are outside, or are the nearest to a wall."""
    close = np.flatnonzero((distance > -0.6 * radius) & (y == 0))
    if close.size > _MOST_ROWS:
        close = close[np.argpartition(-distance[close], _MOST_ROWS)[:_MOST_ROWS]]
    return np.union1d(np.flatnonzero(y), close)


def _covariance(entries: csr_array, h: Vector, mean: Vector) -> Vector:
    heavy = np.flatnonzero(h > _NEGLIGIBLE)
    part = entries if heavy.size > 0.7 * h.size else entries[:, heavy]
    weights = h if part is entries else h[heavy]
    scaled = part.copy()
    scaled.data = weights[part.indices]
    found = np.asarray((scaled @ part.T).toarray())
    found -= np.multiply.outer(mean, mean)
    return found


def _moved(covariance: Vector, cells: Vector, low: Vector, high: Vector, y: Vector, ridge: float) -> Vector:
    """The z with the least (z - y) C (z - y) / 2 - cells.(z - y) + walls(z) + ridge |z|^2 / 2: Newton on orthants."""
    system = covariance.copy()
    diagonal = system.ravel()[:: len(system) + 1]
    diagonal += ridge + 1e-8 * float(diagonal.max())
    start = ridge * y - cells  # the gradient of the smooth part at z = y

    def value(z: Vector) -> float:
        move = z - y
        return float(0.5 * move @ (system @ move) + start @ move + np.maximum(high * z, low * z).sum())

    z, best = y.copy(), value(y)
    for _ in range(_MOST_INNER):
        smooth = system @ (z - y) + start
        sign = np.where(z != 0, np.sign(z), np.where(smooth + high < 0, 1.0, np.where(smooth + low > 0, -1.0, 0.0)))
        free = np.flatnonzero(sign)
        if not free.size:
            break
        gradient = smooth[free] + np.where(sign[free] > 0, high[free], low[free])
        if float(np.abs(gradient).max()) <= 1e-6 * float(np.abs(high - low).min()) + 1e-300:
            break
        _, step, failed = dposv(system[np.ix_(free, free)], -gradient, lower=1)
        if failed:
            break
        step[(z[free] == 0) & (step * sign[free] < 0)] = 0
        length, improved = 1.0, False
        while length > 1e-7:
            there = z.copy()
            there[free] += length * step
            there[free[there[free] * sign[free] < 0]] = 0
            reached = value(there)
            if reached < best:
                z, best, improved = there, reached, True
                break
            length *= 0.5
        if not improved:
            break
    return z
