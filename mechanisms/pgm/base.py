"""The law that an estimate leaves only where tables ask for it: independent columns with measured one-way tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.measured import MeasuredTable

    Floats = NDArray[np.float64]

_FLOOR = 0.05
"""No code has less than this share of a deviation of its noise: what noise took away may come back."""


def base_shares(table: MeasuredTable | None, size: int, total: float) -> Floats:
    """Shares of one column: its noisy table projected to the shares, floored; without a table all are equal."""
    if table is None:
        return np.full(size, 1 / size)
    shares = np.maximum(nearest_shares(table.counts / total), _FLOOR * table.deviations / total)
    return np.asarray(shares / shares.sum())


def nearest_shares(values: Floats) -> Floats:
    """The nearest point with no negative part and the sum 1."""
    falling = np.sort(values)[::-1]
    over = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1)
    last = int(np.nonzero(falling > over)[0][-1])
    return np.asarray(np.maximum(values - over[last], 0))
