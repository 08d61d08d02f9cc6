"""From an interior solution to few columns: a density on at most one column more than there are tight queries.

There are two ways. If the optimum is unique, its columns and tight queries are as many as each other, and one linear
system gives density and dual weights to the last digit. Otherwise weight is moved along directions that change no tight
answer, until a column is empty or another answer becomes tight; every move removes one degree of freedom. The result is
taken only if its gap is within the requested one; if that would cost more than the solve, nothing is done.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import blas, lapack

from lp.programme.support import null_space
from lp.programme.working_set import lowest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix
    from lp.programme.solve import Candidate

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_MOST_WORK = 4e9
"""Moves are made only if they need at most about this many multiply-adds."""
_NOTHING, _TINY = 1e-15, 1e-300
_BATCH = 128
"""At least this many columns are emptied at a time, if there are that many."""


def to_few_columns(matrix: QueryMatrix, target: Vector, candidate: Candidate, *, gap: float) -> Candidate:
    """The candidate, or a better or sparser one."""
    best = _without_dust(matrix, target, candidate, gap=gap)
    vertex = _unique_optimum(matrix, target, best)
    if vertex is not None and vertex.value_est - vertex.lower_est <= max(1e-13, best.value_est - best.lower_est):
        return vertex
    moved = _moved(matrix, target, best)
    if moved is not None and moved.value_est - moved.lower_est <= max(gap * 0.9, best.value_est - best.lower_est):
        return moved
    return best


def _distance(matrix: QueryMatrix, target: Vector, numbers: Numbers, weights: Vector) -> float:
    return float(np.abs(matrix.apply_at(numbers, weights) / matrix.family.denominator - target).max())


def _without_dust(matrix: QueryMatrix, target: Vector, candidate: Candidate, *, gap: float) -> Candidate:
    """Drop the smallest weights, together far below the gap, and put the columns in order."""
    order = np.argsort(candidate.weights)
    total = np.cumsum(candidate.weights[order])
    kept = np.sort(order[np.searchsorted(total, 0.02 * gap) :])
    kept = kept[np.argsort(candidate.numbers[kept])]
    numbers, weights = candidate.numbers[kept], candidate.weights[kept]
    weights = weights / weights.sum()
    dual = candidate.dual if candidate.lower_est > 0 else np.zeros_like(candidate.dual)
    value = _distance(matrix, target, numbers, weights)
    lower = max(candidate.lower_est, 0.0)
    return replace(candidate, numbers=numbers, weights=weights, dual=dual, value_est=value, lower_est=lower)


def _unique_optimum(matrix: QueryMatrix, target: Vector, candidate: Candidate) -> Candidate | None:
    """Solve for the optimum whose columns and tight queries the candidate shows, if they are equally many."""
    scale = 1 / matrix.family.denominator
    numbers, weights, dual = candidate.numbers, candidate.weights, candidate.dual
    if candidate.value_est - candidate.lower_est > 0.01 * candidate.value_est or not dual.any():
        return None
    residual = matrix.apply_at(numbers, weights) * scale - target
    slack = candidate.value_est - np.abs(residual)
    tight = np.flatnonzero(np.abs(dual) > slack)
    size = tight.size
    if not 1 <= size <= numbers.size:
        return None
    kept = np.sort(np.argpartition(-weights, size - 1)[:size])
    numbers = numbers[kept]
    columns = matrix.columns_at(numbers) * scale
    signs = np.sign(dual[tight])
    system = np.zeros((size + 1, size + 1))
    system[:size, :size], system[:size, size], system[size, :size] = columns[tight], -signs, 1
    factored, pivots, singular = lapack.dgetrf(system)
    if singular:
        return None
    found = _refined(system, factored, pivots, np.append(target[tight], 1.0), transposed=False)
    weights_dual = _refined(system, factored, pivots, np.append(np.zeros(size), -1.0), transposed=True)
    if not (np.isfinite(found).all() and np.isfinite(weights_dual).all()):
        return None
    h, y = found[:size], np.zeros(matrix.rows)
    y[tight] = weights_dual[:size]
    if h.min() < -1e-12 or (y[tight] * signs).min() < -1e-12:
        return None
    positive = h > _NOTHING
    numbers, h = numbers[positive], h[positive] / h[positive].sum()
    y /= np.abs(y).sum()
    lower = lowest(matrix, y * scale, count=1).least - float(target @ y)
    value = float(np.abs((columns[:, positive] @ h) - target).max())
    return replace(candidate, numbers=numbers, weights=h, dual=y, value_est=value, lower_est=max(0.0, lower))


def _refined(system: Vector, factored: Vector, pivots: NDArray[np.int32], right: Vector, *, transposed: bool) -> Vector:
    operator, trans = (system.T, 1) if transposed else (system, 0)
    found = lapack.dgetrs(factored, pivots, right, trans=trans)[0]
    if np.isfinite(found).all():
        found = found + lapack.dgetrs(factored, pivots, right - operator @ found, trans=trans)[0]
    return np.asarray(found)


def _moved(matrix: QueryMatrix, target: Vector, candidate: Candidate) -> Candidate | None:
    """Empty columns by moves that keep every tight answer, a batch of columns at a time, smallest weights first."""
    rows, count = matrix.rows, candidate.numbers.size
    batches = max(1, count - rows - 1) / max(1, rows)
    if count <= rows + 1 or batches * 7.0 * rows**3 > _MOST_WORK:
        return None
    order = np.argsort(candidate.weights)
    numbers, h = candidate.numbers[order], candidate.weights[order].copy()
    columns = matrix.columns_at(numbers) / matrix.family.denominator
    residual = columns @ h - target
    top = float(np.abs(residual).max())
    tight = np.abs(residual) >= top - max(1e-9, 1e-6 * top)
    alive = np.arange(count)
    while True:
        fixed = int(tight.sum()) + 1
        if alive.size <= fixed:
            break
        taken = alive[: fixed + max(_BATCH, fixed)]
        emptied = _move_batch(columns[:, taken], h, taken, residual, tight, top)
        if emptied is None:
            return None
        if not emptied and int(tight.sum()) + 1 == fixed:
            break
        alive = alive[h[alive] > 0]
    numbers, h = numbers[alive], h[alive]
    ascending = np.argsort(numbers)
    numbers, h = numbers[ascending], h[ascending] / h.sum()
    return replace(candidate, numbers=numbers, weights=h, value_est=_distance(matrix, target, numbers, h))


def _move_batch(
    columns: Vector, h: Vector, taken: Numbers, residual: Vector, tight: NDArray[np.bool_], top: float
) -> int | None:
    """Moves within these columns; updates h, residual and tight in place, and says how many columns were emptied.

    One slack is kept for every weight (at least 0) and two for every answer that is not tight (at most `top` from 0).
    A direction is a column of slacks per step. The slack that ends a step is pivoted out of all other directions.
    """
    fixed = np.vstack([np.ones(taken.size), columns[tight]])
    basis = null_space(fixed)
    if basis is None:
        return None
    free = np.flatnonzero(~tight)
    effect = columns[free] @ basis
    directions = np.asfortranarray(np.vstack([basis, -effect, effect]))
    slack = np.concatenate([h[taken], top - residual[free], top + residual[free]])
    np.maximum(slack, _TINY, out=slack)
    count, left, ended = taken.size, basis.shape[1], []
    while left:
        left -= 1
        direction = directions[:, left]
        ratio = direction / slack
        pivot = int(ratio.argmin())
        if direction[pivot] > -1e-13:  # the first slack to end may be rounding noise
            ratio[direction > -1e-13] = 0
            pivot = int(ratio.argmin())
            if ratio[pivot] == 0:
                continue
        slack -= direction / ratio[pivot]
        np.maximum(slack, _TINY, out=slack)
        slack[pivot] = np.inf  # it stays zero from here on: all other directions lose their part in it
        ended.append(pivot)
        if left:
            others = directions[:, :left]
            blas.dger(-1.0 / direction[pivot], direction, others[pivot], a=others, overwrite_a=1)
            others[pivot] = 0
    slack[ended] = 0
    blocked = np.zeros(slack.size, dtype=bool)
    blocked[ended] = True
    h[taken] = np.where(slack[:count] < _NOTHING, 0.0, slack[:count])
    half = free.size
    residual[free] = 0.5 * (slack[count + half :] - slack[count : count + half])
    tight[free[blocked[count : count + half] | blocked[count + half :]]] = True
    return sum(pivot < count for pivot in ended)
