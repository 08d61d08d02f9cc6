"""Solve a density LP: a density on the reference points whose answers are nearest to the target in the maximum norm.

The result is a candidate that need not be trusted: lp.programme.density_certificate bounds its error exactly and
lp.programme.vertex turns it into the exact optimum if that is possible. "auto" takes the primal simplex method of HiGHS
for small programmes, else the interior-point method, on all columns if they are few or can be weighed all at once, on a
working set otherwise; for more than a thousand cells proportional fitting, and for as many parities or monomials of two
levels blocks of bits, which end near the optimum and say how near. "columns" and "simplex" go through HiGHS, too; they
share no code with the interior-point method and serve as a cross-check.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bounds.errors import ParameterError
from lp.programme.cell_tables import are_cells
from lp.programme.matrices import build_matrix
from lp.programme.matrix_bits import are_bits
from release.statistics.families import MOST_QUERIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix
    from release.statistics.families import Family

FITTING = ("proportional", "blocks")
"""Methods that end near the optimum, with a density on all columns."""
METHODS = ("auto", "interior-point", "columns", "simplex", *FITTING)
MOST_EXACT = 1000
"""With more queries than this `auto` looks for a density near the optimum, not for the optimum itself."""
_MOST_SECOND_ORDER = 2500
"""Up to this many queries the interior-point method is used if a fit stops early."""
_MOST_FITTED = 2**21
"""A fit holds a weight and a cell of every table or block for each of at most this many points."""
_SMALL_CELLS = 2**16
"""Up to this many cells the primal simplex method of HiGHS needs a few milliseconds, seldom 50."""
_FEW_COLUMNS = 6
"""With at most this many columns a query, or `_FEW_CELLS` cells, all columns are taken at once."""
_FEW_CELLS = 2**16
_MOST_SIMPLEX_CELLS = 2**24
_SHARE = 0.5
"""The interior-point method aims at this share of the gap; the rest is left to cleaning and rounding."""
_DRAWN_COLUMNS, _DRAWN_SEED = 4, 20_240_301
"""This many columns per query are drawn from a density on all columns, always the same ones."""
_MOST_POLISHED = 2000
"""With more queries than this HiGHS does not finish what the interior-point method left."""


@dataclass(frozen=True)
class Candidate:
    """A density and dual weights that may be optimal."""

    numbers: NDArray[np.int64]
    """The columns that carry weight, ascending."""
    weights: NDArray[np.float64]
    """Positive, about 1 in sum."""
    dual: NDArray[np.float64]
    """y, one weight per query, with sum of absolute values at most about 1."""
    value_est: float
    """max |A h - b| of the density, in float64."""
    lower_est: float
    """What the dual weights prove, in float64."""
    method: str
    rounds: int
    iterations: int
    is_density: bool = False
    """Whether the weights, on all columns, are the density to make rows from; else they are a vertex or near one."""


class Sizes(Protocol):
    """The sizes of a programme, from public numbers: a matrix has them, and so has a plan before there is one."""

    @property
    def family(self) -> Family: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...


def require_method(matrix: Sizes, method: str) -> None:
    """Refuse an unknown or unsuitable method; if noise will be drawn, this is checked before."""
    if method not in METHODS:
        raise ParameterError("solver", method, "one of " + ", ".join(METHODS))
    if method == "simplex" and matrix.rows * matrix.columns > _MOST_SIMPLEX_CELLS:
        raise ParameterError("solver", method, "another one here", f"one model has {matrix.columns} columns")
    if method == "proportional" and not are_cells(matrix.family):
        raise ParameterError("solver", method, "another one here", "it is for cells")
    if method == "blocks" and not are_bits(matrix.family):
        reason = "it is for parities and monomials of two levels, of degree at most three"
        raise ParameterError("solver", method, "another one here", reason)
    if matrix.rows > MOST_QUERIES and not (method in ("auto", "proportional") and is_fitted(matrix)):
        reason = f"{matrix.rows} queries and {matrix.columns} points: others need a matrix of the queries squared"
        raise ParameterError("solver", method, f"auto or proportional, on at most {_MOST_FITTED} points", reason)


def is_fitted(matrix: Sizes) -> bool:
    """Whether "auto" finds a density near the optimum from which rows are made, with a stated gap."""
    known = are_cells(matrix.family) or are_bits(matrix.family)
    return known and matrix.rows > MOST_EXACT and matrix.columns <= _MOST_FITTED


def solve(
    matrix: QueryMatrix,
    target: NDArray[np.float64],
    *,
    gap: float = 1e-9,
    method: str = "auto",
    exact: bool | None = None,
    progress: Callable[[str], None] | None = None,
) -> Candidate:
    """A candidate whose gap, evaluated exactly, should be at most `gap`; `target` holds answers, not integers.

    If "auto" looks for a density near the optimum, the gap may be larger; `exact` is then False to accept it, True for
    the optimum itself, and None for the optimum if the density is not near and that is quick.
    """
    require_method(matrix, method)
    if not 0 < gap < 1:
        raise ParameterError("gap", gap, "between 0 and 1")
    target = np.asarray(target, dtype=np.float64)
    if target.shape != (matrix.rows,):
        raise ParameterError("target", f"{target.size} answers", f"{matrix.rows} answers", "one per query")
    if not np.isfinite(target).all():
        raise ParameterError("target", "not finite", "finite answers")
    if method in FITTING or (method == "auto" and not exact and is_fitted(matrix)):
        return _fitted(matrix, target, gap=gap, fallback=method == "auto" and exact is None, progress=progress)
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


def _fitted(
    matrix: QueryMatrix,
    target: NDArray[np.float64],
    *,
    gap: float,
    fallback: bool,
    progress: Callable[[str], None] | None,
) -> Candidate:
    """A density by a fit to all queries; if that stops early and the queries are few enough, by the exact method."""
    if are_cells(matrix.family):
        from lp.programme.proportional import GAP, proportional

        found, enough = proportional(matrix, target, say=progress), GAP
    else:
        from lp.programme.sign_blocks import ENOUGH, sign_blocks

        found, enough = sign_blocks(matrix, target, say=progress), ENOUGH
    if not fallback or matrix.rows > _MOST_SECOND_ORDER or found.value_est <= (1 + enough) * found.lower_est:
        return found
    return _interior(matrix, target, gap=gap, all_columns=False, progress=progress)


def _interior(
    matrix: QueryMatrix,
    target: NDArray[np.float64],
    *,
    gap: float,
    all_columns: bool,
    progress: Callable[[str], None] | None,
) -> Candidate:
    from lp.programme.purify import to_few_columns

    few = matrix.columns <= _FEW_COLUMNS * matrix.rows or matrix.rows * matrix.columns <= _FEW_CELLS
    if all_columns or few:
        candidate = _on_all_columns(matrix, target, gap=_SHARE * gap)
    elif matrix.weighs_all_at_once:
        candidate = _on_drawn_columns(matrix, target, gap=_SHARE * gap, progress=progress)
    else:
        candidate = _on_working_set(matrix, target, gap=_SHARE * gap, first=None, progress=progress)
    candidate = to_few_columns(matrix, target, candidate, gap=gap)
    if candidate.value_est - candidate.lower_est <= gap or matrix.rows > _MOST_POLISHED:
        return candidate
    from lp.programme.simplex import polish

    return polish(matrix, target, candidate, gap=gap, progress=progress)


def _on_all_columns(matrix: QueryMatrix, target: NDArray[np.float64], *, gap: float) -> Candidate:
    from lp.programme.interior_point import interior_point

    found = interior_point(matrix, target, gap=gap)
    every = np.arange(matrix.columns)
    return Candidate(every, found.h, found.y, found.top, found.floor, "interior-point", 1, found.iterations)


def _on_working_set(
    matrix: QueryMatrix,
    target: NDArray[np.float64],
    *,
    gap: float,
    first: NDArray[np.int64] | None,
    progress: Callable[[str], None] | None,
) -> Candidate:
    from lp.programme.working_set import solve_on_working_set

    solved = solve_on_working_set(matrix, target, gap=gap, first=first, progress=progress)
    return Candidate(
        solved.numbers,
        solved.weights,
        solved.dual,
        solved.upper_est,
        solved.lower_est,
        "interior-point on a working set",
        solved.rounds,
        solved.iterations,
    )


def _on_drawn_columns(
    matrix: QueryMatrix,
    target: NDArray[np.float64],
    *,
    gap: float,
    progress: Callable[[str], None] | None,
) -> Candidate:
    """Dual weights from all columns at once, and a density on columns that are drawn from the optimal one.

    The density of the interior-point method has weight everywhere; a sample of its columns is as good a programme, and
    its optimum is compared with the bound for all. If it falls short, it starts a working set.
    """
    from lp.programme.balanced import systematic

    whole = _on_all_columns(matrix, target, gap=gap)
    if progress is not None:
        progress(f"all {matrix.columns} columns: optimum within {whole.lower_est:.3e} .. {whole.value_est:.3e}")
    generator = np.random.Generator(np.random.Philox(_DRAWN_SEED))
    drawn = np.flatnonzero(systematic(whole.weights / whole.weights.sum(), _DRAWN_COLUMNS * matrix.rows, generator))
    part = _on_all_columns(build_matrix(matrix.family, matrix.points_at(drawn)), target, gap=gap)
    if part.value_est - whole.lower_est > 2 * gap:
        return _on_working_set(matrix, target, gap=gap, first=drawn, progress=progress)
    iterations = whole.iterations + part.iterations
    return replace(part, numbers=drawn, dual=whole.dual, lower_est=whole.lower_est, rounds=2, iterations=iterations)
