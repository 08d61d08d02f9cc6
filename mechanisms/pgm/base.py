"""The base of an estimate, from which it deviates only as tables require: independent columns with measured shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mechanisms.tilt.targets import nearest_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.measured import MeasuredTable

    Floats = NDArray[np.float64]

_FLOOR = 0.05
"""No code has less than this part of a deviation of its noise, so that a code lost to noise can come back."""


def base_shares(table: MeasuredTable | None, size: int, total: float) -> Floats:
    """Shares of one column: its noisy table projected to the shares, floored; without a table all are equal."""
    if table is None:
        return np.full(size, 1 / size)
    shares = np.maximum(nearest_shares(table.counts / total), _FLOOR * table.deviations / total)
    return np.asarray(shares / shares.sum())
