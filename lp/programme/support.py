"""Fewer points with the same answers: Carathéodory's theorem, a logarithmic number of eliminations at a time.

Points are put into groups, twice as many as there are dimensions; the groups' centres are reduced by moving weight
along directions that change no answer until half of the groups are empty; and so on with the points that are left.
Everything is in floating point: the caller must measure the quality of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import blas, lapack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_TINY = 1e-15
_RANK = 1e-10


def reduced_support(columns: Vector, weights: Vector) -> tuple[NDArray[np.int64], Vector]:
    """Indices and positive weights of a few of the columns whose weighted sum is the same, up to rounding."""
    scale = max(1.0, float(np.abs(columns).max()))
    lifted = np.vstack([np.ones(columns.shape[1]), columns / scale])
    kept = np.flatnonzero(weights > 0)
    found = weights[kept] / weights[kept].sum()
    while kept.size > 1:
        groups = min(kept.size, 2 * lifted.shape[0])
        starts = np.linspace(0, kept.size, groups, endpoint=False).astype(np.int64)
        totals = np.add.reduceat(found, starts)
        centres = np.add.reduceat(lifted[:, kept] * found, starts, axis=1) / totals
        moved = _emptied(centres, totals)
        factors = np.repeat(moved / totals, np.diff(np.append(starts, kept.size)))
        left = factors > 0
        if left.all():
            break
        kept, found = kept[left], found[left] * factors[left]
    return kept, found / found.sum()


def _emptied(columns: Vector, weights: Vector) -> Vector:
    """Weights with the same weighted sum of columns, positive at no more of them than the columns have dimensions."""
    basis = null_space(columns)
    found = weights.copy()
    if basis is None:
        return found
    directions = np.asfortranarray(basis)
    blocked = np.zeros(found.size, dtype=bool)
    for left in range(directions.shape[1] - 1, -1, -1):
        direction = directions[:, left]
        if not (direction < -_TINY).any():
            direction = -direction
        ratio = np.divide(found, direction, out=np.full(found.size, -np.inf), where=direction < -_TINY)
        ratio[blocked] = -np.inf
        pivot = int(ratio.argmax())
        if not np.isfinite(ratio[pivot]):
            continue  # rounding only
        found += -ratio[pivot] * direction
        found[pivot] = 0.0
        np.maximum(found, 0.0, out=found)
        blocked[pivot] = True
        if left:
            coefficients = directions[pivot, :left] / -direction[pivot]
            blas.dger(1.0, direction, coefficients, a=directions[:, :left], overwrite_a=1)
            directions[pivot, :left] = 0
    found[found < _TINY * found.max()] = 0.0
    return found


def null_space(rows: Vector) -> Vector | None:
    """An orthonormal basis of the vectors that these rows send to zero."""
    height, count = rows.shape
    factored, _, reflectors, _, failed = lapack.dgeqp3(rows.T)
    if failed:
        return None
    diagonal = np.abs(np.diag(factored))
    rank = int((diagonal > _RANK * diagonal[0]).sum())
    unit = np.zeros((count, count - rank), order="F")
    unit[np.arange(rank, count), np.arange(count - rank)] = 1
    found, _, failed = lapack.dormqr("L", "N", factored[:, : min(height, count)], reflectors, unit, lwork=64 * count)
    return None if failed else np.ascontiguousarray(found)
