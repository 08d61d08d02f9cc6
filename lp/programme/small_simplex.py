"""Small density programmes in about a millisecond: one HiGHS model with all columns and the primal simplex method.

A feasible start is known at no cost (any density), as the primal method requires; presolve and setting up cost more
than they save here. For many columns, lp.programme.solve has other ways. Nothing relies on the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from lp.programme.solve import Candidate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

    Floats = NDArray[np.float64]

_OPTIONS: dict[str, bool | str | float | int] = {
    "output_flag": False,
    "solver": "simplex",
    "simplex_strategy": 4,  # primal
    "presolve": "off",
    "threads": 1,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


def solve_small(matrix: QueryMatrix, target: Floats) -> Candidate:
    """A vertex, if HiGHS is right; the caller checks its quality."""
    entries = matrix.columns_at(np.arange(matrix.columns)) / matrix.family.denominator
    solver = solved_by_highs(entries, target)
    solution, rows = solver.getSolution(), matrix.rows
    weights = np.array(solution.col_value[: matrix.columns])
    numbers = np.flatnonzero(weights > 0)
    weights = weights[numbers] / weights[numbers].sum() if numbers.size else np.ones(1)
    numbers = numbers if numbers.size else np.zeros(1, dtype=np.int64)
    duals = np.array(solution.row_dual[: 2 * rows])
    dual = -(duals[:rows] + duals[rows:])
    dual /= max(1.0, float(np.abs(dual).sum()))
    value = float(np.abs(entries[:, numbers] @ weights - target).max())
    lower = max(0.0, float((dual @ entries).min() - target @ dual))
    steps = int(solver.getInfo().simplex_iteration_count)
    return Candidate(numbers, weights, dual, value, lower, "primal simplex", 1, steps)


def solved_by_highs(entries: Floats, target: Floats) -> Any:
    """HiGHS after its run on: min t with A h - t <= b, A h + t >= b, sum h = 1; t is the last column."""
    rows, width = entries.shape
    above = np.empty((rows, width + 1))
    above[:, :width], above[:, width] = entries, -1.0
    places = np.flatnonzero(above)
    row, column = np.divmod(places, width + 1)
    values = above.ravel()[places]
    ends = np.cumsum(np.bincount(row, minlength=rows))
    below = values.copy()
    below[ends - 1] = 1.0  # the last entry of every row is that of t
    infinity, none = highspy.kHighsInf, np.zeros(width + 1)
    solver = highspy.Highs()
    for option, value in _OPTIONS.items():
        solver.setOptionValue(option, value)
    solver.passModel(  # as arrays: through the attributes of a HighsLp every number becomes a Python object
        width + 1,
        2 * rows + 1,
        2 * values.size + width,
        highspy.MatrixFormat.kRowwise.value,
        highspy.ObjSense.kMinimize.value,
        0.0,
        np.append(none[1:], 1.0),
        none,
        np.full(width + 1, infinity),
        np.concatenate([np.full(rows, -infinity), target, [1.0]]),
        np.concatenate([target, np.full(rows, infinity), [1.0]]),
        np.concatenate([[0], ends, values.size + ends]).astype(np.int32),
        np.concatenate([column, column, np.arange(width)]).astype(np.int32),
        np.concatenate([values, below, np.ones(width)]),
        none.astype(np.int32),
    )
    solver.run()
    return solver
