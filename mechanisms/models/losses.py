"""Convex losses of the margin in floating point, for training: value, slope and curvature at many margins.

They are the losses of bounds.certify.margin_losses under the same names. The hinge loss is trained through a smooth
loss below it that differs by at most half its width; risks of a trained model are those of the true hinge loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

HINGE_WIDTHS = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)
"""Widths of smooth losses minimised one after the other, each starting where the last one ended."""


@dataclass(frozen=True)
class SmoothLoss:
    """A loss that Newton's method can minimise."""

    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    curvature: Callable[[Floats], Floats]


@dataclass(frozen=True)
class TrainingLoss:
    """A loss by name, and the smooth losses that lead to it; the last of these is the one minimised."""

    name: str
    text: str
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    stages: tuple[SmoothLoss, ...]
    above: float = 0.0
    """The loss exceeds the last smooth one by at most this, and is never below it."""


def _sigmoid(t: Floats) -> Floats:
    from scipy.special import expit

    found: Floats = expit(t)
    return found


def _logistic_value(m: Floats) -> Floats:
    return np.logaddexp(0, -m)


def _logistic_slope(m: Floats) -> Floats:
    return -_sigmoid(-m)


def _squared_value(m: Floats) -> Floats:
    return (1 - m) ** 2 / 2


def _squared_slope(m: Floats) -> Floats:
    return m - 1


def _hinge_value(m: Floats) -> Floats:
    return np.maximum(0, 1 - m)


def _hinge_slope(m: Floats) -> Floats:
    return np.where(m < 1, -1.0, 0.0)


def smooth_hinge(width: float) -> SmoothLoss:
    """A parabola on [1 - width, 1] between the two straight pieces."""

    def value(m: Floats) -> Floats:
        short = np.clip(1 - m, 0, width)
        return short**2 / (2 * width) + np.maximum(1 - m - width, 0)

    def slope(m: Floats) -> Floats:
        return -np.clip((1 - m) / width, 0, 1)

    def curvature(m: Floats) -> Floats:
        return np.where((m > 1 - width) & (m < 1), 1 / width, 0.0)

    return SmoothLoss(value, slope, curvature)


LOSSES = {
    loss.name: loss
    for loss in (
        TrainingLoss(
            "logistic",
            "log(1+exp(-m))",
            _logistic_value,
            _logistic_slope,
            (SmoothLoss(_logistic_value, _logistic_slope, lambda m: _sigmoid(m) * _sigmoid(-m)),),
        ),
        TrainingLoss(
            "squared",
            "(1-m)^2/2",
            _squared_value,
            _squared_slope,
            (SmoothLoss(_squared_value, _squared_slope, lambda m: np.ones_like(m)),),
        ),
        TrainingLoss(
            "hinge",
            "max(0,1-m)",
            _hinge_value,
            _hinge_slope,
            tuple(smooth_hinge(width) for width in HINGE_WIDTHS),
            HINGE_WIDTHS[-1] / 2,
        ),
    )
}


def find_training_loss(name: str) -> TrainingLoss:
    if name not in LOSSES:
        raise ParameterError("loss", name, f"one of {', '.join(LOSSES)}")
    return LOSSES[name]
