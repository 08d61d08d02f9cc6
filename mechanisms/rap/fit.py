"""Points moved towards noisy answers by Adam, with conditions that become sharper from stage to stage.

vietri2022, Algorithm 1: a blunt condition has a slope where a sharp one has none, so the sharpness doubles from stage
to stage. Several passes through all stages bring points nearer in fewer steps than a single pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.rap.relaxed import Projection

if TYPE_CHECKING:
    from mechanisms.rap.relaxed import Floats, Layout
    from mechanisms.rap.twin import Twin

_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-13
"""Decay rates of the running means of gradients and of their squares, and a tiny square that keeps quotients finite."""


@dataclass(frozen=True)
class Stage:
    """A number of steps at one sharpness."""

    steps: int
    sharpness: float
    rate: float
    """About how far a step goes."""


_RATE, _SHARP = 0.02, 64.0
WHOLE = tuple(Stage(10, s, _RATE / (1 + s / _SHARP) ** 0.5) for _ in range(4) for s in (2.0**k for k in range(1, 12)))
"""For rows of a finished log; steps become shorter where conditions are sharp."""
BETWEEN_ROUNDS = tuple(Stage(10, s, _RATE) for s in (2.0, 8.0, 32.0, 128.0, 512.0))
"""Stages that start from points near the answers of earlier rounds."""


class Adam:
    """Adam (Kingma and Ba): every coordinate moves by about the rate, whatever the scale of its gradient.

    Sums are kept instead of means, and scaled only in the step.
    """

    def __init__(self, points: Floats) -> None:
        self._sum, self._squares = np.zeros_like(points), np.full_like(points, _TINY)
        self._steps = 0

    def move(self, points: Floats, gradient: Floats, rate: float) -> None:
        """One step, in place; the gradient is used up."""
        self._steps += 1
        first, second = ((1 - kept) / (1 - kept**self._steps) for kept in (_FIRST, _SECOND))
        self._sum *= _FIRST
        self._sum += gradient
        self._squares *= _SECOND
        gradient *= gradient
        self._squares += gradient
        np.sqrt(self._squares, out=gradient)
        np.divide(self._sum, gradient, out=gradient)
        gradient *= rate * first / second**0.5
        points -= gradient


def fit(layout: Layout, points: Floats, twins: Sequence[Twin], stages: Sequence[Stage]) -> float:
    """Move the points, in place; the last distance from the answers."""
    adam, project, gradient, value = Adam(points), Projection(layout, points), np.empty_like(points), 0.0
    for stage in stages:
        for _ in range(stage.steps):
            gradient[:] = 0
            value = sum(twin.add_gradient(points, gradient, stage.sharpness) for twin in twins)
            adam.move(points, gradient, stage.rate)
            project(points)
    return value
