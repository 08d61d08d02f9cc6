"""The Newton system of the interior-point method for density LPs: eliminated, factored once, solved several times.

Unknowns are the changes of h, of the query weights u and v, and of both bounds. Elimination leaves one positive
definite matrix of the number of queries: the Gram matrix of the columns, centred because h sums to 1, plus a diagonal,
bordered by one row because the query weights sum to 1. Most of the code here protects digits: near an optimum the
weights of columns and queries differ by twenty orders of magnitude.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

    Vector = NDArray[np.float64]

_REFINEMENTS = 1
_REGULARISE = (1e-13, 1e-11, 1e-9)
_FEASIBILITY_ROUNDS, _WRONG = 4, 1e-3
_HEAVY = 4
"""At most this many columns are put into the Gram matrix one by one."""


class Step:
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


class NewtonSystem:
    """The Newton system of one iterate: factored once, solved for several right-hand sides."""

    def __init__(self, matrix: QueryMatrix, target: Vector, d: Vector, theta_u: Vector, theta_v: Vector) -> None:
        self._matrix, self._target, self._d, self._theta_u, self._theta_v = matrix, target, d, theta_u, theta_v
        self._scale = 1 / matrix.family.denominator
        self._both = both = theta_u + theta_v
        gram = self._centred_gram()
        diagonal = gram.ravel()[:: len(gram) + 1]
        np.maximum(diagonal, 0, out=diagonal)  # a query that is constant here may be rounded below zero
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
        for added in _REGULARISE if failed else ():
            self._factor, failed = dpotrf(gram + np.eye(len(gram)) * added, lower=1, clean=0)
            if not failed:
                break
        self.usable = not failed and bool(np.isfinite(jacobi).all())
        if self.usable:
            self._tilted = self._invert(tilt)
            inner = float(tilt @ self._tilted)
            self._curvature = inner + own * (1 - penalty * inner)
            self._tilted *= 1 - penalty * own

    def _centred_gram(self) -> Vector:
        """sum_j d_j (a_j - mean)(a_j - mean)^T.

        Columns that outweigh all lighter ones are put in one by one, because the difference of a large Gram matrix and
        a large product of means would have lost what the light columns say.
        """
        matrix, d, scale = self._matrix, self._d, self._scale
        few = min(_HEAVY, d.size)
        heavy = np.argpartition(d, d.size - few)[d.size - few :]
        heavy = heavy[np.argsort(d[heavy])]
        light = d.copy()
        light[heavy] = 0
        mass = float(light.sum())
        while heavy.size > 1 and d[heavy[0]] < mass:  # not heavy after all
            light[heavy[0]] = d[heavy[0]]
            mass += float(d[heavy[0]])
            heavy = heavy[1:]
        columns = matrix.columns_at(heavy).T * scale
        total = matrix.apply(light) * scale
        mean = total / mass if mass > 0 else columns[0]
        gram = matrix.gram(light)
        if scale != 1:
            gram *= scale * scale
        gram -= np.multiply.outer(total, mean)
        away = mean
        for number, column in zip(heavy, columns, strict=True):
            weight = float(d[number])
            away = mean - column
            gram += np.multiply.outer(away * (mass * weight / (mass + weight)), away)
            away = away * (mass / (mass + weight))
            mean, mass = column + away, mass + weight
        self._heaviest, self._pivot, self._away, self._mass = int(heavy[-1]), columns[-1], away, mass
        return gram

    def _invert(self, right: Vector) -> Vector:
        """Solve, with iterative refinement: late matrices are badly conditioned."""
        right = right * self._jacobi
        found = dpotrs(self._factor, right, lower=1)[0]
        for _ in range(_REFINEMENTS):
            found += dpotrs(self._factor, right - self._gram @ found, lower=1)[0]
        return np.asarray(found * self._jacobi)

    def solve(
        self, rh: Vector, ru: Vector, rv: Vector, z: Vector, over: Vector, under: Vector, *, refine: bool = False
    ) -> Step:
        """The direction with z dh + h dz = rh, s dw + w ds = rw, and both sides feasible."""
        scale, both, tilt, heaviest = self._scale, self._both, self._tilt, self._heaviest
        pushed = rh / z
        own_push, pushed[heaviest] = float(pushed[heaviest]), 0
        others = float(pushed.sum())
        moved = others + own_push
        fu, fv = ru / over, rv / under
        lean = (fu - fv) / both
        # everything is told relative to the heaviest column, whose own share would drown the rest
        right = self._matrix.apply(pushed) * scale - self._pivot * others - self._away * moved + lean
        slope = float(tilt @ (fu - fv)) - float(fu.sum() + fv.sum())
        dy, top = self._bordered(right, slope)
        step = Step()
        for again in range(_FEASIBILITY_ROUNDS):
            base, rise = float(self._pivot @ dy), float(self._away @ dy) - moved / self._mass
            step.z = self._matrix.price(dy * scale) - (base + rise)
            step.z[heaviest] = -rise
            step.h = pushed - self._d * step.z
            step.h[heaviest] = 0
            # -A dh as the system has it: formed from dh it loses the digits of small slacks, and du - dv those of dy
            fall = lean - dy / both - tilt * top
            if refine and again + 1 < _FEASIBILITY_ROUNDS:
                # what the rounded Gram matrix got wrong
                wrong = fall + (self._matrix.apply(step.h) * scale - self._pivot * float(step.h.sum()))
                if float((np.abs(wrong) / np.minimum(over, under)).max()) > _WRONG:
                    more, more_top = self._bordered(wrong, 0.0)
                    dy, top = dy + more, top + more_top
                    continue
            break
        step.h[heaviest] = -float(step.h.sum())
        step.top, step.floor = top, base + rise - float(self._target @ dy)
        step.over, step.under = top + fall, top - fall
        step.u, step.v = fu - self._theta_u * step.over, fv - self._theta_v * step.under
        return step

    def _bordered(self, right: Vector, slope: float) -> tuple[Vector, float]:
        """dy and the change of the top with M dy + tilt top = right, tilt.dy - own top = slope."""
        solved = self._invert(right + self._tilt * (self._penalty * slope))
        top = (float(self._tilt @ solved) - slope) / self._curvature
        return solved - self._tilted * top, top
