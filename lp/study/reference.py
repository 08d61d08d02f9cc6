"""Third-party solvers on the same programme: the baseline for measurements, and independent opinions.

Three models: the one of bojkovic2024 (PuLP with CBC, one variable for every sampled reference point, duplicates kept),
the same with duplicates collapsed, and a HiGHS model built from scratch. None of them shares code with our solver, and
none is trusted: a status string decides nothing. The value that comes back is computed from the density, in floats.
"""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotCertified

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReferenceSolution:
    """A density on the given points, its value, and the solver's own status."""

    density: Floats
    value_est: float
    claimed_est: float
    dual_est: Floats
    """Zeros if the solver gives none."""
    status: str


def paper_model(values: Floats, target: Floats) -> ReferenceSolution:
    """The programme as bojkovic2024 solves it: 2F + 1 rows and a variable for every column, equal ones included.

    values has queries in rows and sampled points in columns. Zeros are left out of the model, which builds it several
    times faster than sums of products as in PuLP's manual. The paper asks the constant query, too; if that row is given
    with its own noisy target, it adds |noise| to nothing but the optimum, which becomes the larger of the two.
    """
    import pulp

    rows, width = values.shape
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore", DeprecationWarning)  # PuLP 3 announces what PuLP 4 will rename
        problem = pulp.LpProblem("density", pulp.LpMinimize)
        worst = pulp.LpVariable("t", lowBound=0)
        h = [pulp.LpVariable(f"h{j}", lowBound=0) for j in range(width)]
        problem += worst
        for i in range(rows):
            answer = pulp.LpAffineExpression([(h[j], float(values[i, j])) for j in np.flatnonzero(values[i])])
            problem += answer - worst <= float(target[i])
            problem += answer + worst >= float(target[i])
        problem += pulp.lpSum(h) == 1
        solver = pulp.PULP_CBC_CMD(msg=False)
        solver.tmpDir = folder
        problem.solve(solver)
        density = np.array([variable.varValue or 0.0 for variable in h])
        claimed, status = problem.objective.value(), pulp.LpStatus[problem.status]
    return _judged(values, target, density, np.zeros(rows), claimed, status)


def collapsed_model(values: Floats, target: Floats) -> ReferenceSolution:
    """The same after equal columns are merged; the weight of a group is put on its first column."""
    columns, first = np.unique(values, axis=1, return_index=True)
    found = paper_model(columns, target)
    density = np.zeros(values.shape[1])
    density[first] = found.density
    return _judged(values, target, density, found.dual_est, found.claimed_est, found.status)


def highs_model(values: Floats, target: Floats) -> ReferenceSolution:
    """HiGHS, row by row: t - |sum_j h_j f(z_j) - target| >= 0 as two rows per query."""
    import highspy

    rows, width = values.shape
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        solver.setOptionValue(tolerance, 1e-10)
    infinity = highspy.kHighsInf
    solver.addVars(width + 1, np.zeros(width + 1), np.full(width + 1, infinity))
    solver.changeColCost(width, 1.0)
    solver.addRow(1.0, 1.0, width, np.arange(width), np.ones(width))
    for i in range(rows):
        where = np.flatnonzero(values[i])
        index = np.append(where, width).astype(np.int32)
        for sign in (1.0, -1.0):
            entries = np.append(-sign * values[i, where], 1.0)
            solver.addRow(-sign * target[i], infinity, index.size, index, entries)
    solver.run()
    solution = solver.getSolution()
    pairs = np.array(solution.row_dual[1:]).reshape(rows, 2)
    dual = pairs[:, 0] - pairs[:, 1]
    density = np.array(solution.col_value[:width])
    status = solver.modelStatusToString(solver.getModelStatus())
    return _judged(values, target, density, dual, solver.getObjectiveValue(), status)


def _judged(
    values: Floats, target: Floats, density: Floats, dual: Floats, claimed: float | None, status: str
) -> ReferenceSolution:
    """The value of the density, whatever the solver says."""
    density = np.clip(np.nan_to_num(density), 0.0, None)
    total = float(density.sum())
    if total <= 0:
        raise NotCertified(f"the reference solver returned no density (it says: {status})")
    density = density / total
    value = float(np.abs(values @ density - target).max())
    return ReferenceSolution(density, value, float("nan") if claimed is None else float(claimed), dual, status)
