"""Lipschitz densities and a private grid histogram: for large L, where uniform points would be too many.

Guarantee: with the sizes below, kappa <= 125/48 for every L-Lipschitz density, or 12/5 with a known infimum, or
the density ratio is at most 35/16 (55/16 or 245/48 with fewer records).
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Formula, Hypothesis, Route, Term, Theorem
from bounds.pieces.mean_and_noise import BUDGET, mean_and_noise_records
from bounds.pieces.noise import PURE, noise_coefficients
from bounds.pieces.promises import (
    ADMISSIBLE,
    EXACT_NOISE,
    INDEPENDENT_RECORDS,
    SHARP_IID,
    times_gamma,
)
from bounds.pieces.reference import REJECTION_QUANTITIES, REJECTION_TERM, weighted_points
from bounds.pieces.rows import FAILURE_FREE, ROWS_TERM, row_quantities
from bounds.quantities import Quantities
from bounds.theorems.synthbounds_lipschitz_uniform import LIPSCHITZ_DENSITY, poincare_constant


def _cells(q: Quantities, A: Arithmetic) -> Number:
    return A.power(q.cells_per_axis, q.p)


def _log_cells(q: Quantities, A: Arithmetic) -> Number:
    return A.log(2 * q.cells / q.gamma)


def _half_budget(q: Quantities, A: Arithmetic) -> Number:
    """Noise and the sampling error of the records each get half of what rows and points leave."""
    return (8 * q.delta - q.R * q.delta - q.e_k) / 2


def _counting(q: Quantities, A: Arithmetic) -> Number:
    return 32 * q.occupied_cells * q.log_cells


def _private(q: Quantities, A: Arithmetic) -> Number:
    return (8 * q.s * q.occupied_cells * q.log_cells + 2 * q.Q / q.budget) / q.epsilon


def _sampling(q: Quantities, A: Arithmetic) -> Number:
    return q.R**2 * A.log(2 * q.F_varying / q.gamma) / (2 * q.budget**2)


def _cells_without_infimum(q: Quantities, A: Arithmetic) -> Number:
    return A.max(A.ratio(1), A.ceil(q.L * A.sqrt(12 * poincare_constant(q, A))))


def _cells_with_infimum(q: Quantities, A: Arithmetic) -> Number:
    return A.max(A.ratio(1), A.ceil(q.L * A.sqrt(3 * poincare_constant(q, A) / q.tau)))


def _cell_variance(q: Quantities, A: Arithmetic) -> Number:
    """Variance of the density inside a cell, by the Poincaré inequality."""
    return poincare_constant(q, A) * q.L**2 / q.cells_per_axis**2


def _condition_with_infimum(q: Quantities, A: Arithmetic) -> Number:
    return A.ratio(9, 5) * (1 + q.cell_variance / q.tau)


points, points_term = weighted_points(times_gamma(1))


def _grid(
    name: str, summary: str, per_axis: Formula, occupied: Formula, condition: Formula, known_infimum: bool
) -> Route:
    infimum = (Hypothesis("the density is at least tau everywhere"),) if known_infimum else ()
    return Route(
        name,
        summary,
        (
            Term("n", "histogram and noise, best split of epsilon", _private),
            Term("n", "counts of the cells", _counting),
            Term("n", "records against their distribution", _sampling),
            points_term,
            ROWS_TERM,
        ),
        SHARP_IID,
        (*ADMISSIBLE, INDEPENDENT_RECORDS, LIPSCHITZ_DENSITY, *infimum, EXACT_NOISE),
        (
            *noise_coefficients(times_gamma(1), PURE),
            *row_quantities(),
            Derived("budget", "accuracy left for noise, and as much for records", _half_budget),
            Derived("cells_per_axis", "cells of the grid on each axis", per_axis),
            Derived("cells", "cells of the grid", _cells),
            Derived("occupied_cells", "inverse of the least share of a cell that matters", occupied),
            Derived("cell_variance", "variance of the density inside a cell", _cell_variance),
            Derived("log_cells", "log(2 cells / gamma)", _log_cells),
            Derived("K", "Rényi condition number against the grid histogram", condition),
            *points,
        ),
        mechanisms=PURE,
        rows=FAILURE_FREE,
        inputs=("tau",) if known_infimum else (),
        positive=("budget",),
    )


GRID_WITHOUT_INFIMUM = _grid(
    "grid, any infimum",
    "lifted grid histogram mixed with uniform, weighted points, failure-free rows",
    _cells_without_infimum,
    lambda q, A: q.cells,
    lambda q, A: A.ratio(125, 48),
    known_infimum=False,
)
GRID_WITH_INFIMUM = _grid(
    "grid, known infimum",
    "perturbed grid histogram, weighted points, failure-free rows",
    _cells_with_infimum,
    lambda q, A: q.cells / q.tau,
    _condition_with_infimum,
    known_infimum=True,
)


def _fine_grid(name: str, numerator: int, denominator: int) -> Route:
    """A finer grid bounds the density ratio itself; lifting may add numerator/denominator of n to the counts."""

    def lifted(q: Quantities, A: Arithmetic) -> Number:
        return A.ratio(17, 16) + A.ratio(numerator, denominator)

    def per_axis(q: Quantities, A: Arithmetic) -> Number:
        return A.max(A.ratio(1), A.ceil(3 * q.L * A.sqrt(q.p) / q.lifted))

    def private(q: Quantities, A: Arithmetic) -> Number:
        histogram = 2 * q.s * q.cells * q.log_cells / A.ratio(numerator, denominator)
        return histogram / q.epsilon + mean_and_noise_records(q, A)

    return Route(
        name,
        "lifted fine grid histogram mixed with uniform, rejection argument, failure-free rows",
        (
            Term("n", "histogram, then noise and records against their distribution", private),
            Term("n", "counts of the cells", lambda q, A: 32 * q.cells * q.log_cells),
            REJECTION_TERM,
            ROWS_TERM,
        ),
        SHARP_IID,
        (*ADMISSIBLE, INDEPENDENT_RECORDS, LIPSCHITZ_DENSITY, EXACT_NOISE),
        (
            *noise_coefficients(times_gamma(1), PURE),
            *row_quantities(),
            BUDGET,
            Derived("lifted", "sum of the lifted counts over n, at most", lifted),
            Derived("cells_per_axis", "cells of the grid on each axis", per_axis),
            Derived("cells", "cells of the grid", _cells),
            Derived("log_cells", "log(2 cells / gamma)", _log_cells),
            Derived("rho", "density ratio against the grid histogram", lambda q, A: A.ratio(5, 3) * q.lifted),
            Derived("K", "Rényi condition number, at most the density ratio", lambda q, A: q.rho),
            *REJECTION_QUANTITIES,
        ),
        mechanisms=PURE,
        rows=FAILURE_FREE,
        positive=("budget",),
    )


FINE_GRID_FEW_POINTS = _fine_grid("fine grid, fewer points", 1, 4)
FINE_GRID_BETWEEN = _fine_grid("fine grid, between", 1, 1)
FINE_GRID_FEW_RECORDS = _fine_grid("fine grid, fewer records", 2, 1)
FINE_GRIDS = (FINE_GRID_FEW_RECORDS, FINE_GRID_BETWEEN, FINE_GRID_FEW_POINTS)
GRID_ROUTES = (GRID_WITHOUT_INFIMUM, GRID_WITH_INFIMUM, *FINE_GRIDS)

THEOREM = Theorem(
    id="synthbounds.lipschitz-grid",
    title="Lipschitz densities and a private grid histogram",
    guarantee="The synthetic table is epsilon-private and, with probability at least 1 - 4 gamma, "
    "answers every query to within 8 delta.",
    citation=Citation("synthbounds", "grid histogram"),
    inputs=("epsilon", "delta", "gamma", "L"),
    measure="kde",
    see_also=("synthbounds.lipschitz-uniform",),
    editions=(
        Edition(
            "sharp",
            GRID_ROUTES,
            changes=(
                "The Poincaré inequality inside a cell makes the number of cells per axis independent of p; "
                "lifting and mixing make a lower bound on the density unnecessary.",
                "On a finer grid the density ratio itself is bounded, and rejection needs fewer points.",
            ),
            proof="synthbounds.lipschitz-grid",
        ),
    ),
)
