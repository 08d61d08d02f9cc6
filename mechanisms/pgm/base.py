"""The law that an estimate leaves only where tables ask for it: independent columns with measured one-way tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mechanisms.tilt.targets import nearest_shares

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
