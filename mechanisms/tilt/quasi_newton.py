"""A few steps of L-BFGS with backtracking, for a smooth convex function that is expensive to evaluate.

SciPy's L-BFGS-B does the same, but its line search evaluates the function more often than is needed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SHORTER = 0.4
_MOST_TRIALS = 12
_SUFFICIENT = 1e-4
_ROUNDING, _FLATTER = 1e-12, 0.8


def minimise(
    function: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    *,
    steps: int,
    enough: float = 0.0,
    memory: int = 8,
    slack: float = 1e-9,
    done: Callable[[Floats], bool] = lambda gradient: False,
) -> Floats:
    """The point reached from the start in this many steps; the function returns its value and its gradient.

    It ends earlier once two steps in a row gain less than `enough`, or when a gradient is `done`. A step may lose up to
    `slack`, to allow for rounding. The function may return infinity where it cannot be evaluated.
    """
    place = start
    value, gradient = function(place)
    if not np.isfinite(value):
        return place
    history: list[tuple[Floats, Floats, float]] = []
    small = 0
    for _ in range(steps):
        if done(gradient):
            break
        direction = -_two_loops(gradient, history)
        slope = float(gradient @ direction)
        if slope >= 0:
            direction, history, slope = -gradient, [], -float(gradient @ gradient)
        length = 1.0 if history else min(1.0, 1 / max(float(np.linalg.norm(gradient)), 1e-300))
        for _ in range(_MOST_TRIALS):
            moved = place + length * direction
            new_value, new_gradient = function(moved)
            if new_value <= value + _SUFFICIENT * length * slope + slack:
                break
            # if values differ only by rounding, slopes still tell
            if new_value <= value + _ROUNDING and float(new_gradient @ direction) <= -_FLATTER * slope:
                break
            length *= _SHORTER
        else:
            break
        step, change = moved - place, new_gradient - gradient
        curvature = float(step @ change)
        if curvature > 1e-12 * min(1.0, float(np.linalg.norm(step) * np.linalg.norm(change))):
            history = [*history, (step, change, 1 / curvature)][-memory:]
        small = small + 1 if value - new_value < enough else 0
        place, value, gradient = moved, new_value, new_gradient
        if small == 2:
            break
    return place


def _two_loops(gradient: Floats, history: list[tuple[Floats, Floats, float]]) -> Floats:
    """The gradient times an approximate inverse of the second derivative."""
    found = gradient.copy()
    parts = []
    for step, change, inverse in reversed(history):
        part = inverse * float(step @ found)
        parts.append(part)
        found -= part * change
    if history:
        step, change, _ = history[-1]
        found *= float(step @ change) / float(change @ change)
    for (step, change, inverse), part in zip(history, reversed(parts), strict=True):
        found += step * (part - inverse * float(change @ found))
    return found
