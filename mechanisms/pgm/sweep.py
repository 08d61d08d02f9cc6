"""A sweep over a product of factors: log Z, the marginals of all factors, and conditional shares for drawing rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.algebra import Algebra
from mechanisms.pgm.plan import Group, Plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Sweep:
    """The forward sweep, with everything that the reverse sweep and the drawing of rows need."""

    def __init__(self, plan: Plan, values: Sequence[Floats], algebra: Algebra) -> None:
        self.plan, self.algebra = plan, algebra
        self._values = list(values)
        self._tables: list[tuple[Floats, Floats | None]] = []
        self._scales: list[float] = []
        self.log_z = 0.0
        for step in plan.steps:
            left = self._table(step.left)
            right = self._table(step.right) if step.right else None
            made = algebra.total(left, (2,)) if right is None else algebra.products(left, right.transpose(0, 2, 1))
            message, scale, lost = algebra.settled(made)
            self.log_z += lost
            self._values.append(message.reshape(step.full))
            self._tables.append((left, right))
            self._scales.append(scale)
        if not plan.keep:
            self.log_z += sum(algebra.log(self._values[i]) for i in plan.rest)

    def joint(self) -> Floats:
        """Shares of the columns that were kept."""
        kept = self.plan.kept
        table = np.broadcast_to(self._product(kept), kept.full)
        return self.algebra.shares(table.reshape(-1)).reshape(kept.full)

    @np.errstate(over="ignore", invalid="ignore")  # shares refuse what is not finite
    def marginals(self) -> list[Floats]:
        """Shares of every factor's columns, by the reverse sweep."""
        plan, algebra = self.plan, self.algebra
        found: list[Floats] = [np.empty(0)] * len(plan.scopes)
        slopes = {i: algebra.over(np.asarray(algebra.one), self._values[i]) for i in plan.rest}
        steps = zip(plan.steps, self._tables, self._scales, strict=True)
        for step, (left, right), scale in reversed(list(steps)):
            slope = algebra.times(slopes.pop(step.made).reshape(step.folded), scale)
            if right is None or step.right is None:
                self._spread(step.left, np.broadcast_to(slope, left.shape), left, slopes, found)
            else:
                self._spread(step.left, algebra.products(slope, right), left, slopes, found)
                self._spread(step.right, algebra.products(slope.transpose(0, 2, 1), left), right, slopes, found)
        return found

    def conditional(self, number: int, cells: NDArray[np.intp]) -> Floats:
        """Shares of the column of a step, one line for each cell of its message (numbers in C order)."""
        step, (left, right) = self.plan.steps[number], self._tables[number]
        batch, row, column = np.unravel_index(cells, step.folded)
        lines = left[batch, row]
        return self.algebra.shares(lines if right is None else self.algebra.times(lines, right[batch, column]))

    def _spread(
        self, group: Group, slope: Floats, table: Floats, slopes: dict[int, Floats], found: list[Floats]
    ) -> None:
        """Distributes the slope in a group's table to each of its factors."""
        given, algebra = len(self.plan.scopes), self.algebra
        if len(group.parts) == 1 and group.parts[0].number >= given:
            part = group.parts[0]
            slopes[part.number] = slope.reshape(group.full).transpose(part.back)
            return
        belief = algebra.times(slope, table).reshape(group.full)
        for part in group.parts:
            marginal = algebra.total(belief, part.summed) if part.summed else belief
            marginal = marginal.transpose(part.back)
            if part.number < given:
                found[part.number] = algebra.shares(marginal.reshape(-1)).reshape(marginal.shape)
            else:
                slopes[part.number] = algebra.over(marginal, self._values[part.number])

    def _product(self, group: Group) -> Floats:
        parts = [self._values[part.number].transpose(part.axes).reshape(part.shape) for part in group.parts]
        found = parts[0] if parts else np.full([1] * len(group.full), self.algebra.one)
        for part in parts[1:]:
            found = self.algebra.times(found, part)
        return found

    def _table(self, group: Group) -> Floats:
        found = self._product(group)
        if found.shape != group.full:
            found = np.broadcast_to(found, group.full)
        return np.ascontiguousarray(found).reshape(group.folded)
