"""A better model from a noisy gradient of the real risk, for a second round: one more fit to the synthetic points.

A linear term is added to the synthetic risk so that its gradient at the old model becomes the noisy real one, as far as
their difference stands out from the noise; then the risk is minimised again. The difference is judged along the
principal axes of the records, since synthetic records mostly miss something along few of them. This is post-processing
of private answers and promises nothing: a second query certifies the result. Floating point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable, ParameterError
from mechanisms.models.losses import SmoothLoss, find_training_loss
from mechanisms.models.train.ball_minimum import smallest_in_ball
from mechanisms.models.train.newton import rounded_coefficients

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_STEPS = 200
_ENOUGH = 1e-11
_SHORTEST = 1e-8
_CLEAR = 2.0
"""A part of the difference counts as real above this many deviations of its noise."""


@dataclass(frozen=True)
class CorrectedModel:
    """Coefficients on f, intercept last; `kept` is the share of the observed difference, in norm, counted as real."""

    coefficients: tuple[Fraction, ...]
    kept: float
    steps: int


def corrected_model(
    features: Floats,
    labels: NDArray[np.generic],
    weights: Floats,
    *,
    squared_norm: int,
    loss: str,
    coefficients: Sequence[Fraction],
    gradient: Sequence[Fraction],
    deviation: Fraction,
    tau: Fraction | None = None,
    ridge: Fraction = Fraction(0),
) -> CorrectedModel:
    """The next model; `gradient` is the noisy one at `coefficients`, `deviation` that of its entries, in units of f.

    Features are on the scale of f with the intercept last; weights are those of synthetic points.
    """
    chosen = find_training_loss(loss)
    if len(chosen.stages) != 1:
        raise NotApplicable(f"loss = {loss}: a second round needs a smooth loss")
    if tau is None and not ridge:
        raise ParameterError("tau", None, "given, or ridge positive")
    signed = features * (np.asarray(labels, dtype=float) / sqrt(squared_norm))[:, None]
    shares = weights / weights.sum()
    start = np.array([float(c) for c in coefficients]) * sqrt(squared_norm)
    observed = np.array([float(g) for g in gradient]) / sqrt(squared_norm)
    difference = observed - (shares * chosen.slope(signed @ start)) @ signed
    _, directions = np.linalg.eigh((signed * shares[:, None]).T @ signed)
    signal = _signal(directions.T @ difference, float(deviation) / sqrt(squared_norm))
    problem = _Tilted(signed, shares, chosen.stages[0], directions @ signal, float(ridge))
    vector, steps = problem.minimise(start, None if tau is None else float(tau))
    values = (vector / sqrt(squared_norm)).tolist()
    found = rounded_coefficients(values, tau=tau, squared_norm=squared_norm, counted=len(values))
    size = float(np.linalg.norm(difference))
    return CorrectedModel(found, float(np.linalg.norm(signal)) / size if size else 0.0, steps)


def _signal(observed: Floats, deviation: float) -> Floats:
    """Shrunken entries, 0 below _CLEAR deviations: most of the noise goes, a clear signal stays."""
    squares = np.maximum(observed**2, np.finfo(float).tiny)
    found: Floats = observed * np.maximum(0.0, 1 - (_CLEAR * deviation) ** 2 / squares)
    return found


@dataclass(frozen=True)
class _Tilted:
    signed: Floats
    weights: Floats
    loss: SmoothLoss
    line: Floats
    ridge: float

    def value(self, w: Floats) -> float:
        return float(self.weights @ self.loss.value(self.signed @ w) + self.line @ w + self.ridge / 2 * (w @ w))

    def minimise(self, start: Floats, tau: float | None) -> tuple[Floats, int]:
        w, value = start, self.value(start)
        for step in range(_MOST_STEPS):
            margins = self.signed @ w
            gradient = (self.weights * self.loss.slope(margins)) @ self.signed + self.line + self.ridge * w
            curved = self.weights * self.loss.curvature(margins)
            hessian = (self.signed * curved[:, None]).T @ self.signed + self.ridge * np.eye(len(w))
            direction = smallest_in_ball(hessian, hessian @ w - gradient, tau) - w
            fall = float(gradient @ direction)
            length = 1.0
            while self.value(w + length * direction) > value + 1e-4 * length * fall and length > _SHORTEST:
                length /= 2
            if -fall <= _ENOUGH or length <= _SHORTEST:
                return w, step
            w = w + length * direction
            value = self.value(w)
        return w, _MOST_STEPS
