"""A primal-dual interior-point method for min over densities h of max |A h - b|, on all columns of one matrix.

The problem is a matrix game: h on the columns against weights w = (u, v) on the signed queries, with y = u - v. Both
sides have trivial interior points, so every iterate is feasible and t - floor is a true gap up to rounding. A step is
eliminated to one positive definite system of the number of queries: the Gram matrix of the columns, centred because
h sums to 1, plus a diagonal. Predictor and corrector follow Mehrotra; the complementarity of the query block is
weighted so that both blocks carry the same share of the gap. Nothing returned here is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.newton_system import NewtonSystem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

    Vector = NDArray[np.float64]

MOST_ITERATIONS = 120
_TO_THE_WALL = 0.9995
_SMALLEST_SLACK = 1e-16
_SHORT, _CENTRE = 0.1, 0.5
_PATIENCE = 15
_LIFT, _LIFT_SLACK = 0.5, 0.2


@dataclass(frozen=True)
class Iterate:
    """A strictly feasible point of both sides; the gap is at most `top` - `floor`."""

    h: Vector
    u: Vector
    v: Vector
    top: float
    """At least max |A h - b|."""
    floor: float
    """At most min_j A_j.y - b.y."""
    iterations: int

    @property
    def y(self) -> Vector:
        return self.u - self.v

    @property
    def gap(self) -> float:
        return self.top - self.floor


def start(matrix: QueryMatrix, target: Vector) -> Iterate:
    """Uniform weights on both sides."""
    h = np.full(matrix.columns, 1 / matrix.columns)
    w = np.full(matrix.rows, 0.5 / matrix.rows)
    top = 1.5 * float(np.abs(matrix.apply(h) / matrix.family.denominator - target).max()) + 1e-3
    return Iterate(h, w, w.copy(), top, -top, 0)


def restart(matrix: QueryMatrix, target: Vector, h: Vector, u: Vector, v: Vector) -> Iterate:
    """An interior point near these weights, which may be zero where a column is new: lifted towards the centre."""
    scale = 1 / matrix.family.denominator
    balance = matrix.columns / (2 * matrix.rows)
    y = u - v
    price = matrix.price(y * scale) - target @ y
    residual = matrix.apply(h / h.sum()) * scale - target
    gap = float(np.abs(residual).max() - price.min())
    slack = _LIFT_SLACK * gap
    mu = (0.5 * gap + slack) / matrix.columns * _LIFT
    h = np.maximum(h, mu / (price - (price.min() - slack)))
    h /= h.sum()
    top = float(np.abs(residual).max()) + slack
    u = np.maximum(u, mu * balance / (top - residual))
    v = np.maximum(v, mu * balance / (top + residual))
    mass = u.sum() + v.sum()
    u, v = u / mass, v / mass
    y = u - v
    price = matrix.price(y * scale) - target @ y
    residual = matrix.apply(h) * scale - target
    gap = float(np.abs(residual).max() - price.min())
    return Iterate(
        h, u, v, float(np.abs(residual).max()) + _LIFT_SLACK * gap, float(price.min()) - _LIFT_SLACK * gap, 0
    )


def interior_point(
    matrix: QueryMatrix,
    target: Vector,
    *,
    gap: float,
    first: Iterate | None = None,
    most_iterations: int = MOST_ITERATIONS,
) -> Iterate:
    """Iterate until the gap is reached or no longer shrinks."""
    now = first or start(matrix, target)
    scale = 1 / matrix.family.denominator
    h, u, v, top, floor = now.h, now.u, now.v, now.top, now.floor
    balance = matrix.columns / (2 * matrix.rows)
    residual = matrix.apply(h) * scale - target
    y = u - v
    price = matrix.price(y * scale) - target @ y
    over, under, z = top - residual, top + residual, price - floor
    best, since, steps = now, 0, 0
    while steps < most_iterations:
        mu = 0.5 * (h @ z + u @ over + v @ under) / matrix.columns
        d = h / z
        theta_u, theta_v = u / over, v / under
        system = NewtonSystem(matrix, target, d, theta_u, theta_v)
        if not system.usable:
            break
        # predictor: aim at zero complementarity
        hz, us, vs = h * z, u * over, v * under
        step = system.solve(-hz, -us, -vs, z, over, under)
        primal, dual = step.longest(h, z, u, over, v, under, 1.0)
        aimed = (
            (h + primal * step.h) @ (z + dual * step.z)
            + (u + dual * step.u) @ (over + primal * step.over)
            + (v + dual * step.v) @ (under + primal * step.under)
        ) / (2 * matrix.columns)
        aim = min(1.0, max(float(aimed / mu), 0.0)) ** 3 * mu
        # corrector: aim at the central path, to second order as far as the predictor reaches
        trust = primal * dual
        step = system.solve(
            aim - hz - trust * (step.h * step.z),
            aim * balance - us - trust * (step.u * step.over),
            aim * balance - vs - trust * (step.v * step.under),
            z,
            over,
            under,
            refine=True,
        )
        primal, dual = step.longest(h, z, u, over, v, under, _TO_THE_WALL)
        if min(primal, dual) < _SHORT:  # too far from the path: towards it first
            aim = _CENTRE * mu
            other = system.solve(aim - hz, aim * balance - us, aim * balance - vs, z, over, under, refine=True)
            other_primal, other_dual = other.longest(h, z, u, over, v, under, _TO_THE_WALL)
            if min(other_primal, other_dual) > min(primal, dual):
                step, primal, dual = other, other_primal, other_dual
        if max(primal, dual) < 1e-6 or not np.isfinite(step.top + step.floor):
            break
        h = h + primal * step.h
        h /= h.sum()
        u, v = u + dual * step.u, v + dual * step.v
        mass = u.sum() + v.sum()
        u, v = u / mass, v / mass
        top, floor = top + primal * step.top, floor + dual * step.floor
        # slacks afresh, so that rounding cannot part them from h, u and v; a slack lost to rounding moves the bound
        y = u - v
        residual = matrix.apply(h) * scale - target
        price = matrix.price(y * scale) - target @ y
        top = max(top, float(np.abs(residual).max()) + _SMALLEST_SLACK)
        floor = min(floor, float(price.min()) - _SMALLEST_SLACK)
        over, under, z = top - residual, top + residual, price - floor
        steps += 1
        now = Iterate(h, u, v, float(top), float(floor), steps)
        if now.gap < 0.9 * best.gap:
            best, since = now, 0
        else:
            since += 1
        if now.gap <= gap or since >= _PATIENCE:
            break
    return replace(best if now.gap > best.gap else now, iterations=steps)
