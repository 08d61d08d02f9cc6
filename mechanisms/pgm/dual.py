"""The dual of the estimate, and its gap.

With shares t of the measured tables (corrected to the sum 1), prices r = lam sd^2/N^2 and potentials theta it is
log Z(theta) - theta . t + sum r theta^2 / 2; its slope is what is left of each cell, mu - t + r theta, and half the
sum of squares of that, in deviations of the noise, is the gap to the least value of the estimate's own loss, in nats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.law import Law, sweep_of
from mechanisms.pgm.sweep import Underflow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.layout import Layout
    from mechanisms.pgm.measured import MeasuredTable

    Floats = NDArray[np.float64]

SHARE = 50
"""lam = N / SHARE: what a nat of distance from the base costs."""


class Dual:
    """Value and slope in scaled coordinates, in which the second derivative is about one."""

    def __init__(
        self,
        layout: Layout,
        tables: Sequence[MeasuredTable | None],
        fixed: Sequence[Floats],
        possible: Sequence[NDArray[np.bool_] | None],
        total: float,
    ) -> None:
        self.layout, self.fixed = layout, fixed
        self.in_logs = self.underflowed = False
        self.measured = [i for i, table in enumerate(tables) if table is not None]
        kept = [table for table in tables if table is not None]
        self.shapes = [table.counts.shape for table in kept]
        sizes = [table.counts.size for table in kept]
        self.ends = np.cumsum(sizes)[:-1]
        self.wanted = np.concatenate(
            [shares_wanted(table, possible[i], total).ravel() for i, table in zip(self.measured, kept, strict=True)]
        )
        self.deviations = np.repeat([table.sd / total for table in kept], sizes)
        self.prices = self.deviations**2 * (total / SHARE)
        self.scale = 1 / np.sqrt(np.maximum(self.wanted, self.deviations) + self.prices)
        self.evaluations = 0
        self._last: tuple[Floats, Law] | None = None

    def start(self, theta: Sequence[Floats]) -> Floats:
        return np.concatenate([theta[i].ravel() for i in self.measured]) / self.scale

    def theta(self, place: Floats) -> list[Floats]:
        """The potentials of the measured tables at a place."""
        parts = np.split(place * self.scale, self.ends)
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def law(self, place: Floats) -> Law:
        if self._last is None or self._last[0] is not place:
            potentials = list(self.fixed)
            for i, theta in zip(self.measured, self.theta(place), strict=True):
                potentials[i] = potentials[i] + theta
            self.evaluations += 1
            self._last = place, Law(self.layout, tuple(potentials), sweep_of(self.layout, potentials, self.in_logs))
        return self._last[1]

    def __call__(self, place: Floats) -> tuple[float, Floats]:
        try:
            law = self.law(place)
        except Underflow:
            self.underflowed = True
            return np.inf, np.zeros(len(place))
        theta = place * self.scale
        shares = law.shares
        left = np.concatenate([shares[i].ravel() for i in self.measured]) - self.wanted + self.prices * theta
        value = law.log_z - theta @ self.wanted + 0.5 * (self.prices * theta) @ theta
        return float(value), left * self.scale

    def gap(self, slope: Floats) -> float:
        """The gap in nats where the slope is this."""
        return 0.5 * float(((slope / (self.scale * self.deviations)) ** 2).sum())


def shares_wanted(table: MeasuredTable, possible: NDArray[np.bool_] | None, total: float) -> Floats:
    """Shares that add up to 1 over the possible cells: what a table lacks there no law can give."""
    shares = table.counts / total
    cells = np.ones(shares.shape, bool) if possible is None else possible
    return np.where(cells, shares + (1 - shares[cells].sum()) / cells.sum(), 0.0)


def cell_wise(now: Floats, wanted: Floats, price: float) -> Floats:
    """x with now e^x + price x = wanted, cell by cell: where the potentials of a new table start."""
    found = np.zeros_like(now)
    for _ in range(30):
        grown = now * np.exp(np.minimum(found, 50))
        found = found - np.clip((grown + price * found - wanted) / (grown + price), -2, 2)
    return found
