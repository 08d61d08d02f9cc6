"""Lipschitz densities under the uniform measure: the reference measure that costs no privacy.

Guarantee: an L-Lipschitz density on the unit cube has kappa <= 1 + L^2 min(p/12, 1/pi^2) against uniform.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Hypothesis, Route, Theorem
from bounds.pieces.mean_and_noise import BUDGET, N_MEAN_AND_NOISE
from bounds.pieces.noise import ALL, noise_coefficients
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


def poincare_constant(q: Quantities, A: Arithmetic) -> Number:
    """c_p: an L-Lipschitz function on the unit cube has variance at most c_p L^2."""
    return A.min(q.p / 12, 1 / A.pi() ** 2)


def lipschitz_supremum(q: Quantities, A: Arithmetic) -> Number:
    """An L-Lipschitz density of mass 1 exceeds 1 by at most L times the mean distance to a corner."""
    return 1 + q.L * A.sqrt(q.p / 3)


def _ratio(q: Quantities, A: Arithmetic) -> Number:
    return A.min(q.nu_max, lipschitz_supremum(q, A))


def _condition(q: Quantities, A: Arithmetic) -> Number:
    return A.min(1 + poincare_constant(q, A) * q.L**2, q.rho)


LIPSCHITZ_DENSITY = Hypothesis("the records have an L-Lipschitz density on the unit cube")
STATED_SUPREMUM = Hypothesis("the density is at most its stated supremum, if one is given")
SUPREMUM = Derived("nu_max", "supremum of the density", lipschitz_supremum, may_be_given=True)
RATIO = Derived("rho", "density ratio against uniform", _ratio)
CONDITION = Derived("K", "Rényi condition number against uniform (Poincaré)", _condition)
HYPOTHESES = (*ADMISSIBLE, INDEPENDENT_RECORDS, LIPSCHITZ_DENSITY, STATED_SUPREMUM, EXACT_NOISE)
SHARED = (*noise_coefficients(times_gamma(2)), *row_quantities(), BUDGET, SUPREMUM, RATIO, CONDITION)

points, points_term = weighted_points(times_gamma(1))

UNIFORM_WEIGHTED = Route(
    "uniform, weighted points",
    "reference points drawn uniformly and weighted, cheapest noise, failure-free rows",
    (N_MEAN_AND_NOISE, points_term, ROWS_TERM),
    SHARP_IID,
    HYPOTHESES,
    (*SHARED, *points),
    mechanisms=ALL,
    rows=FAILURE_FREE,
    positive=("budget",),
)
UNIFORM_REJECTION = Route(
    "uniform, rejection",
    "reference points drawn uniformly, rejection argument, cheapest noise, failure-free rows",
    (N_MEAN_AND_NOISE, REJECTION_TERM, ROWS_TERM),
    SHARP_IID,
    HYPOTHESES,
    (*SHARED, *REJECTION_QUANTITIES),
    mechanisms=ALL,
    rows=FAILURE_FREE,
    positive=("budget",),
)
UNIFORM_ROUTES = (UNIFORM_REJECTION, UNIFORM_WEIGHTED)

THEOREM = Theorem(
    id="synthbounds.lipschitz-uniform",
    title="Lipschitz densities under the uniform measure",
    guarantee="The synthetic table is epsilon-private and, with probability at least 1 - 4 gamma, "
    "answers every query to within 8 delta.",
    citation=Citation("synthbounds", "Poincaré bound"),
    inputs=("epsilon", "delta", "gamma", "L"),
    measure="kde",
    editions=(
        Edition(
            "sharp",
            UNIFORM_ROUTES,
            changes=(
                "The uniform measure is close enough to every Lipschitz density: no estimate of the density, "
                "no privacy spent on it, no lower bound on it.",
            ),
            proof="synthbounds.lipschitz-uniform",
        ),
    ),
)
