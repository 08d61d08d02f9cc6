"""Walls around the answers, and a pull towards them: the term of every residual in the search for a density.

A residual r costs pull r^2 / 2 and a logarithmic barrier at +-radius. The search is over dual weights y, so it needs
the conjugate, sup over |r| < radius of y r - pull r^2 / 2 + barrier log(1 - r^2 / radius^2), with its two derivatives
and how they move with the walls. Near a wall r is found only from the force on the barrier, without cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_MOST_STEPS = 60
"""Newton's method for the force needs a handful of steps, and none goes past the root after the first."""


@dataclass(frozen=True)
class Walls:
    """Half the width between the walls, the weight of the barrier, and the weight of half the squares."""

    radius: float
    barrier: float
    pull: float = 0.0

    def at(self, y: Vector) -> tuple[float, Vector, Vector]:
        """The conjugate, summed; the r that attains it (its derivative); and its second derivative."""
        force = self._force(y)
        r, room, slope = self._barrier_alone(force)
        value = float((y * r).sum() - 0.5 * self.pull * (r @ r) + self.barrier * np.log(room).sum())
        return value, r, slope / (1 + self.pull * slope)

    def drift(self, y: Vector, closer: Walls) -> Vector:
        """How r moves, to first order, when the walls move there and y stays."""
        force = self._force(y)
        _, _, slope = self._barrier_alone(force)
        root = np.hypot(self.barrier, self.radius * force)
        both = self.barrier + root
        root = np.maximum(root, 1e-300)
        by_barrier = -(self.radius**2) * force / both**2 * (1 + self.barrier / root)
        by_radius = 2 * self.radius * force / both - self.radius**3 * force**3 / (root * both**2)
        moved = by_barrier * (closer.barrier - self.barrier) + by_radius * (closer.radius - self.radius)
        return np.asarray(moved / (1 + self.pull * slope))

    def _barrier_alone(self, force: Vector) -> tuple[Vector, Vector, Vector]:
        """The r with force = 2 barrier r / (radius^2 - r^2), 1 - r^2 / radius^2, and dr / dforce."""
        square = self.radius * self.radius
        both = self.barrier + np.hypot(self.barrier, self.radius * force)
        r = square * force / both
        room = 2 * self.barrier / both
        return r, room, room * room * square * square / (2 * self.barrier * (square + r * r))

    def _force(self, y: Vector) -> Vector:
        """The part of y that the barrier takes: force + pull r(force) = y, by Newton's method."""
        if self.pull == 0:
            return y
        wanted = np.abs(y)
        share = np.minimum(wanted / (self.pull * self.radius), 1)  # of the radius, if there were no barrier
        with np.errstate(divide="ignore", over="ignore"):
            first = 2 * self.barrier * share / (self.radius * (1 - share * share))
        force = np.minimum(wanted, first)
        for _ in range(_MOST_STEPS):
            r, _, slope = self._barrier_alone(force)
            move = (wanted - force - self.pull * r) / (1 + self.pull * slope)
            force = np.maximum(force + move, 0)
            if float(np.abs(move).max(initial=0)) <= 1e-14 * float(wanted.max(initial=0)):
                break
        return np.copysign(force, y)
