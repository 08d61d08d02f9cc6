"""Models and lines whose ends are certain to meet, however the records lie: an endless accelerated gradient method.

Slower than Newton's method, but its gap falls as 1 over the square of the steps, for every loss, class and table, since
the lines are mixed from all steps. Memory does not grow. Proof: docs/proofs/synthbounds.excess-query.md, part (f).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from release.statistics.enclosed_least import EnclosedLeast

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_FIRST_RUN = 128
_ROUNDING = 1e-9
_LEAST_SLOPE = 1e-300


def closing_in(least: EnclosedLeast, start: Floats | None, *, close: float) -> Iterator[tuple[Floats, Floats]]:
    """Coefficients on f, and for every distinct record the margin where its line touches the loss, without end.

    With the hinge loss ends of the mean come as near as a quarter of `close`, with the others as near as floats go. The
    margin of the hinge loss is one less the slope.
    """
    compared, loss = least.compared, least.compared.loss
    scale = np.full(least.signed.shape[1], sqrt(compared.feature_map.squared_norm))
    apart = compared.intercept is not None
    if apart:  # on its own scale, else its range would be long
        scale[-1] = 1.0
    signed, weights = least.signed / scale, least.counts / least.n
    ridge = np.full(len(scale), float(compared.ridge or 0))
    if apart:
        ridge[-1] = 0.0
    curvature = {"logistic": 0.25, "squared": 1.0, "hinge": 2 / close}[loss]
    steep = float(np.linalg.norm((signed.T * weights) @ signed)) * curvature * (1 + _ROUNDING) + _ROUNDING

    def inside(v: Floats) -> Floats:
        counted = v[:-1] if apart else v
        found: Floats = v * min(1.0, float(compared.radius) / max(float(np.linalg.norm(counted)), _LEAST_SLOPE))
        if compared.intercept is not None:
            found[-1] = np.clip(v[-1], -float(compared.intercept), float(compared.intercept))
        return found

    centre = np.zeros(len(scale)) if start is None else inside(start * scale)
    length = _FIRST_RUN
    while True:
        x = z = centre
        slopes, pull, weight, shown = np.zeros(len(weights)), np.zeros(len(scale)), 0.0, 8
        for step in range(1, length + 1):
            weight += step / 2
            part = step / 2 / weight
            here = _slopes(loss, signed @ (x + part * (z - x)), 1 / curvature)
            slopes += part * (here - slopes)
            pull += part * ((weights * here) @ signed - pull)
            z = inside((steep * centre + weight * pull) / (steep + weight * ridge))
            x = x + part * (z - x)
            if step in (shown, length):
                shown += 8 + shown // 8
                yield x / scale, _touching(loss, slopes)
        # The gain is kept: the next run starts here, and is longer, so that the bound of a run is finally reached.
        centre, length = x, 2 * length


def _slopes(loss: str, m: Floats, width: float) -> Floats:
    """How steeply the loss falls at m; the hinge loss is made smooth over a width before its kink."""
    if loss == "logistic":
        falls: Floats = np.exp(-np.logaddexp(0.0, m))
        return falls
    return 1 - m if loss == "squared" else np.clip((1 - m) / width, 0.0, 1.0)


def _touching(loss: str, slopes: Floats) -> Floats:
    """Where lines of these slopes touch; for the hinge loss as if it rose over a width of 1."""
    if loss == "logistic":
        found: Floats = np.log(np.maximum(1 - slopes, _LEAST_SLOPE)) - np.log(np.maximum(slopes, _LEAST_SLOPE))
        return found
    return 1 - slopes
