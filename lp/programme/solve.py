"""Solve a density LP: a density on the reference points whose answers are nearest to the target in the maximum norm.

What comes back is a candidate, trusted for nothing: lp.programme.density_certificate bounds its error exactly and
lp.programme.vertex turns it into the exact optimum where that is possible. Four methods are offered; "auto" takes the
primal simplex method of HiGHS for small programmes, else the interior-point method, on all columns if they are few, on
a working set otherwise. "columns" and "simplex" go through HiGHS, too; they share no code with the interior-point
method and serve as a cross-check.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

METHODS = ("auto", "interior-point", "columns", "simplex")
_SMALL_CELLS = 2**16
"""Up to so many cells the primal simplex method of HiGHS needs a few milliseconds, seldom 50."""
_FEW_COLUMNS = 6
"""With at most this many columns a query, or `_FEW_CELLS` cells, all columns are taken at once."""
_FEW_CELLS = 2**16
_MOST_SIMPLEX_CELLS = 2**24
_SHARE = 0.5
"""The interior-point method aims at this share of the gap; the rest is left to cleaning and rounding."""
_MOST_POLISHED = 2000
"""With more queries than this HiGHS is not asked to finish what the interior-point method left."""


@dataclass(frozen=True)
class Candidate:
    """A density and dual weights that may be optimal."""

    numbers: NDArray[np.int64]
    """The columns that carry weight, ascending."""
    weights: NDArray[np.float64]
    """Positive, about 1 in sum."""
    dual: NDArray[np.float64]
    """y, one weight a query, with sum of absolute values at most about 1."""
    value_est: float
    """max |A h - b| of the density, in float64."""
    lower_est: float
    """What the dual weights prove, in float64."""
    method: str
    rounds: int
    iterations: int


def require_method(matrix: QueryMatrix, method: str) -> None:
    """Refuse what is no method, or one that would not do; where noise is drawn, this is asked before."""
    if method not in METHODS:
        raise ParameterError("solver", method, "one of " + ", ".join(METHODS))
    if method == "simplex" and matrix.rows * matrix.columns > _MOST_SIMPLEX_CELLS:
        raise ParameterError("solver", method, "another one here", f"one model has {matrix.columns} columns")


def solve(
    matrix: QueryMatrix,
    target: NDArray[np.float64],
    *,
    gap: float = 1e-9,
    method: str = "auto",
    progress: Callable[[str], None] | None = None,
) -> Candidate:
    """A candidate whose gap, evaluated exactly, should be at most `gap`; `target` holds answers, not integers."""
    require_method(matrix, method)
    if not 0 < gap < 1:
        raise ParameterError("gap", gap, "between 0 and 1")
    target = np.asarray(target, dtype=np.float64)
    if target.shape != (matrix.rows,):
        raise ParameterError("target", f"{target.size} answers", f"{matrix.rows} answers", "one a query")
    if not np.isfinite(target).all():
        raise ParameterError("target", "not finite", "finite answers")
    if method == "simplex":
        from lp.programme.simplex import one_model

        return one_model(matrix, target)
    if method == "columns":
        from lp.programme.simplex import column_generation

        return column_generation(matrix, target, gap=gap, progress=progress)
    if method == "auto" and matrix.rows * matrix.columns <= _SMALL_CELLS:
        from lp.programme.small_simplex import solve_small

        found = solve_small(matrix, target)
        if found.value_est - found.lower_est <= gap:
            return found
    return _interior(matrix, target, gap=gap, all_columns=method == "interior-point", progress=progress)


def _interior(
    matrix: QueryMatrix,
    target: NDArray[np.float64],
    *,
    gap: float,
    all_columns: bool,
    progress: Callable[[str], None] | None,
) -> Candidate:
    from lp.programme.interior_point import interior_point
    from lp.programme.purify import to_few_columns

    few = matrix.columns <= _FEW_COLUMNS * matrix.rows or matrix.rows * matrix.columns <= _FEW_CELLS
    if all_columns or few:
        found = interior_point(matrix, target, gap=_SHARE * gap)
        numbers, weights = np.arange(matrix.columns), found.h
        dual, rounds, iterations, method = found.y, 1, found.iterations, "interior-point"
        value, lower = found.top, found.floor
    else:
        from lp.programme.working_set import solve_on_working_set

        solved = solve_on_working_set(matrix, target, gap=_SHARE * gap, progress=progress)
        numbers, weights, dual = solved.numbers, solved.weights, solved.dual
        rounds, iterations, method = solved.rounds, solved.iterations, "interior-point on a working set"
        value, lower = solved.upper_est, solved.lower_est
    candidate = Candidate(numbers, weights, dual, value, lower, method, rounds, iterations)
    candidate = to_few_columns(matrix, target, candidate, gap=gap)
    if candidate.value_est - candidate.lower_est <= gap or matrix.rows > _MOST_POLISHED:
        return candidate
    from lp.programme.simplex import polish

    return polish(matrix, target, candidate, gap=gap, progress=progress)
