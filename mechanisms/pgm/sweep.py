"""A sweep over a product of non-negative factors, in scaled linear space: log Z, marginals of all factors, conditionals.

Messages are scaled by powers of two, so that scaling rounds nothing. Nothing is subtracted: every number has a relative
error of a few roundings, unless it underflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, log
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.plan import Group, Plan, Step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LEAST_TOP = 1e-250
_SMALL_PRODUCT, _MANY = 48, 64
"""Many products of matrices as small as this cost less element by element than by a call of the library each."""


class Underflow(ArithmeticError):
    """Numbers became too small for linear space."""


class Sweep:
    """The forward sweep; what the reverse one and the drawing of rows need is kept."""

    def __init__(self, plan: Plan, values: Sequence[Floats]) -> None:
        self.plan = plan
        self._values = list(values)
        self._tables: list[tuple[Floats, Floats | None]] = []
        self._scales: list[float] = []
        shift = 0
        for step in plan.steps:
            left = self._table(step.left)
            right = self._table(step.right) if step.right else None
            made = left.sum(axis=2)[:, :, None] if right is None else products(left, right.transpose(0, 2, 1))
            top = float(made.max())
            if not top > _LEAST_TOP:
                raise Underflow
            exponent = frexp(top)[1]
            scale = 2.0**-exponent
            made *= scale
            shift += exponent
            self._values.append(made.reshape(step.full))
            self._tables.append((left, right))
            self._scales.append(scale)
        self.log_z = shift * log(2)
        if not plan.keep:
            self.log_z += sum(log(float(self._values[i])) for i in plan.rest)

    def joint(self) -> Floats:
        """Shares of the columns that were kept."""
        table = np.array(np.broadcast_to(self._product(self.plan.kept), self.plan.kept.full))
        total = float(table.sum())
        if not total > _LEAST_TOP:
            raise Underflow
        table /= total
        return table

    def marginals(self) -> list[Floats]:
        """Shares of every factor's columns, by the reverse sweep."""
        plan = self.plan
        found: list[Floats] = [np.empty(0)] * len(plan.scopes)
        slopes = {i: 1 / self._values[i] for i in plan.rest}
        steps = zip(plan.steps, self._tables, self._scales, strict=True)
        for step, (left, right), scale in reversed(list(steps)):
            slope = slopes.pop(step.made).reshape(step.folded) * scale
            if right is None or step.right is None:
                self._spread(step.left, np.broadcast_to(slope, left.shape), left, slopes, found)
            else:
                self._spread(step.left, products(slope, right), left, slopes, found)
                self._spread(step.right, products(slope.transpose(0, 2, 1), left), right, slopes, found)
        return found

    def conditional(self, number: int, cells: NDArray[np.intp]) -> Floats:
        """Shares of the column of a step, one line for each cell of its message (numbers in C order)."""
        step, (left, right) = self.plan.steps[number], self._tables[number]
        batch, row, column = np.unravel_index(cells, step.folded)
        lines = left[batch, row] if right is None else left[batch, row] * right[batch, column]
        totals = lines.sum(axis=1, keepdims=True)
        if not (totals > 0).all():
            raise Underflow
        return np.asarray(lines / totals)

    def _spread(
        self, group: Group, slope: Floats, table: Floats, slopes: dict[int, Floats], found: list[Floats]
    ) -> None:
        """Of the slope in a group's table, what belongs to each of its factors."""
        given = len(self.plan.scopes)
        if len(group.parts) == 1 and group.parts[0].number >= given:
            part = group.parts[0]
            slopes[part.number] = slope.reshape(group.full).transpose(part.back)
            return
        belief = (slope * table).reshape(group.full)
        for part in group.parts:
            marginal = belief.sum(axis=part.summed) if part.summed else belief
            marginal = marginal.transpose(part.back)
            if part.number < given:
                found[part.number] = marginal / marginal.sum()
            else:
                value = self._values[part.number]
                slopes[part.number] = np.divide(marginal, value, out=np.zeros(value.shape), where=value > 0)

    def _product(self, group: Group) -> Floats:
        parts = [self._values[part.number].transpose(part.axes).reshape(part.shape) for part in group.parts]
        found = parts[0] if parts else np.ones([1] * len(group.full))
        for part in parts[1:]:
            found = found * part
        return found

    def _table(self, group: Group) -> Floats:
        found = np.broadcast_to(self._product(group), group.full)
        return np.ascontiguousarray(found).reshape(group.folded)


def products(first: Floats, second: Floats) -> Floats:
    """Products of matrices, pair by pair."""
    batch, rows, inner = first.shape
    if batch == 1:
        return np.asarray((first[0] @ second[0])[None])
    if rows * inner * second.shape[2] < _SMALL_PRODUCT and batch > _MANY:
        return np.asarray(np.einsum("cnk,ckm->cnm", first, second))
    return np.matmul(first, second)


def conditional_steps(plan: Plan) -> list[tuple[int, Step]]:
    """Steps in the order in which rows are drawn: what a column depends on is there before it."""
    return list(enumerate(plan.steps))[::-1]
