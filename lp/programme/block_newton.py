"""Fit a density to the answers of Boolean queries, one group of blocks of bits at a time.

The objective over densities h is the divergence of h from equal weights plus, for every residual r, r^2 / (2 ridge)
with walls at +-wall: least squares within the walls, with just enough entropy to say which density. The search is over
dual weights y, with h in proportion to exp(-A^T y). A visit to a group is one Newton step in the weights of its
queries: the histogram of the group is all it needs, since the product of two of its queries is a query of the group,
too. lp.programme.sign_blocks decides which groups to visit and where the walls should be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from lp.programme.matrix_bits import BitGroups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrix_bits import BitsMatrix, Group

    Vector = NDArray[np.float64]
    Place = tuple[Vector, Vector, float]

_WIDTHS = {1: 8, 2: 7, 3: 4}
"""Bits of a block by degree: so that a group has one to three hundred queries."""
_MOST_MOVE = 3.0
"""No dual weight, and the logarithm of no weight, moves further in a step; else all weight ends on one point."""
_TINY_RIDGE = 1e-10
_LEAST_DECREMENT = 1e-13
_FIRST_STRETCH, _MOST_STRETCH = 0.5, 30.0
"""A further move is first tried with half of the last one, never so far that logarithms of weights move by more."""
_TINY_WEIGHT = 1e-300
_HALVINGS, _SHRINK, _ENOUGH = 12, 0.4, 0.1


class BlockFit:
    """A density on all points, and the dual weights that it belongs to."""

    def __init__(self, matrix: BitsMatrix, target: Vector) -> None:
        self._matrix, self._target = matrix, target
        self._bits = BitGroups(matrix.family, _WIDTHS[matrix.family.most_factors])
        self._codes = self._bits.codes(matrix.points_at(np.arange(matrix.columns)))
        self.groups = self._bits.groups
        self._products: dict[bytes, NDArray[np.int64]] = {}
        self._everywhere = np.concatenate([group.queries for group in self.groups])
        self._starts = np.cumsum([0, *(group.queries.size for group in self.groups)])[:-1]
        self.y, self.h = np.zeros(matrix.rows), np.full(matrix.columns, 1 / matrix.columns)
        self.ridge, self.wall = 1.0, float("inf")
        self.visits = 0
        self._log_sum = 0.0  # the logarithm of the mean of exp(-A^T y)

    def residuals(self) -> Vector:
        """A h - target."""
        self.h /= self.h.sum()
        return self._matrix.apply(self.h) - self._target

    def lower_est(self, y: Vector) -> float:
        """What dual weights prove, in float64."""
        total = float(np.abs(y).sum())
        return (float(self._matrix.price(y).min()) - float(self._target @ y)) / total if total > 0 else 0.0

    def groups_of(self, excess: Vector, most: int) -> list[Group]:
        """Groups that together have all queries with an excess, if this many are enough; the largest first."""
        left = excess * excess
        found: list[Group] = []
        while len(found) < most and left.any():
            group = self.groups[int(np.argmax(np.add.reduceat(left[self._everywhere], self._starts)))]
            left[group.queries] = 0
            found.append(group)
        return found

    def visit(self, group: Group) -> None:
        """One Newton step for the dual weights of the queries of a group."""
        self.visits += 1
        bits, target, y = self._bits, self._target[group.queries], self.y[group.queries]
        key = bits.keys(self._codes, group)
        table = bits.histogram(key, self.h)
        table /= table.sum()
        moments = bits.moments(table)
        answers = moments[group.masks]
        value, residuals, slopes = self._conjugate(y)
        gradient = target - answers + residuals
        hessian = moments.take(self._product(group))
        hessian -= np.multiply.outer(answers, answers)
        hessian.flat[:: len(y) + 1] += slopes + _TINY_RIDGE
        try:
            step = -cho_solve(cho_factor(hessian, overwrite_a=True, check_finite=False), gradient, check_finite=False)
        except LinAlgError:
            return
        decrement = -float(step @ gradient)
        if not decrement > _LEAST_DECREMENT:
            return
        coefficients = np.zeros(bits.cells)
        coefficients[group.masks] = step
        change = bits.values(coefficients)
        there = np.flatnonzero(table)
        weights, moved = table[there], change[there]
        low = float(moved.min())
        length = min(1.0, _MOST_MOVE / max(float(moved.max()) - low, float(np.abs(step).max())))
        value += float(target @ y)
        for _ in range(_HALVINGS):
            total = float(weights @ np.exp(-length * (moved - low)))
            new = y + length * step
            reached = float(np.log(total)) - length * low + float(target @ new) + self._conjugate(new)[0]
            if reached <= value - _ENOUGH * length * decrement + _LEAST_DECREMENT:
                self.y[group.queries] = new
                self._log_sum += float(np.log(total)) - length * low
                self.h *= (np.exp(np.minimum(-length * (change - low), 0.0)) / total).take(key)
                return
            length *= _SHRINK

    def here(self) -> Place:
        """What `further` needs to know about the state of the fit."""
        return self.y.copy(), self.h.copy(), self._log_sum

    def further(self, start: Place) -> None:
        """Go on along the line from an earlier place, as long as what is minimised falls: visits of single groups take
        many small steps in a direction that groups share."""
        y, h, log_sum = start
        step = self.y - y
        now, before = (np.log(np.maximum(weights, _TINY_WEIGHT)) for weights in (self.h, h))
        moved = now - before + (self._log_sum - log_sum)  # -A^T step
        low = float(self._target @ self.y) + self._conjugate(self.y)[0]
        best, length, chosen = 0.0, _FIRST_STRETCH, None
        while float(np.ptp(moved)) * length <= _MOST_STRETCH:
            high = float(moved.max()) * length
            weights = self.h * np.exp(length * moved - high)
            log_total = float(np.log(weights.sum())) + high
            new = self.y + length * step
            change = log_total + float(self._target @ new) + self._conjugate(new)[0] - low
            if change >= best:
                break
            best, chosen = change, (new, weights / weights.sum(), self._log_sum + log_total)
            length *= 2
        if chosen is not None:
            self.y, self.h, self._log_sum = chosen

    def _conjugate(self, y: Vector) -> tuple[float, Vector, Vector]:
        """sup over |r| <= wall of y r - r^2 / (2 ridge), summed; the r that attains it; its derivative by y."""
        free = self.ridge * y
        r = np.clip(free, -self.wall, self.wall)
        return float(y @ r - r @ r / (2 * self.ridge)), r, np.where(free == r, self.ridge, 0.0)

    def _product(self, group: Group) -> NDArray[np.int64]:
        """Where the moments of products of any two queries of a group are; most groups share their masks."""
        name = group.masks.tobytes()
        if name not in self._products:
            self._products[name] = self._bits.products(group.masks, group.masks)
        return self._products[name]
