"""The canonical density: of all densities whose answers are as near to the target as allowed, the one of most entropy.

The optimum of a density LP is often attained by many densities, and which one a solver returns is an accident. The
density of maximum entropy among those with max |A h - b| <= radius is unique, and no point is without weight. Its
logarithm is -A^T y up to a constant, so the search is over y alone: a smooth convex problem with a logarithmic barrier
for the radius, solved by Newton's method with a line search while radius and barrier shrink together. Maximum entropy
on its own would use up the radius wherever it can, and be farther from the truth than necessary; a pull makes it pay
for the squares of the distances, too. Entropy is relative to the reference points, each counted once. Nothing here is
certified; the radius of the result can be, by lp.programme.density_certificate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dposv

from bounds.errors import NotCertified, ParameterError
from lp.programme.walls import Walls

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

    Vector = NDArray[np.float64]

LAST_BARRIER = 1e-10
"""Divided by the number of queries this is the last weight of the barrier; the entropy lost is at most twice it."""
PULLED_BARRIER = 1e-3
"""Times the radius this is the last weight of the barrier if there is a pull, with which few walls are met."""
MOST_STEPS = 400
_NEGLIGIBLE = 1e-17
"""Columns with less weight than this share of the largest do not enter the curvature."""


@dataclass(frozen=True)
class EntropyDensity:
    """A weight on every reference point."""

    weights: Vector
    dual: Vector
    """y: the weights are proportional to exp(-A^T y)."""
    radius: float
    """Answers are allowed this far from the target."""
    distance_est: float
    """max |A h - b|, in float64; below the radius."""
    entropy_est: float
    """In nats."""
    steps: int


def maximum_entropy(
    matrix: QueryMatrix,
    target: NDArray[np.float64],
    *,
    value: float,
    relative_slack: float = 0.01,
    absolute_slack: float = 1e-6,
    pull: float = 0.0,
    progress: Callable[[str], None] | None = None,
) -> EntropyDensity:
    """The density of most entropy with max |A h - b| <= radius = (1 + relative_slack) value + absolute_slack.

    `value` is the optimum of the LP, or an upper bound of it. With a `pull` it is the density of most entropy less
    pull / (2 radius) times the sum of squares of A h - b.
    """
    if not (value >= 0 and np.isfinite(value)):
        raise ParameterError("value", value, "a distance, at least 0")
    if not 0 <= relative_slack < 1:
        raise ParameterError("relative slack", relative_slack, "at least 0 and below 1")
    if not (pull >= 0 and np.isfinite(pull)):
        raise ParameterError("pull", pull, "at least 0")
    if not absolute_slack + relative_slack * value >= 1e-8:
        raise ParameterError(
            "absolute slack", absolute_slack, "such that the slack is at least 1e-8", "float64 resolves no less"
        )
    target = np.asarray(target, dtype=np.float64)
    if target.shape != (matrix.rows,):
        raise ParameterError("target", f"{target.size} answers", f"{matrix.rows} answers", "one per query")
    radius = (1 + relative_slack) * value + absolute_slack
    now = _Point(matrix, target, np.zeros(matrix.rows))
    # if no query is further away than this, the uniform density is the answer; from there the walls close in
    wide = max(radius, 1.1 * float(np.abs(now.residual).max()))
    last = PULLED_BARRIER * radius if pull else LAST_BARRIER / matrix.rows
    walls = Walls(wide, max((wide - value) / matrix.rows, last), pull / radius)
    steps, shrink = 0, 0.1
    while True:
        done = walls.radius <= radius and walls.barrier <= last
        now, used = _minimise(now, walls, precise=done, most=MOST_STEPS - steps)
        steps += used
        if progress is not None:
            progress(f"radius {walls.radius:.3e}, barrier {walls.barrier:.1e}: {used} steps")
        if done:
            break
        shrink = min(0.7, shrink * 1.7) if used > 5 else max(0.02, shrink * 0.7)
        if walls.radius > radius:
            wide = max(radius, value + shrink * (walls.radius - value))
            closer = Walls(wide, max((wide - value) / matrix.rows, last), pull / radius)
        else:
            closer = Walls(radius, max(shrink * walls.barrier, last), pull / radius)
        now, walls = _follow(now, walls, closer), closer
        steps += 1
    h = now.h
    positive = h[h > 0]
    entropy = -float(positive @ np.log(positive))
    return EntropyDensity(h, now.y, radius, float(np.abs(now.residual).max()), entropy, steps)


class _Point:
    """The exponential density at y, with its value and its residual A h - b."""

    def __init__(self, matrix: QueryMatrix, target: Vector, y: Vector) -> None:
        self.matrix, self.target, self.y = matrix, target, y
        self._scale = scale = 1 / matrix.family.denominator
        h = matrix.price(y * -scale)
        largest = float(h.max())
        h -= largest
        np.exp(h, out=h)
        total = float(h.sum())
        h /= total
        self.h = h
        self.value = largest + np.log(total) + float(target @ y)
        self.mean = matrix.apply(h) * scale
        self.residual = self.mean - target

    def curvature(self) -> Vector:
        """The covariance matrix of the queries."""
        h, numbers = self.h, None
        threshold = _NEGLIGIBLE * float(h.max())
        if np.count_nonzero(h > threshold) < 0.3 * h.size:
            numbers = np.flatnonzero(h > threshold)
            h = h[numbers]
        found = self.matrix.gram(h, numbers)
        if self._scale != 1:
            found *= self._scale * self._scale
        found -= np.multiply.outer(self.mean, self.mean)
        return found


def _direction(now: _Point, gradient: Vector, weight: Vector) -> Vector | None:
    """Newton's direction for this gradient and this curvature of the walls."""
    system = now.curvature()
    diagonal = system.ravel()[:: len(system) + 1]
    np.maximum(diagonal, 0, out=diagonal)
    diagonal += weight
    jacobi = 1 / np.sqrt(diagonal)
    system *= jacobi
    system *= jacobi[:, None]
    for added in (1e-15, 1e-12):
        diagonal += added
        _, move, failed = dposv(system, gradient * jacobi, lower=1)
        if not failed:
            return np.asarray(move * -jacobi)
    return None


