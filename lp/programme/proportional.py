"""The density programme for cells by proportional fitting: near the optimum in seconds where exact methods take hours.

First a lower bound without points (lp.programme.table_bound), then the least-squares tables within walls a little wider
than the bound (lp.programme.table_projection), then a density whose cells come near to them, then sweeps that bring
every cell between the walls (lp.programme.cell_sweeps). The density has weight on every point and is the one to make
rows from: it is near the target in squares, too. How near to the optimum it is, the certificate says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lp.programme.cell_sweeps import sweep
from lp.programme.cell_tables import Consistency
from lp.programme.matrix_cells import cells_matrix
from lp.programme.solve import Candidate
from lp.programme.table_bound import table_bound
from lp.programme.table_projection import nearest_tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

    Vector = NDArray[np.float64]

GAP = 0.01
"""The density is good enough where it is within this share of the bound."""
_FIRST_SWEEPS, _MOST_SWEEPS = 20, 200
_LOOK = 5
_NEAR = 0.25
"""Cells come this near to the least-squares tables, in units of their root mean square distance from the target."""


def proportional(matrix: QueryMatrix, target: Vector, *, say: Callable[[str], None] | None = None) -> Candidate:
    """A density on all points within a few percent of the optimum, as a rule within one, and a lower bound."""
    cells = cells_matrix(matrix)
    bound = table_bound(cells, target)
    radius = (1 + GAP / 2) * bound.value_est
    covered = cells.apply(np.ones(cells.columns)) > 0
    low, high = (
        np.where(covered, np.maximum(target - radius, 0), 0),
        np.where(covered, np.maximum(target + radius, 0), 0),
    )
    tables = nearest_tables(Consistency(cells.tables), target, low, high, radius=radius)
    width = _NEAR * float(np.sqrt(np.mean((tables - target) ** 2)))
    h = np.full(cells.columns, 1 / cells.columns)
    for _ in range(_FIRST_SWEEPS):
        if sweep(cells, h, np.maximum(tables - width, 0), tables + width) <= width:
            break
    best, value, sweeps = h / h.sum(), np.inf, 0
    while sweeps < _MOST_SWEEPS:
        for _ in range(_LOOK):
            sweep(cells, h, low, high)
        sweeps += _LOOK
        h /= h.sum()
        now = float(np.abs(cells.apply(h) - target).max())
        if say is not None:
            say(f"sweep {sweeps}: optimum within {bound.value_est:.3e} .. {now:.3e}")
        if now < value:
            best, value = h.copy(), now
        if value <= (1 + GAP) * bound.value_est:
            break
    return Candidate(
        np.arange(cells.columns),
        best,
        bound.dual,
        value,
        bound.value_est,
        "proportional fitting",
        1,
        sweeps,
        is_density=True,
    )
