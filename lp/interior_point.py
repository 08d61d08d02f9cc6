"""A primal-dual interior-point method for min over densities h of max |A h - b|, on all columns of one matrix.

The problem is a matrix game: h on the columns against weights w = (u, v) on the signed queries, with y = u - v. Both
sides have trivial interior points, so every iterate is feasible and t - floor is a true gap up to rounding. A step is
eliminated to one positive definite system of the number of queries: the Gram matrix of the columns, centred because
h sums to 1, plus a diagonal. Predictor and corrector follow Mehrotra; the complementarity of the query block is
weighted so that both blocks carry the same share of the gap. Nothing returned here is trusted by anyone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lp.matrices import QueryMatrix

    Vector = NDArray[np.float64]

MOST_ITERATIONS = 120
_TO_THE_WALL = 0.9995
_REFINEMENTS = 2
_SMALLEST_SLACK = 1e-16
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
    stop: Callable[[Iterate], bool] | None = None,
    most_iterations: int = MOST_ITERATIONS,
) -> Iterate:
    """Iterate until the gap is reached, `stop` says so, or no step is possible any more."""
    now = first or start(matrix, target)
    scale = 1 / matrix.family.denominator
    h, u, v, top, floor = now.h, now.u, now.v, now.top, now.floor
    balance = matrix.columns / (2 * matrix.rows)
    residual = matrix.apply(h) * scale - target
    y = u - v
    price = matrix.price(y * scale) - target @ y
    over, under, z = top - residual, top + residual, price - floor
    steps = 0
    while steps < most_iterations:
        mu = 0.5 * (h @ z + u @ over + v @ under) / matrix.columns
        d = h / z
        theta_u, theta_v = u / over, v / under
        system = _System(matrix, target, d, theta_u, theta_v)
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
        centring = min(1.0, max(float(aimed / mu), 0.0)) ** 3
        aim = centring * mu
        # corrector: aim at the central path, second order; a far too long predictor is not corrected for
        step = system.solve(
            aim - hz - step.h * step.z,
            aim * balance - us - step.u * step.over,
            aim * balance - vs - step.v * step.under,
            z,
            over,
            under,
        )
        primal, dual = step.longest(h, z, u, over, v, under, _TO_THE_WALL)
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
        if now.gap <= gap or (stop is not None and stop(now)):
            break
    return now


class _Step:
    """A direction on both sides."""

    __slots__ = ("floor", "h", "over", "top", "u", "under", "v", "z")

    h: Vector
    z: Vector
    u: Vector
    v: Vector
    over: Vector
    under: Vector
    top: float
    floor: float

    def longest(
        self, h: Vector, z: Vector, u: Vector, over: Vector, v: Vector, under: Vector, share: float
    ) -> tuple[float, float]:
        """The steps to this share of the way to the wall, primal and dual, at most 1."""
        primal = max(-(self.h / h).min(), -(self.over / over).min(), -(self.under / under).min())
        dual = max(-(self.z / z).min(), -(self.u / u).min(), -(self.v / v).min())
        return (1.0 if primal <= share else share / primal), (1.0 if dual <= share else share / dual)


class _System:
    """The Newton system of one iterate: factored once, solved for several right-hand sides."""

    def __init__(self, matrix: QueryMatrix, target: Vector, d: Vector, theta_u: Vector, theta_v: Vector) -> None:
        self._matrix, self._target, self._d, self._theta_u, self._theta_v = matrix, target, d, theta_u, theta_v
        self._scale = scale = 1 / matrix.family.denominator
        self._both = both = theta_u + theta_v
        self._mass = float(d.sum())
        self._mean = mean = matrix.apply(d) * (scale / self._mass)
        gram = matrix.gram(d)
        if scale != 1:
            gram *= scale * scale
        gram -= np.multiply.outer(mean * self._mass, mean)
        diagonal = gram.ravel()[:: len(gram) + 1]
        np.maximum(diagonal, 0, out=diagonal)  # centring may round a query that is constant here below zero
        diagonal += 1 / both
        self._jacobi = jacobi = 1 / np.sqrt(diagonal)
        gram *= jacobi
        gram *= jacobi[:, None]
        # near a unique optimum the Gram matrix loses the direction of y itself, which only the sum of the weights fixes
        self._tilt = tilt = (theta_u - theta_v) / both
        scaled_tilt = tilt * jacobi
        own = 4 * float((theta_u * theta_v / both).sum())
        self._penalty = penalty = 1 / (float(scaled_tilt @ scaled_tilt) + own)
        gram += np.multiply.outer(scaled_tilt * penalty, scaled_tilt)
        self._gram = gram
        self._factor, failed = dpotrf(gram, lower=1, clean=0)
        if failed:
            self._factor, failed = dpotrf(gram + np.eye(len(gram)) * 1e-13, lower=1, clean=0)
        self.usable = not failed and bool(np.isfinite(jacobi).all())
        if self.usable:
            self._tilted = self._invert(tilt)
            inner = float(tilt @ self._tilted)
            self._curvature = inner + own * (1 - penalty * inner)
            self._tilted *= 1 - penalty * own

    def _invert(self, right: Vector) -> Vector:
        """Solve, with iterative refinement: late matrices are badly conditioned."""
        right = right * self._jacobi
        found = dpotrs(self._factor, right, lower=1)[0]
        for _ in range(_REFINEMENTS):
            found += dpotrs(self._factor, right - self._gram @ found, lower=1)[0]
        return np.asarray(found * self._jacobi)

    def solve(self, rh: Vector, ru: Vector, rv: Vector, z: Vector, over: Vector, under: Vector) -> _Step:
        """The direction with z dh + h dz = rh, s dw + w ds = rw, and both sides feasible."""
        scale, both, tilt = self._scale, self._both, self._tilt
        pushed = rh / z
        moved = float(pushed.sum())
        fu, fv = ru / over, rv / under
        lean = fu - fv
        right = self._matrix.apply(pushed) * scale - self._mean * moved + lean / both
        slope = float(tilt @ lean) - float(fu.sum() + fv.sum())
        solved = self._invert(right + tilt * (self._penalty * slope))
        step = _Step()
        step.top = (float(tilt @ solved) - slope) / self._curvature
        dy = solved - self._tilted * step.top
        # the price of dy, centred: b cancels against the floor
        rise = float(self._mean @ dy) - moved / self._mass
        step.z = self._matrix.price(dy * scale) - rise
        step.floor = rise - float(self._target @ dy)
        step.h = pushed - self._d * step.z
        # -A dh is read off the system: formed from dh it would lose the digits of small slacks, and du - dv those of dy
        fall = (lean - dy) / both - tilt * step.top
        step.over, step.under = step.top + fall, step.top - fall
        step.u, step.v = fu - self._theta_u * step.over, fv - self._theta_v * step.under
        return step
