"""Corollary III.1.1: the perturbed histogram when the records are uniform on the domain.

Guarantee: with n, m, k at least the sizes below, the synthetic table is private and all queries are accurate.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Hypothesis, Route, Term, Theorem
from bounds.pieces.paper_terms import K_SAMPLING, N_PRIVACY, N_SAMPLING, reference_points
from bounds.pieces.promises import (
    ADMISSIBLE,
    ADMISSIBLE_AS_PRINTED,
    EXACT_NOISE,
    INDEPENDENT_RECORDS,
    TWICE_PRIVATE_IID,
)
from bounds.quantities import Quantities
from bounds.theorems.bojkovic2024_histogram import (
    CONSTANTS_NOTE,
    PRINTED_CONDITION,
    PRINTED_PROMISE,
    REPAIRED_CHANGES,
    REPAIRED_CONDITION,
    REPAIRED_TERMS,
    SHARP_CHANGES,
    SHARP_ROUTES,
)


def _empirical_distance(q: Quantities, A: Arithmetic) -> Number:
    top = 8 * q.N**3 + 16 * q.N**2 * A.log(1 / q.gamma)
    return top / (q.gamma * A.log(q.F / q.delta))


def _noise_distance(q: Quantities, A: Arithmetic) -> Number:
    return 16 * q.delta * q.N**2 / q.gamma * A.log_ratio(q.N, q.F / q.delta)


def _even_share(q: Quantities, A: Arithmetic) -> Number:
    return 1 / q.N


UNIFORM_RECORDS = Hypothesis("nu is uniform: every domain point has the same probability")
EVEN_PROBABILITIES = Hypothesis(
    "tau1 is 1/|Omega|",
    lambda q: not q.has("tau1") or q.tau1 * q.N == 1,
    why="the corollary is for uniform records",
)
EVEN_SHARES = (
    Derived("tau1", "least probability of a domain point", _even_share),
    Derived("tau2", "largest probability of a domain point", _even_share),
)

THEOREM = Theorem(
    id="bojkovic2024.histogram-uniform",
    title="Perturbed histogram, uniform records",
    guarantee="The synthetic table is 2 epsilon-private (sharp: epsilon) and answers every query to within 8 delta.",
    citation=Citation("bojkovic2024", "Corollary III.1.1"),
    inputs=("epsilon", "delta", "gamma", "N"),
    measure="histogram",
    see_also=("bojkovic2024.histogram",),
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "perturbed histogram with epsilon, then the LP with another epsilon",
                    (
                        N_PRIVACY,
                        Term("n", "empirical distribution near nu", _empirical_distance),
                        Term("n", "perturbed histogram near the empirical one", _noise_distance),
                        N_SAMPLING,
                        reference_points(lambda q, A: q.K, factor=2),
                        K_SAMPLING,
                    ),
                    PRINTED_PROMISE,
                    (EVEN_PROBABILITIES, *ADMISSIBLE_AS_PRINTED, INDEPENDENT_RECORDS, UNIFORM_RECORDS),
                    (*EVEN_SHARES, PRINTED_CONDITION),
                ),
            ),
            changes=(
                "The second condition on n is printed with a denominator gamma log(|F|/delta) that the "
                "substitution tau1 = tau2 = 1/N into Theorem III.1 does not produce.",
                *CONSTANTS_NOTE,
            ),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "perturbed histogram, repaired",
                    "perturbed histogram with epsilon, then the LP with another epsilon",
                    REPAIRED_TERMS,
                    TWICE_PRIVATE_IID,
                    (EVEN_PROBABILITIES, *ADMISSIBLE, INDEPENDENT_RECORDS, UNIFORM_RECORDS, EXACT_NOISE),
                    (*EVEN_SHARES, REPAIRED_CONDITION),
                ),
            ),
            changes=REPAIRED_CHANGES,
            proof="bojkovic2024.histogram-uniform",
        ),
        Edition("sharp", SHARP_ROUTES, changes=SHARP_CHANGES, proof="bojkovic2024.histogram-uniform"),
    ),
)