def _follow(now: _Point, walls: Walls, closer: Walls) -> _Point:
    """Along the tangent of the path to where the optimum should be between the closer walls, if that is nearer."""
    _, r, weight = walls.at(now.y)
    move = _direction(now, r - now.residual + walls.drift(now.y, closer), weight)
    if move is None:
        return now
    there = _Point(now.matrix, now.target, now.y + move)
    stayed, moved = now.value + closer.at(now.y)[0], there.value + closer.at(there.y)[0]
    return there if moved < stayed else now


def _minimise(now: _Point, walls: Walls, *, precise: bool, most: int) -> tuple[_Point, int]:
    """Newton's method on log sum exp(-A^T y) + b.y + walls(y)."""
    wall, r, weight = walls.at(now.y)
    last = np.inf
    for step in range(1, most + 1):
        gradient = r - now.residual
        move = _direction(now, gradient, weight)
        decrement = 0.0 if move is None else -float(gradient @ move)
        if move is None or not decrement > 0:
            return now, step
        value, length = now.value + wall, 1.0
        while True:
            there = _Point(now.matrix, now.target, now.y + length * move)
            wall, r, weight = walls.at(there.y)
            if there.value + wall <= value - 0.1 * length * decrement + 1e-14 * (1 + abs(value)) or length < 1e-8:
                break
            length *= 0.5 if length > 0.2 else 0.25
        now = there
        if decrement < (1e-26 if precise else 0.1 * walls.barrier) or 0.5 * last < decrement < 1e-15:
            return now, step  # or only rounding is left
        last = decrement
    raise NotCertified(f"maximum entropy: {MOST_STEPS} steps did not reach radius {walls.radius:.3e}; allow more slack")
