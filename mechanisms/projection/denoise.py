"""Targets that some weights reach: the point nearest to the noisy targets in the convex hull of the points' statistics.

This is the denoising of wang2023 over the closed simplex, which contains its minimum, by fully corrective Frank-Wolfe.
Every round adds the point that lies furthest ahead, and finds the best weights on the points so far by non-negative
least squares. Distances are in deviations of the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mechanisms.projection.statistics import Floats, Statistics

_ENOUGH = 1e-7
"""Stop if another point gains at most this part of the squared distance, or of 1 deviation."""
_INSIDE = 1e-4
"""Targets within this many deviations of the hull count as inside, and stay unchanged."""


@dataclass(frozen=True, eq=False)
class Denoised:
    """Targets that weights reach, and how far they are from the noisy ones."""

    targets: Floats
    distance_sd: float
    rounds: int


def denoise(statistics: Statistics, targets: Floats, sds: Floats) -> Denoised:
    """The nearest reachable targets; the noisy ones if these are reachable."""
    from scipy.optimize import nnls

    most = 4 * statistics.count + 200
    # the shortest vector of a hull: non-negative weights of least |Z w|^2 + (1 - sum w)^2, scaled to add up to 1
    first = int(np.argmax(statistics.combined(targets / sds**2)))
    chosen = [first]
    found = _from_targets(statistics, chosen, targets, sds)[:, 0]
    rounds = 0
    for rounds in range(1, most + 1):
        size = float(found @ found)
        if size <= _INSIDE**2:
            return Denoised(targets, 0.0, rounds)
        ahead = statistics.combined(found / sds)
        best = int(np.argmin(ahead))
        gain = size - (float(ahead[best]) - float(found @ (targets / sds)))
        if gain <= _ENOUGH * max(1.0, size) or best in chosen:
            break
        chosen.append(best)
        points = _from_targets(statistics, chosen, targets, sds)
        unit = np.sqrt(size)
        weights, _ = nnls(np.vstack([points, np.full(len(chosen), unit)]), np.append(np.zeros(len(sds)), unit))
        kept = weights > 0
        chosen = [place for place, keep in zip(chosen, kept, strict=True) if keep]
        found = points[:, kept] @ (weights[kept] / weights.sum())
    return Denoised(targets + sds * found, float(np.sqrt(found @ found)), rounds)


def _from_targets(statistics: Statistics, chosen: list[int], targets: Floats, sds: Floats) -> Floats:
    """Some points relative to the targets, in deviations, a column for each point."""
    found: Floats = (statistics.values(np.array(chosen)) - targets[:, None]) / sds[:, None]
    return found
