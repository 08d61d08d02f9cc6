"""The consistent tables nearest to noisy ones in least squares, within walls: what a density should answer.

Noisy tables contradict each other on shared margins, and some of their cells are negative. Dykstra's alternating
projections find the nearest tables that do neither and stay within a distance of the target everywhere; no reference
points are needed but to know which cells are empty. Least squares within the walls brings the answers near to the
truth: maximum entropy would use all the room that the walls leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.cell_tables import Consistency

    Vector = NDArray[np.float64]

_MOST_STEPS = 300
_LOOK = 20
_NEAR = 1e-3
"""Stop when no cell is farther outside its interval than this share of the walls' distance."""


def nearest_tables(consistency: Consistency, target: Vector, low: Vector, high: Vector, *, radius: float) -> Vector:
    """Tables that agree with each other, nearest to the target among those between low and high, nearly."""
    found, inside, correction = target, target, np.zeros_like(target)
    for step in range(1, _MOST_STEPS + 1):
        found = consistency.nearest(inside)
        moved = found + correction
        inside = np.clip(moved, low, high)
        correction = moved - inside
        if step % _LOOK == 0:
            outside = max(float((found - high).max()), float((low - found).max()))
            if outside <= _NEAR * radius:
                break
    return found
