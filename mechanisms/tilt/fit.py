"""The distribution fitted in stages: tilt points by weights a little, resample them by weight, move them, repeat.

A tilt of fixed points ends up on few of them; points that follow the distribution do not. Each stage minimises the dual
of the fit, log Z - theta . wanted + price theta^2 / 2, over a change of theta on the current points, by a few
quasi-Newton steps, and shortens the change until the points support it. Stages continue until no change has to be
shortened and residuals are within their noise. All is post-processing with public randomness: a function of the
release.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.tilt.law import Features, PairwiseLaw, independent_points
from mechanisms.tilt.quasi_newton import minimise
from mechanisms.tilt.targets import Targets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.private_release import Release

    Floats = NDArray[np.float64]

COARSE, FINE = 8_000, 20_000
"""Points of the first stages, and the most for the last two; never more than the rows are taken from."""
_COARSE_STEPS, _FINE_STEPS = 20, 15
_LEAST_COARSE, _MOST_COARSE, _FINE_STAGES = 4, 14, 2
_LEAST_EFFECTIVE = 0.3
"""A change is shortened until the weights it gives are worth this share of the points."""
_SWEEPS = 2
_ENOUGH = 2.0
"""In nats of the whole table: after a step that gains less, no further one is made."""

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Stage:
    """How one stage went."""

    points: int
    step: float
    """The part of the change that was applied."""
    effective: float
    """Effective size of the weights, as a share of the points."""
    residual: float
    """Root mean square of the residuals before the stage, in deviations of noise and points together."""


class Fitter:
    """The state of a fit: targets, terms found so far, and points from their distribution."""

    def __init__(self, targets: Targets, features: Features, stream: np.random.Generator) -> None:
        self.targets, self.features, self.stream = targets, features, stream
        self.terms = np.zeros(len(targets.wanted))
        self.points = independent_points(targets.shares, COARSE, features, stream)
        self._ends = np.cumsum([len(share) for share in targets.shares])[:-1]
        self._base = [np.log(share) for share in targets.shares]

    def law(self) -> PairwiseLaw:
        """The distribution with the terms found so far."""
        one_way = np.split(self.terms[: self.targets.codes], self._ends)
        logs = tuple(base + term for base, term in zip(self._base, one_way, strict=True))
        matrix = self._matrix(self.terms)
        return PairwiseLaw(self.features, logs, matrix + matrix.T)

    def stage(self, steps: int) -> tuple[Stage, Floats]:
        """Tilt the points by as much of the change as they support; the resulting weights."""
        targets = self.targets
        residual = self._residual()
        change = minimise(self._dual, np.zeros(len(self.terms)), steps=steps, enough=_ENOUGH / targets.size)
        change *= targets.scale
        step = 1.0
        while True:
            weights = _weights(self._log_weights(step * change))
            effective = 1 / float((weights**2).sum()) / len(weights)
            if effective >= _LEAST_EFFECTIVE or step < 0.02:
                break
            step *= 0.7
        self.terms = self.terms + step * change
        return Stage(len(self.points), step, effective, residual), weights

    def draw(self, weights: Floats, count: int) -> None:
        """This many points, drawn systematically from the present ones in proportion to weights."""
        self.points = self.points.take(systematic(weights, count, self.stream))

    def move(self, sweeps: int) -> None:
        law = self.law()
        for _ in range(sweeps):
            law.sweep(self.points, self.stream)

    def _dual(self, scaled: Floats) -> tuple[float, Floats]:
        """Value and gradient of the dual at a scaled change of the terms."""
        targets, change = self.targets, scaled * self.targets.scale
        logs = self._log_weights(change)
        top = float(logs.max())
        weights = np.exp(logs - top)
        total = float(weights.sum())
        terms = self.terms + change
        value = top + np.log(total / len(weights)) - change @ targets.wanted + 0.5 * (targets.price * terms) @ terms
        gradient = self._moments(weights / total) - targets.wanted + targets.price * terms
        return float(value), gradient * targets.scale

    def _residual(self) -> float:
        uniform = np.full(len(self.points), 1 / len(self.points))
        targets = self.targets
        left = self._moments(uniform) - targets.wanted + targets.price * self.terms
        spread = targets.scale**-2 / len(self.points)
        return float(np.sqrt(np.mean(left**2 / (targets.deviations**2 + spread))))

    def _matrix(self, terms: Floats) -> NDArray[np.float32]:
        found = np.zeros((self.features.size, self.features.size), np.float32)
        found[self.targets.left, self.targets.right] = terms[self.targets.codes :]
        return found

    def _log_weights(self, change: Floats) -> Floats:
        values, codes = self.points.values, self.points.codes
        found: Floats = np.einsum("ij,ij->i", values @ self._matrix(change), values).astype(float)
        for u, term in enumerate(np.split(change[: self.targets.codes], self._ends)):
            found += term[codes[:, u]]
        return found

    def _moments(self, weights: Floats) -> Floats:
        values, codes = self.points.values, self.points.codes
        shares = self.targets.shares
        one_way = [np.bincount(codes[:, u], weights=weights, minlength=len(s)) for u, s in enumerate(shares)]
        products = values.T @ (values * weights[:, None].astype(np.float32))
        return np.concatenate([*one_way, products[self.targets.left, self.targets.right].astype(float)])


def fit_law(
    targets: Targets, features: Features, stream: np.random.Generator, *, points: int, say: Say | None = None
) -> tuple[Fitter, tuple[Stage, ...]]:
    """Stages until the distribution fits: the fitter, with the distribution and points from it, and how it went.

    `points` is the number of points used afterwards; the last stages need no more.
    """
    fine = min(FINE, max(COARSE, points))
    fitter, stages = Fitter(targets, features, stream), []
    tell = say or (lambda _: None)
    for number in range(_MOST_COARSE):
        stage, weights = fitter.stage(_COARSE_STEPS)
        stages.append(stage)
        tell(f"stage {number + 1}: {stage.effective:.0%} effective, step {stage.step:.2f}")
        done = number + 1 >= _LEAST_COARSE and stage.step == 1 and stage.residual <= 1
        fitter.draw(weights, fine if done or number + 1 == _MOST_COARSE else COARSE)
        fitter.move(_SWEEPS)
        if done:
            break
    for _ in range(_FINE_STAGES):
        stage, weights = fitter.stage(_FINE_STEPS)
        stages.append(stage)
        tell(f"stage {len(stages)}: {stage.effective:.0%} effective, step {stage.step:.2f}")
        fitter.draw(weights, fine)
        fitter.move(_SWEEPS)
    return fitter, tuple(stages)


def public_stream(release: Release) -> np.random.Generator:
    """Randomness that is a function of a release, so that everyone makes the same rows from it."""
    return np.random.Generator(np.random.Philox(key=int(release.digest[:32], 16)))


def _weights(logs: Floats) -> Floats:
    found: Floats = np.exp(logs - logs.max())
    found /= found.sum()
    return found


def systematic(weights: Floats, count: int, stream: np.random.Generator) -> NDArray[np.intp]:
    """Places in proportion to weights: each count times its weight, rounded up or down, with one random start."""
    reached = np.floor(np.cumsum(weights) / weights.sum() * count + stream.random()).astype(np.int64)
    reached[-1] = count  # the start is below 1, so this is what exact sums would give
    return np.repeat(np.arange(len(weights)), np.diff(reached, prepend=0))
