"""Theorem III.1 without a least probability: a mixture of the perturbed histogram and the uniform distribution.

Guarantee: with n, m, k at least the sizes below, the synthetic table is private and all queries are accurate.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.pieces.paper_terms import (
    K_SAMPLING,
    N_PRIVACY_REPAIRED,
    N_SAMPLING,
    constant_bound,
    reference_points,
)
from bounds.pieces.promises import ADMISSIBLE, EXACT_NOISE, INDEPENDENT_RECORDS, TWICE_PRIVATE_IID
from bounds.quantities import Quantities
from bounds.theorems.bojkovic2024_histogram import SHARP_CHANGES, SHARP_ROUTES


def _density(q: Quantities, A: Arithmetic) -> Number:
    return A.max(A.ratio(32), 16 / q.epsilon) * q.N * A.log(q.N / q.gamma)


THEOREM = Theorem(
    id="bojkovic2024.histogram-floor",
    title="Perturbed histogram mixed with the uniform distribution",
    guarantee="The synthetic table is 2 epsilon-private (sharp: epsilon) and answers every query to within "
    "8 delta, whatever the least probability.",
    citation=Citation("bojkovic2024", "Theorem III.1, without tau1"),
    inputs=("epsilon", "delta", "gamma", "N"),
    measure="histogram",
    see_also=("bojkovic2024.histogram",),
    editions=(
        Edition(
            "corrected",
            (
                Route(
                    "histogram and uniform, half each",
                    "half the perturbed histogram and half the uniform distribution, then the LP",
                    (
                        N_PRIVACY_REPAIRED,
                        N_SAMPLING,
                        Term("n", "density condition: every cell of at least the uniform share survives", _density),
                        reference_points(lambda q, A: q.K),
                        K_SAMPLING,
                    ),
                    TWICE_PRIVATE_IID,
                    (*ADMISSIBLE, INDEPENDENT_RECORDS, EXACT_NOISE),
                    (constant_bound(18, 5, "Rényi condition number of any nu against the mixture"),),
                ),
            ),
            changes=("The uniform half gives every point a floor, so no least probability is assumed.",),
            proof="bojkovic2024.histogram-floor",
        ),
        Edition("sharp", SHARP_ROUTES, changes=SHARP_CHANGES, proof="bojkovic2024.histogram-floor"),
    ),
)
