"""Which candidates enter a choice of AIM: a rule that uses only published numbers, so it costs nothing.

Two kinds of sets are left out: those that would make the junction tree too large, unless one of its cliques already
contains them, and those whose mean noise, summed over their cells, is at least twice the published total, since no
table of that total is so far from the model. If the rest has more cells than fit into memory, the largest sets are left
out, too. One-way tables always stay, so that there is something to choose from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.order import elimination
from mechanisms.select.growth import Growth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.select.workload import Columns, Workload

_MOST_HELD = 2**24
"""Most cells of all sets that enter: their exact counts are in memory."""


class Entering:
    """The rule for one workload and one published total; sizes of trees are kept until the model changes shape."""

    def __init__(self, workload: Workload, total: float) -> None:
        self._workload, self._total = workload, total
        self._cells = np.array(workload.cells, dtype=float)
        self._is_one_way = np.array([len(columns) == 1 for columns in workload.candidates])
        self._growth = Growth(workload.sizes, workload.candidates)
        self._scopes: tuple[Columns, ...] | None = None

    def among(self, scopes: Sequence[Columns], *, noise: float, most_cells: int) -> list[int]:
        """Places of the candidates that enter; `noise` is the mean size of a count's noise, in records."""
        if tuple(scopes) != self._scopes:
            self._scopes, self._tree = tuple(scopes), self._inside(scopes)
        is_heard = self._is_one_way | (noise * self._cells < 2 * self._total)
        unknown = np.flatnonzero(is_heard & np.isnan(self._tree))
        self._tree[unknown] = self._growth.cells(scopes, unknown)
        with np.errstate(invalid="ignore"):  # nan: drowned in noise, so not computed
            entering = np.flatnonzero(is_heard & (self._tree <= most_cells))
        smallest_first = entering[np.argsort(self._cells[entering], kind="stable")]
        is_held = np.cumsum(self._cells[smallest_first]) <= _MOST_HELD
        found = smallest_first[is_held | self._is_one_way[smallest_first]]
        return [int(place) for place in np.sort(found)]

    def _inside(self, scopes: Sequence[Columns]) -> NDArray[np.float64]:
        """Cells of the model with each candidate: nan if not yet known, 0 if it lies in a clique."""
        cliques = [set(clique) for clique in elimination(self._workload.sizes, scopes).cliques]
        return np.array(
            [
                0.0 if any(clique.issuperset(columns) for clique in cliques) else np.nan
                for columns in self._workload.candidates
            ]
        )
