"""Rows from a density without a matrix of queries by queries: drawn systematically, then some are exchanged.

Rows are drawn once; the errors of their answers show which rows are one too many and which points lack one, and a few
hundred rows at a time are exchanged while that brings the answers nearer to the density's: first in squares, then in
fourth powers, last, if rows are farther from the target than the density, in the excess over that. Every step needs
only products with the matrix, so any number of queries will do. That rows come near is not proved here: the caller
measures it exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.balanced import systematic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

    Vector = NDArray[np.float64]

_SQUARE_STEPS, _FOURTH_STEPS, _EXCESS_STEPS = 20, 30, 60
_MOST_FAILURES = 8
"""Exchanges are drawn: if single ones fail this often in a row, the search ends."""
_FIRST_SHARE = 20
"""At first one row in this many is exchanged."""
_GROWTH = 1.3


def exchanged_rows(
    matrix: QueryMatrix, density: Vector, target: Vector, *, k: int, generator: np.random.Generator
) -> Vector:
    """How many of k rows each column gets; `target` holds answers."""
    scale = 1 / matrix.family.denominator
    share = density / density.sum()
    wanted = matrix.apply(share) * scale
    farthest = float(np.abs(wanted - target).max())
    search = _Search(matrix, share, systematic(share, k, generator), k=k, generator=generator)
    if farthest == 0 or matrix.columns == 1:
        return search.counts
    search.improve(lambda answers: _power(answers - wanted, 2, farthest), _SQUARE_STEPS)
    search.improve(lambda answers: _power(answers - wanted, 4, farthest), _FOURTH_STEPS)
    search.improve(lambda answers: _excess(answers - target, farthest), _EXCESS_STEPS)
    return search.counts


Objective = Callable[["Vector"], "tuple[float, Vector]"]
"""The objective to be minimised, and its gradient, from the answers of rows."""


def _power(off: Vector, power: int, unit: float) -> tuple[float, Vector]:
    gradient = (off / unit) ** (power - 1)
    return float(gradient @ off), gradient


def _excess(off: Vector, most: float) -> tuple[float, Vector]:
    """Squares of the excess over the largest allowed distance."""
    over = np.sign(off) * np.maximum(np.abs(off) - most, 0.0)
    return float(over @ over), over


def _need(weights: Vector, need: Vector) -> Vector:
    """Where rows are needed, by weight; if nowhere, wherever they do no harm."""
    found = weights * np.maximum(need, 0.0)
    return found if found.any() else np.where(need >= 0, weights, 0.0)


class _Search:
    """Rows on columns, exchanged in batches while an objective of their answers falls."""

    def __init__(
        self, matrix: QueryMatrix, share: Vector, counts: Vector, *, k: int, generator: np.random.Generator
    ) -> None:
        self._matrix, self._share, self._generator = matrix, share, generator
        self._unit = 1 / (k * matrix.family.denominator)
        self.counts = counts
        self._answers = matrix.apply(counts) * self._unit
        self._first = max(1, k // _FIRST_SHARE)

    def improve(self, objective: Objective, most: int) -> None:
        """Exchange rows until the objective is 0, or no exchange makes it less, at most this often."""
        batch, failures = self._first, 0
        value, gradient = objective(self._answers)
        for _ in range(most):
            if not value > 0:
                return
            price = self._matrix.price(gradient)
            middle = float(np.median(price[self.counts > 0]))
            lacking = _need(self._share, middle - price)
            surplus = _need(self.counts, price - middle)
            while failures < _MOST_FAILURES:
                change = self._exchange(lacking, surplus, batch)
                moved = np.flatnonzero(change)
                answers = self._answers + self._matrix.apply_at(moved, change[moved]) * self._unit
                there, slope = objective(answers)
                if there < value:
                    break
                failures += batch == 1
                batch = max(1, batch // 2)
            else:
                return
            self.counts, self._answers = self.counts + change, answers
            value, gradient, failures = there, slope, 0
            batch = int(_GROWTH * batch) + 1

    def _exchange(self, lacking: Vector, surplus: Vector, batch: int) -> Vector:
        """Rows taken away where they are one too many, and as many added elsewhere, in proportion to the need."""
        taken = np.minimum(systematic(surplus / surplus.sum(), batch, self._generator), self.counts)
        added = systematic(lacking / lacking.sum(), int(taken.sum()), self._generator)
        return added - taken
