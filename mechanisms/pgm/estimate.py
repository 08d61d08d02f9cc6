"""The estimate from noisy tables: it grows by tables and is fitted again from where it was.

It is the law p that minimises sum |N M p - y|^2 / (2 sd^2) + lam KL(p | base), lam = N / 50, over all laws on the
possible records: one law, a function of the tables. A fit comes as near to it as its gap says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from bounds.errors import ParameterError
from mechanisms.pgm.base import base_shares
from mechanisms.pgm.dual import Dual, cell_wise, shares_wanted
from mechanisms.pgm.layout import Layout
from mechanisms.pgm.measured import MeasuredTable, pool
from mechanisms.pgm.model import Model
from mechanisms.tilt.quasi_newton import minimise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.plan import Scope

    Floats = NDArray[np.float64]
    Cells = NDArray[np.bool_]

_MEMORY = 30
_SLACK = 1e-13


class Estimator:
    """Measured tables and the potentials found so far. `impossible` marks cells that no record can have."""

    def __init__(
        self, sizes: Sequence[int], total: float, *, impossible: Mapping[tuple[int, ...], Cells] | None = None
    ) -> None:
        if not (total > 0 and isfinite(total)):
            raise ParameterError("total", total, "a finite number above 0", "the model is one of so many records")
        self.sizes, self.total = tuple(sizes), float(total)
        self._impossible = dict(sorted((impossible or {}).items()))
        for columns, cells in self._impossible.items():
            self._check(columns, cells.shape)
        self._tables: dict[Scope, list[MeasuredTable]] = {}
        self._theta: dict[Scope, Floats] = {}
        self._model: Model | None = None

    def add(self, table: MeasuredTable) -> None:
        """One more table; several of the same columns count as one, by precision."""
        self._check(table.columns, table.counts.shape)
        self._tables.setdefault(table.columns, []).append(table)

    def fit(self, *, enough: float = 0.5, most_steps: int = 80, say: Callable[[str], None] | None = None) -> Model:
        """The model where the gap is at most `enough` nats, or so many steps on from where the last fit was."""
        if not self._tables:
            raise ParameterError("tables", 0, "at least one", "an estimate is made from measured tables")
        with threadpool_limits(limits=1, user_api="blas"):
            self._model = self._fit(enough, most_steps)
        if say is not None:
            say(f"{len(self._tables)} tables, gap {self._model.gap_est:.3g} nats")
        return self._model

    def _fit(self, enough: float, most_steps: int) -> Model:
        pooled = {columns: pool(tables) for columns, tables in self._tables.items()}
        alone = [(u,) for u in range(len(self.sizes))]
        scopes = sorted({*alone, *pooled, *self._impossible}, key=lambda scope: (len(scope), scope))
        layout = Layout(self.sizes, scopes)
        bases = {(u,): base_shares(pooled.get((u,)), size, self.total) for u, size in enumerate(self.sizes)}
        possible = [~self._impossible[scope] if scope in self._impossible else None for scope in scopes]
        fixed = [self._fixed(scope, bases.get(scope), cells) for scope, cells in zip(scopes, possible, strict=True)]
        tables = [pooled.get(scope) for scope in scopes]
        dual = Dual(layout, tables, fixed, possible, self.total)
        theta = self._starts(scopes, tables, possible)
        place = dual.start(theta)
        place = minimise(
            dual,
            place,
            steps=most_steps,
            memory=_MEMORY,
            slack=_SLACK,
            done=lambda slope: dual.gap(slope) <= enough,
        )
        _, slope = dual(place)
        self._theta = {scopes[i]: part for i, part in zip(dual.measured, dual.theta(place), strict=True)}
        return Model(
            sizes=self.sizes,
            total=self.total,
            tables=tuple(pooled[scope] for scope in scopes if scope in pooled),
            bases=tuple(bases[scope] for scope in alone),
            law=dual.law(place),
            gap_est=dual.gap(slope),
            evaluations=dual.evaluations,
        )

    def _fixed(self, scope: Scope, base: Floats | None, possible: Cells | None) -> Floats:
        logs = np.zeros([self.sizes[u] for u in scope]) if base is None else np.log(base)
        return logs if possible is None else np.where(possible, logs, -np.inf)

    def _starts(
        self, scopes: Sequence[Scope], tables: Sequence[MeasuredTable | None], possible: Sequence[Cells | None]
    ) -> list[Floats]:
        """Where potentials start: where they were; one that is new alone, at the solution of its own cells."""
        new = [scope for scope, table in zip(scopes, tables, strict=True) if table and scope not in self._theta]
        found = []
        for scope, table, cells in zip(scopes, tables, possible, strict=True):
            start = np.zeros([self.sizes[u] for u in scope])
            if scope in self._theta:
                start = self._theta[scope]
            elif table is not None and new == [scope] and self._model is not None:
                price = (table.sd / self.total) ** 2 * (self.total / 50)
                start = cell_wise(self._model.marginal(scope), shares_wanted(table, cells, self.total), price)
            found.append(start if cells is None else np.where(cells, start, 0.0))
        return found

    def _check(self, columns: Sequence[int], shape: tuple[int, ...]) -> None:
        if not all(0 <= u < len(self.sizes) for u in columns):
            raise ParameterError("columns", tuple(columns), f"numbers from 0 to {len(self.sizes) - 1}")
        if shape != tuple(self.sizes[u] for u in columns):
            raise ParameterError("counts", shape, f"of shape {tuple(self.sizes[u] for u in columns)}")
