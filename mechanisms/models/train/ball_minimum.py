"""The least value of a convex quadratic in a ball around zero, by its eigenvalues and one equation in one unknown.

For H >= 0 it minimises v'Hv/2 - r.v over ||v|| <= radius: v = (H + mu)^-1 r, where mu >= 0 is zero if that v lies
inside and otherwise makes its norm the radius. The last coordinate may be left out of the norm. Floating point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SINGULAR = 1e-14
"""Directions with less curvature than this, relative to the most curved one, count as flat: no step goes along them."""


_LEAST_CORNER = 1e-9
"""A free coordinate without curvature gives a long step, not an infinite one; the caller searches along it."""


def smallest_in_ball(hessian: Floats, right: Floats, radius: float | None, *, free_last: bool = False) -> Floats:
    """The minimiser; without a radius, the one of least norm on the whole space."""
    if not free_last:
        return _bounded(hessian, right, radius)
    # For every choice of the others the best last coordinate is known, which leaves a problem in only the others.
    corner, side = max(float(hessian[-1, -1]), _LEAST_CORNER), hessian[:-1, -1]
    reduced = hessian[:-1, :-1] - np.outer(side, side) / corner
    others = _bounded(reduced, right[:-1] - side * (right[-1] / corner), radius)
    return np.append(others, (right[-1] - side @ others) / corner)


def _bounded(hessian: Floats, right: Floats, radius: float | None) -> Floats:
    values, vectors = np.linalg.eigh(hessian)
    values = np.maximum(values, 0)
    turned = vectors.T @ right
    flat = values <= _SINGULAR * max(values.max(initial=0.0), np.finfo(float).tiny)
    inside = np.where(flat, 0.0, turned / np.where(flat, 1.0, values))
    pulled = np.abs(turned[flat]).max(initial=0.0) > _SINGULAR**0.5 * np.linalg.norm(turned)
    if radius is None or (not pulled and np.linalg.norm(inside) <= radius):
        found: Floats = vectors @ inside
        return found
    mu = _multiplier(values, turned, radius)
    at_radius: Floats = vectors @ (turned / (values + mu))
    return at_radius * (radius / np.linalg.norm(at_radius))


def _multiplier(values: Floats, turned: Floats, radius: float) -> float:
    """mu > 0 with ||turned / (values + mu)|| = radius; the reciprocal of the norm is concave, so Newton stays below."""
    size = float(np.linalg.norm(turned))
    low = max(size / radius - float(values.max()), 0.0)
    high = size / radius
    mu = low if low > 0 else high * 1e-3
    for _ in range(200):
        scaled = turned / (values + mu)
        norm = float(np.linalg.norm(scaled))
        if norm > radius:
            low = mu
        else:
            high = mu
        if abs(norm / radius - 1) <= 1e-15 or high - low <= 1e-16 * high:
            break
        slope = float((scaled * scaled / (values + mu)).sum())
        step = mu + (norm - radius) / radius * norm * norm / slope
        mu = step if low < step < high else (low + high) / 2
    return mu
