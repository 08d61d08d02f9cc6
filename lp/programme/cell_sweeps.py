"""Iterative proportional fitting between walls: one table after the other, points rescaled to bring its cells inside.

A step takes the table's cells p, moves those outside their interval to its nearer end, scales the others by one factor
so that all sum to 1, and multiplies every point's weight by what its cell was multiplied with. That is the projection
of the density onto the table's interval in relative entropy, so cells inside stay in proportion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrix_cells import CellsMatrix

    Vector = NDArray[np.float64]

_LEAST = 1e-15
"""No covered cell may become emptier than this: every point keeps some weight."""
_MOST_STEPS, _MOST_SCALE = 200, 1e100


def sweep(matrix: CellsMatrix, h: Vector, low: Vector, high: Vector) -> float:
    """Pass all tables once, change the weights h in place, and return how far outside the worst cell was."""
    worst, factors = 0.0, np.empty(h.size)
    for number, table in enumerate(matrix.tables):
        places = matrix.places(number)
        cells = np.asarray(np.bincount(places, h, table.cells), dtype=np.float64)
        total = float(cells.sum())
        cells /= total
        below, above = low[table.span], high[table.span]
        outside = max(float((cells - above).max()), float((below - cells).max()))
        if outside <= 0:
            continue
        worst = max(worst, outside)
        wanted = fitted(cells, below, np.maximum(above, _LEAST))
        ratio = np.divide(wanted, cells, out=np.ones_like(cells), where=cells > 0)
        h *= np.take(ratio / total, places, out=factors, mode="clip")
    return worst


def fitted(cells: Vector, low: Vector, high: Vector) -> Vector:
    """clip(s cells, low, high) on the cells that are not 0, with s such that they sum to 1; near it if there is none.

    >>> fitted(np.array([0.5, 0.3, 0.2]), np.zeros(3), np.array([0.4, 1.0, 1.0])).round(3).tolist()
    [0.4, 0.36, 0.24]
    """
    used = cells > 0
    low, high = np.where(used, low, 0.0), np.where(used, high, 0.0)
    scale, below, above = 1.0, 0.0, np.inf
    found: Vector = np.clip(cells, low, high)
    for _ in range(_MOST_STEPS):
        total = float(found.sum())
        if abs(total - 1) <= 1e-14:
            break
        below, above = (scale, above) if total < 1 else (below, scale)
        free = float(cells[(found > low) & (found < high)].sum())
        if free > 0:
            scale += (1 - total) / free
        if free == 0 or not below < scale < above:
            scale = 2 * below if above == np.inf else 0.5 * (below + above)
            if scale > _MOST_SCALE or scale in (below, above):
                break
        found = np.clip(scale * cells, low, high)
    return np.asarray(found / found.sum())
