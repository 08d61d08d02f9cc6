"""Theorem IV.1 with a grid histogram instead of a kernel estimate: simpler, and far fewer records.

Guarantee: with n, m, k at least the sizes below, the synthetic table is private and all queries are accurate.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Route, Term, Theorem
from bounds.pieces.paper_terms import (
    K_SAMPLING,
    N_PRIVACY_REPAIRED,
    N_SAMPLING,
    constant_bound,
    reference_points,
)
from bounds.pieces.promises import ADMISSIBLE, EXACT_NOISE, INDEPENDENT_RECORDS, TWICE_PRIVATE_IID
from bounds.quantities import Quantities
from bounds.theorems.bojkovic2024_kde import KNOWN_INFIMUM, SHARP_CHANGES, SHARP_ROUTES
from bounds.theorems.synthbounds_lipschitz_uniform import LIPSCHITZ_DENSITY


def _cells_per_axis(q: Quantities, A: Arithmetic) -> Number:
    return A.max(A.ratio(1), A.ceil(3 * q.L * A.sqrt(q.p) / q.tau))


def _density(q: Quantities, A: Arithmetic) -> Number:
    return A.max(A.ratio(32), 16 / q.epsilon) * q.cells / q.tau * A.log(q.cells / q.gamma)


THEOREM = Theorem(
    id="bojkovic2024.kde-grid",
    title="Grid histogram as reference measure on the cube",
    guarantee="The synthetic table is 2 epsilon-private (sharp: epsilon) and answers every query to within 8 delta.",
    citation=Citation("bojkovic2024", "Theorem IV.1, with a grid"),
    inputs=("epsilon", "delta", "gamma", "L"),
    measure="kde",
    see_also=("bojkovic2024.kde",),
    editions=(
        Edition(
            "corrected",
            (
                Route(
                    "perturbed grid histogram",
                    "perturbed histogram of cubes with epsilon, uniform inside each, then the LP with another",
                    (
                        N_PRIVACY_REPAIRED,
                        N_SAMPLING,
                        Term("n", "density condition: every cell survives counting and noise", _density),
                        reference_points(lambda q, A: q.K),
                        K_SAMPLING,
                    ),
                    TWICE_PRIVATE_IID,
                    (*ADMISSIBLE, INDEPENDENT_RECORDS, LIPSCHITZ_DENSITY, KNOWN_INFIMUM, EXACT_NOISE),
                    (
                        Derived("cells_per_axis", "cells of the grid on each axis", _cells_per_axis),
                        Derived("cells", "cells of the grid", lambda q, A: A.power(q.cells_per_axis, q.p)),
                        constant_bound(12, 5, "Rényi condition number against the grid histogram"),
                    ),
                    inputs=("tau",),
                ),
            ),
            changes=("Cubes replace the kernel: no boundary bias, exact sampling, and a bounded density ratio.",),
            proof="bojkovic2024.kde-grid",
        ),
        Edition("sharp", SHARP_ROUTES, changes=SHARP_CHANGES, proof="bojkovic2024.kde-grid"),
    ),
)
