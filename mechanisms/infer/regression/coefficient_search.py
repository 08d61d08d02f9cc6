"""The interval of one coefficient, with an exact level; its ends are found by search, and are estimates.

The set is {b in the joint set at a small failure, |v' xi| <= z sqrt(v' C v)}; the interval is its range in one
coordinate. Locally the set is the part of a ball inside a slab, and its widest points lie where slab and sphere meet.
There the objective is almost constant and only curvature decides, so a search from a single start ends too early. Each
end is sought from many starts, along the weakest directions first; each step goes to the best point of the slab and the
ball that locally fit the set. Every point that is used has been checked to lie in the set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.infer.regression.float_pivot import FloatPivot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

STEPS = 60
WEAKEST = 3
"""Directions about which the equations say least; the search starts along each, both ways."""
SCATTERED = 4
"""Starts in random directions."""
_SEED = 20_240_611
_STEEP = 3
"""Penalty, in reach, for each deviation by which the statistic of a point is too large."""
_SHIFTS = (0.0, 0.0, 0.0, 0.3)
_SHORTEST = 1e-3
_SHARES = (0.25, 0.5, 0.75, 0.9, 0.97, 0.99, 1.0)
_HALVINGS = 10
_TINY = 1e-12


@dataclass(frozen=True)
class Found:
    """The least and the largest value of each coefficient that the search has found in its set."""

    lo: Floats
    hi: Floats


def search_coefficients(pivot: FloatPivot, *, places: Places, radius: float, z: float) -> Found:
    """Ends for the coefficients at these places: joint set of this radius, statistic of at most z in size."""
    center = pivot.solution
    covariance = pivot.covariance(center[None])[0]
    # b = center + x B' makes the joint set the ball |x| <= radius, if the noise is small
    spread = np.asarray(np.linalg.solve(pivot.matrix, np.linalg.cholesky(covariance)), np.float64)
    rises = spread[places]
    starts = _starts(pivot, spread)
    count, many = len(places), len(starts)
    sign = np.repeat([1.0, -1.0], count * many)
    place = np.tile(np.repeat(places, many), 2)
    aim = np.repeat(rises, many, axis=0)
    aim = sign[:, None] * np.concatenate([aim, aim])
    size = np.linalg.norm(aim, axis=1)
    aim = aim / size[:, None]

    def seen(x: Floats) -> _Seen:
        distances, slopes, statistics, turns = pivot.with_slopes(center + x @ spread.T, place)
        reached = (x * aim).sum(axis=1)
        over = np.maximum(np.sqrt(np.maximum(distances, 0)) - radius, 0) + _STEEP * np.maximum(sign * statistics - z, 0)
        found = reached - over
        return _Seen(
            x=x,
            merit=np.where(np.isfinite(found), found, -np.inf),
            gap=radius**2 - distances,
            slope=slopes @ spread,
            room=z - sign * statistics,
            turn=sign[:, None] * (turns @ spread),
        )

    at = seen(_spoke(aim, np.tile(starts, (2 * count, 1)), radius, z))
    length = np.ones(len(aim))
    for step in range(STEPS):
        goal = _stepped(at, aim, shift=_SHIFTS[step % len(_SHIFTS)])
        tried = seen(at.x + length[:, None] * (goal - at.x))
        better = tried.merit > at.merit
        at = at.where(better, tried)
        length = np.where(better, np.minimum(1.0, 2 * length), np.maximum(length / 2, _SHORTEST))
    share = _inside_share(pivot, center, at.x @ spread.T, place, radius=radius, z=z)
    best = np.maximum(share * (at.x * aim).sum(axis=1), 0)  # the solution itself is in every set
    width = (best * size).reshape(2, count, many).max(axis=2)
    return Found(lo=center[places] - width[1], hi=center[places] + width[0])


@dataclass(frozen=True, eq=False)
class _Seen:
    """The present points of the searches, their values, and the local shape of the set."""

    x: Floats
    merit: Floats
    gap: Floats
    slope: Floats
    room: Floats
    turn: Floats

    def where(self, better: NDArray[np.bool_], other: _Seen) -> _Seen:
        def chosen(old: Floats, new: Floats) -> Floats:
            return np.where(better if old.ndim == 1 else better[:, None], new, old)

        return _Seen(**{name: chosen(old, getattr(other, name)) for name, old in vars(self).items()})


def _inside_share(pivot: FloatPivot, center: Floats, away: Floats, place: Places, *, radius: float, z: float) -> Floats:
    """What part of the way from the solution to the end of a search stays in the set, up to nearly its last point."""

    def is_inside(share: Floats) -> NDArray[np.bool_]:
        distances, _, statistics, _ = pivot.with_slopes(center + share[:, None] * away, place)
        return (distances >= 0) & (distances <= radius**2) & (np.abs(statistics) <= z)

    low, high = np.zeros(len(away)), np.ones(len(away))
    for share in _SHARES:  # from afar: the set need not be convex
        inside = is_inside(np.full(len(away), share))
        low, high = np.where(inside, share, low), np.where(inside, high, np.minimum(high, share))
        high = np.maximum(high, low)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = is_inside(middle)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low


def _starts(pivot: FloatPivot, spread: Floats) -> Floats:
    """Directions in x, of length 1, and the zero direction."""
    values, vectors = np.linalg.eigh(pivot.matrix)
    weak = vectors[:, np.argsort(np.abs(values))[:WEAKEST]].T
    weak = np.linalg.solve(spread, weak.T).T
    scattered = np.random.Generator(np.random.Philox(_SEED)).standard_normal((SCATTERED, pivot.size))
    found = np.concatenate([weak, -weak, scattered])
    found /= np.linalg.norm(found, axis=1)[:, None]
    return np.concatenate([np.zeros((1, pivot.size)), found])


def _spoke(aim: Floats, starts: Floats, radius: float, z: float) -> Floats:
    """The point of slab and sphere in that direction, if the noise is small."""
    height = min(z, radius)
    found: Floats = height * aim + np.sqrt(radius**2 - height**2) * _unit(_across(starts, aim))
    return found


def _stepped(at: _Seen, aim: Floats, *, shift: float) -> Floats:
    """The point farthest along the aim in the ball that fits the joint set at x, cut by the slab's plane at x."""
    middle = -at.slope / 2
    squared = np.maximum(at.gap + (middle**2).sum(axis=1), 0)
    length = np.linalg.norm(at.turn, axis=1)
    normal = np.divide(at.turn, length[:, None], out=np.zeros_like(at.turn), where=length[:, None] > 0)
    most = np.sqrt(squared)
    room = np.divide(at.room, length, out=most.copy(), where=length > 0)
    height = np.clip(room - (normal * middle).sum(axis=1), -most, most)
    flat = np.sqrt(np.maximum(squared - height**2, 0))
    # a part of the present direction of the point keeps steps from oscillating
    along = _unit(_unit(_across(aim, normal)) + shift * _unit(_across(-middle, normal)))
    cut = middle + height[:, None] * normal + flat[:, None] * along
    free = middle + most[:, None] * aim
    is_free = ((free - middle) * normal).sum(axis=1) <= height
    found: Floats = at.x + np.where(is_free[:, None], free, cut)
    return np.where(np.isfinite(found), found, at.x)


def _across(vectors: Floats, normal: Floats) -> Floats:
    found: Floats = vectors - (vectors * normal).sum(axis=1)[:, None] * normal
    return found


def _unit(vectors: Floats) -> Floats:
    """Vectors scaled to length 1; a vector without direction stays 0."""
    size = np.linalg.norm(vectors, axis=1)[:, None]
    found: Floats = np.divide(vectors, size, out=np.zeros_like(vectors), where=size > _TINY)
    return found
