"""A lower bound of the density programme for cells that needs no solver on the points, with the dual that proves it.

The answers of every density are tables that agree on shared margins, are not negative, sum to 1, and vanish where no
point lies. How near such tables come to the target bounds every density from below
(docs/proofs/synthbounds.table-bound.md). One table alone has a closed form, often the most negative cell; all tables at
once are a linear programme without points, used if it takes well under a second. The dual has a few nonzero weights,
and lp.programme.density_certificate evaluates what it proves, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import highspy
import numpy as np

from lp.programme.cell_tables import Consistency
from lp.programme.matrix_cells import cells_matrix
from lp.programme.small_simplex import solved_by_highs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix
    from lp.programme.matrix_cells import CellsMatrix

    Vector = NDArray[np.float64]

MOST_LP_CELLS = 5000
"""With more cells than this only single tables are looked at."""
_SECONDS = 5.0
"""HiGHS is stopped there; what single tables prove remains."""
_OPTIONS: dict[str, bool | str | float | int] = {
    "output_flag": False,
    "threads": 1,
    "solver": "simplex",
    "time_limit": _SECONDS,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}


@dataclass(frozen=True, eq=False)
class Bound:
    """What dual weights prove about every density on the points."""

    value_est: float
    """In float64, at least 0."""
    dual: Vector
    """y, one weight per query, with sum of absolute values 1 (or 0, if nothing is proved)."""
    way: str
    """"one table", "all tables" or "some rows"."""


def table_bound(matrix: QueryMatrix, target: Vector) -> Bound:
    """The best bound found without a density."""
    cells = cells_matrix(matrix)
    covered = cells.apply(np.ones(cells.columns)) > 0
    best = _one_table(cells, target, covered)
    if cells.rows > MOST_LP_CELLS:
        return best
    dual = _all_tables(Consistency(cells.tables), target, covered)
    if dual is None:
        return best
    found = _proved(cells, target, dual, "all tables")
    return found if found.value_est > best.value_est else best


def rows_bound(matrix: CellsMatrix, target: Vector, rows: NDArray[np.int64]) -> Bound:
    """What the programme of these rows alone proves, on all points; for the rows that keep a search from its walls."""
    if not rows.size:
        return Bound(0.0, np.zeros(matrix.rows), "some rows")
    inside = matrix.indicator_rows(rows).toarray() > 0
    _, first = np.unique(np.packbits(inside, axis=0), axis=1, return_index=True)  # points in the same cells are one
    solution = solved_by_highs(inside[:, first].astype(np.float64), target[rows]).getSolution()
    duals = np.array(solution.row_dual[: 2 * rows.size])
    dual = np.zeros(matrix.rows)
    dual[rows] = -(duals[: rows.size] + duals[rows.size :])
    return _proved(matrix, target, dual, "some rows")


def _proved(matrix: CellsMatrix, target: Vector, dual: Vector, way: str) -> Bound:
    """What these weights prove, scaled to sum of absolute values 1."""
    whole = float(np.abs(dual).sum())
    if not 0 < whole < np.inf:
        return Bound(0.0, np.zeros(matrix.rows), way)
    dual = dual / whole
    return Bound(max(0.0, float(matrix.price(dual).min() - target @ dual)), dual, way)


def _one_table(matrix: CellsMatrix, target: Vector, covered: NDArray[np.bool_]) -> Bound:
    """The distance of every table from the simplex of its covered cells: which cells prove the largest one."""
    low = int(np.argmin(target))
    best, chosen, sign = max(0.0, -float(target[low])), np.array([low]), 1.0
    empty = np.flatnonzero(~covered)
    if empty.size:
        high = int(empty[np.argmax(target[empty])])
        if target[high] > best:
            best, chosen, sign = float(target[high]), np.array([high]), -1.0
    for table in matrix.tables:
        wanted = target[table.span]
        order = np.argsort(-wanted)
        # the first cells have too much even if they had everything
        excess = (np.cumsum(wanted[order]) - 1) / np.arange(1, table.cells + 1)
        most = int(np.argmax(excess))
        if excess[most] > best:
            best, chosen, sign = float(excess[most]), table.start + order[: most + 1], -1.0
        inside = np.flatnonzero(covered[table.span])
        lack = (1 - float(wanted[inside].sum())) / inside.size
        if lack > best:
            best, chosen, sign = lack, table.start + inside, 1.0
    dual = np.zeros(matrix.rows)
    if best > 0:
        dual[chosen] = sign / chosen.size
    return Bound(best, dual, "one table")


def _all_tables(consistency: Consistency, target: Vector, covered: NDArray[np.bool_]) -> Vector | None:
    """Dual weights of: min V over consistent tables mu >= 0 with |mu - target| <= V; None if HiGHS does not end."""
    from scipy.sparse import csr_array, hstack, vstack

    rows = target.size
    agree, total = consistency.equations()
    width = agree.shape[1]
    identity = csr_array((np.ones(rows), (np.arange(rows), np.arange(rows))), shape=(rows, width))
    distance = np.concatenate([np.full(rows, -1.0), np.ones(rows), np.zeros(agree.shape[0])])
    entries = hstack([vstack([identity, identity, agree]), csr_array(distance[:, None])], format="csr")
    infinity = highspy.kHighsInf
    solver = highspy.Highs()
    for option, value in _OPTIONS.items():
        solver.setOptionValue(option, value)
    upper = np.full(width + 1, infinity)
    upper[:rows][~covered] = 0.0
    solver.passModel(
        width + 1,
        entries.shape[0],
        entries.nnz,
        highspy.MatrixFormat.kRowwise.value,
        highspy.ObjSense.kMinimize.value,
        0.0,
        np.append(np.zeros(width), 1.0),
        np.zeros(width + 1),
        upper,
        np.concatenate([np.full(rows, -infinity), target, total]),
        np.concatenate([target, np.full(rows, infinity), total]),
        entries.indptr.astype(np.int32),
        entries.indices.astype(np.int32),
        entries.data,
        np.zeros(width + 1, dtype=np.int32),
    )
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    duals = np.array(solver.getSolution().row_dual[: 2 * rows])
    return np.asarray(-(duals[:rows] + duals[rows:]))
