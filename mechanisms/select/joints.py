"""The model's shares on many sets of columns, with common parts of the computations done once.

Summing a column out of the same factors gives the same table, whatever set is asked for. These tables are kept, and
most sets of columns differ in only a few steps.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from mechanisms.pgm.algebra import Linear, Underflow
from mechanisms.pgm.plan import Plan
from mechanisms.pgm.sweep import Sweep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mechanisms.pgm.model import Model
    from mechanisms.select.workload import Columns

    Floats = NDArray[np.float64]


class Joints:
    """Shares of one model; factors are numbered, those of the model first, then those computed from them."""

    def __init__(self, model: Model) -> None:
        self._model, self._sizes = model, model.sizes
        self._scopes = [frozenset(home) for home in model.law.layout.homes]
        self._given = range(len(self._scopes))
        self._values: list[Floats] = []
        self._made: dict[tuple[int, ...], int] = {}

    def of(self, columns: Columns) -> Floats:
        """Shares of the cells of some columns; falls back on the model's own method if numbers become too small."""
        try:
            if not self._values:
                law = self._model.law
                self._values = list(law.layout.products(law.layout.factors(law.potentials)))
            return self._joint(columns)
        except Underflow:
            return self._model.marginal(columns)

    def _joint(self, columns: Columns) -> Floats:
        kept = frozenset(columns)
        left = set(self._given)
        near = {j: self._around(j, left) for j in range(len(self._sizes)) if j not in kept}
        cost = {j: self._cells(around) for j, around in near.items()}
        while cost:
            column = min(cost, key=lambda j: (cost[j], j))
            del cost[column]
            used = tuple(sorted(number for number in left if column in self._scopes[number]))
            left.difference_update(used)
            left.add(self._summed_out(column, used))
            for j in near.pop(column):
                if j in cost:
                    near[j] = self._around(j, left)
                    cost[j] = self._cells(near[j])
        return self._product(sorted(left), columns)

    def _around(self, column: int, left: set[int]) -> frozenset[int]:
        return frozenset().union(*(self._scopes[number] for number in left if column in self._scopes[number]))

    def _cells(self, columns: frozenset[int]) -> int:
        return prod(self._sizes[j] for j in columns)

    def _summed_out(self, column: int, used: tuple[int, ...]) -> int:
        key = (column, *used)
        if key not in self._made:
            rest = frozenset().union(*(self._scopes[number] for number in used)) - {column}
            self._values.append(self._product(used, tuple(sorted(rest))))
            self._made[key] = len(self._scopes)
            self._scopes.append(rest)
        return self._made[key]

    def _product(self, numbers: tuple[int, ...] | list[int], columns: Columns) -> Floats:
        """Product of these factors on these columns, up to a constant, with the others summed out."""
        scopes = [tuple(sorted(self._scopes[number])) for number in numbers]
        plan = Plan(self._sizes, scopes, keep=columns)
        return Sweep(plan, [self._values[number] for number in numbers], Linear()).joint()
