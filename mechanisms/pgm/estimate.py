"""The estimate from noisy tables; tables can be added, and each fit starts from the last one.

It is the distribution p that minimises sum |N M p - y|^2 / (2 sd^2) + lam KL(p | base), lam = N / 50, over all
distributions on the possible records: it is unique, a function of the tables. The gap says how near a fit is to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError
from mechanisms.pgm.base import base_shares
from mechanisms.pgm.dual import Dual, cell_wise, price, shares_wanted
from mechanisms.pgm.layout import Layout, spread
from mechanisms.pgm.measured import MeasuredTable, pool
from mechanisms.pgm.model import Model
from mechanisms.tilt.quasi_newton import minimise
from release.one_thread import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.plan import Scope

    Floats = NDArray[np.float64]
    Cells = NDArray[np.bool_]

_MEMORY = 30
_SLACK = 1e-16


class Estimator:
    """Measured tables and the potentials found so far. `impossible` marks cells that no record can have."""

    def __init__(
        self, sizes: Sequence[int], total: float, *, impossible: Mapping[tuple[int, ...], Cells] | None = None
    ) -> None:
        if not (total > 0 and isfinite(total)):
            raise ParameterError("total", total, "a finite number above 0", "how many records the model stands for")
        self.sizes, self.total = tuple(sizes), float(total)
        self._impossible = dict(sorted((impossible or {}).items()))
        for columns, cells in self._impossible.items():
            self._check(columns, cells.shape)
        self._tables: dict[Scope, list[MeasuredTable]] = {}
        self._eta: dict[Scope, Floats] = {}
        self._model: Model | None = None

    def add(self, table: MeasuredTable) -> None:
        """One more table; several of the same columns count as one, by precision."""
        self._check(table.columns, table.counts.shape)
        self._tables.setdefault(table.columns, []).append(table)

    def fit(self, *, enough: float = 0.5, most_steps: int = 80, say: Callable[[str], None] | None = None) -> Model:
        """The model once the gap is at most `enough` nats, or this many steps after the last fit."""
        if not self._tables:
            raise ParameterError("tables", 0, "at least one", "an estimate is made from measured tables")
        with one_thread():
            self._model = self._fit(enough, most_steps)
        if say is not None:
            say(f"{len(self._tables)} tables, gap {self._model.gap_est:.3g} nats")
        return self._model

    def _fit(self, enough: float, most_steps: int) -> Model:
        pooled = {columns: pool(tables) for columns, tables in sorted(self._tables.items())}
        bases = [base_shares(pooled.get((u,)), size, self.total) for u, size in enumerate(self.sizes)]
        layout = Layout(self.sizes, self.scopes)
        tables = [pooled.get(scope) for scope in layout.scopes]
        possible = np.concatenate([self._possible(scope).ravel() for scope in layout.scopes])
        fixed = np.where(possible, self._base_potentials(layout, bases), -np.inf)
        dual = Dual(layout, tables, fixed=fixed, possible=possible, total=self.total)
        start = self._start(layout, tables, possible, dual.offset)
        place = dual.place(np.where(possible, start, 0.0))
        place, slope = _least(dual, place, enough, most_steps)
        self._eta = dict(zip(layout.scopes, layout.tables(dual.eta(place)), strict=True))
        return Model(
            sizes=self.sizes,
            total=self.total,
            tables=tuple(t for scope in layout.scopes for t in self._tables.get(scope, ())),
            bases=tuple(bases),
            law=dual.law(place),
            gap_est=dual.gap(slope),
            evaluations=dual.evaluations,
        )

    @property
    def scopes(self) -> list[Scope]:
        """The scopes of all factors of a fit: single columns, tables, and facts about impossible records."""
        alone = [(u,) for u in range(len(self.sizes))]
        return sorted({*alone, *self._tables, *self._impossible}, key=lambda scope: (len(scope), scope))

    def _possible(self, scope: Scope) -> Cells:
        found = np.ones([self.sizes[u] for u in scope], bool)
        for columns, cells in self._impossible.items():
            if set(columns) <= set(scope):
                found &= ~spread(cells, columns, scope)
        if not found.any():
            raise ParameterError("impossible", "all records", "facts that leave some record possible")
        return found

    def _base_potentials(self, layout: Layout, bases: Sequence[Floats]) -> Floats:
        rest = [np.zeros(length) for length in layout.lengths[len(bases) :]]
        return np.concatenate([*(np.log(base) for base in bases), *rest])

    def _start(self, layout: Layout, tables: Sequence[MeasuredTable | None], possible: Cells, offset: Floats) -> Floats:
        """The start of the potentials: their last values; for a single new table, the solution of its own cells."""
        new = [t for t in tables if t is not None and t.columns not in self._eta]
        start = np.zeros(len(possible))
        parts = layout.tables(start)
        for scope, part in zip(layout.scopes, parts, strict=True):
            if scope in self._eta:
                part[...] = self._eta[scope]
        if len(new) == 1 and self._model is not None:
            table = new[0]
            now = self._model.marginal(table.columns)
            wanted = shares_wanted(table, self._possible(table.columns).ravel(), self.total).reshape(now.shape)
            costs = price(table.deviations / self.total, self.total)
            place = layout.scopes.index(table.columns)
            parts[place][...] = cell_wise(now, wanted - costs * layout.tables(offset)[place], costs)
        return start

    def _check(self, columns: Sequence[int], shape: tuple[int, ...]) -> None:
        if not all(0 <= u < len(self.sizes) for u in columns):
            raise ParameterError("columns", tuple(columns), f"numbers from 0 to {len(self.sizes) - 1}")
        if shape != tuple(self.sizes[u] for u in columns):
            raise ParameterError("counts", shape, f"of shape {tuple(self.sizes[u] for u in columns)}")


def _least(dual: Dual, place: Floats, enough: float, most_steps: int) -> tuple[Floats, Floats]:
    """A point with a small enough gap, or this many steps on, and the slope there; uses logarithms if floats fail."""
    for _ in range(2):
        place = minimise(
            dual,
            place,
            steps=most_steps,
            enough=-np.inf,
            memory=_MEMORY,
            slack=_SLACK,
            done=lambda slope: dual.gap(slope) <= enough,
        )
        _, slope = dual(place)
        if not dual.underflowed or dual.gap(slope) <= enough:
            break
        dual.in_logs = True
    return place, slope
