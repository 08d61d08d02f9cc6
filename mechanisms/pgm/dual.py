"""The dual of the estimate, and its gap.

With shares t of the measured tables (corrected to sum to 1), prices r = lam sd^2/N^2 and potentials theta it is
log Z(theta) - theta . t + sum r theta^2 / 2; its slope is the residual of each cell, mu - t + r theta, and half the
sum of squares of that, in deviations of the noise, is the gap to the least value of the estimate's own loss, in nats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.algebra import Underflow
from mechanisms.pgm.gauge import Gauge
from mechanisms.pgm.law import Law

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.layout import Layout
    from mechanisms.pgm.measured import MeasuredTable

    Floats = NDArray[np.float64]

SHARE = 50
"""lam = N / SHARE is the price of a nat of distance from the base."""
_MOST_MOVED = 2**17
"""Most cells of a table whose potentials are moved, which takes memory for every set of its columns."""


class Dual:
    """Value and slope in scaled coordinates of the measured cells, in which the second derivative is about one."""

    def __init__(
        self,
        layout: Layout,
        tables: Sequence[MeasuredTable | None],
        *,
        fixed: Floats,
        possible: NDArray[np.bool_],
        total: float,
    ) -> None:
        """`fixed` are the potentials of the base, minus infinity at cells that are not possible."""
        self.layout, self.fixed = layout, fixed
        self.in_logs = self.underflowed = False
        cells = [
            (np.arange(start, start + length), table)
            for table, start, length in zip(tables, layout.starts, layout.lengths, strict=True)
            if table is not None
        ]
        self._cells = np.concatenate([places for places, _ in cells])
        wanted = [shares_wanted(table, possible[places], total) for places, table in cells]
        self.wanted = np.concatenate(wanted)
        self.deviations = np.concatenate([table.deviations.ravel() for _, table in cells]) / total
        self.prices = price(self.deviations, total)
        free = zip(tables, layout.starts, layout.lengths, strict=True)
        self._gauge = Gauge(
            layout, [_one_price(table, possible[start : start + length], total) for table, start, length in free]
        )
        best = np.zeros(len(fixed))
        means = np.concatenate([np.full(len(places), 1 / len(places)) for places, _ in cells])
        best[self._cells] = (self.wanted - means) / self.prices
        self.offset = best - self._gauge(best)
        self.scale = 1 / np.sqrt(np.maximum(self.wanted, self.deviations) + self.prices)
        self.evaluations = 0
        self._last: tuple[Floats, Floats, Law] | None = None

    def place(self, eta: Floats) -> Floats:
        """Potentials over base and offset (of all scopes, as one vector) in scaled coordinates."""
        return np.asarray(eta[self._cells] / self.scale)

    def eta(self, place: Floats) -> Floats:
        """The potentials over base and offset for scaled coordinates, of all scopes as one vector."""
        found = np.zeros(len(self.fixed))
        found[self._cells] = place * self.scale
        return self._gauge(found)

    def law(self, place: Floats) -> Law:
        if self._last is None or self._last[0] is not place or self._last[2].in_logs != self.in_logs:
            self.evaluations += 1
            theta = self.eta(place) + self.offset
            self._last = place, theta[self._cells], Law(self.layout, self.fixed + theta, self.in_logs)
        return self._last[2]

    def __call__(self, place: Floats) -> tuple[float, Floats]:
        law = self.law(place)
        assert self._last is not None
        theta = self._last[1]
        try:
            left = law.shares[self._cells] - self.wanted + self.prices * theta
        except Underflow:
            self.underflowed = True
            return np.inf, np.full(len(place), np.inf)
        value = law.log_z - theta @ self.wanted + 0.5 * (self.prices * theta) @ theta
        return float(value), left * self.scale

    def gap(self, slope: Floats) -> float:
        """The gap in nats for this slope."""
        return 0.5 * float(((slope / (self.scale * self.deviations)) ** 2).sum())


def _one_price(table: MeasuredTable | None, possible: NDArray[np.bool_], total: float) -> float | None:
    """The price of the cells of a table, if it is the same for all, all are possible, and not too many to move."""
    if table is None or not possible.all() or np.ptp(table.deviations) or possible.size > _MOST_MOVED:
        return None
    return float(price(table.deviations / total, total).flat[0])


def price(deviation: Floats, total: float) -> Floats:
    """The price of half a squared potential, from the deviation of its cell as a share."""
    return deviation**2 * (total / SHARE)


def shares_wanted(table: MeasuredTable, possible: NDArray[np.bool_], total: float) -> Floats:
    """Shares that add up to 1 over the possible cells, flattened, since no distribution has other shares."""
    shares, weights = table.counts.ravel() / total, np.where(possible, table.deviations.ravel() ** 2, 0.0)
    return np.where(possible, shares + (1 - shares[possible].sum()) * (weights / weights.sum()), 0.0)


def cell_wise(now: Floats, wanted: Floats, price: Floats) -> Floats:
    """The solution x of now e^x + price x = wanted, cell by cell: the start for the potentials of a new table."""
    found = np.zeros_like(now)
    for _ in range(30):
        grown = now * np.exp(np.minimum(found, 50))
        found = found - np.clip((grown + price * found - wanted) / (grown + price), -2, 2)
    return found
