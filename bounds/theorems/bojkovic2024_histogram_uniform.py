"""Corollary III.1.1: the perturbed histogram when the records are uniform on the domain.

Guarantee: with n, m, k at least the sizes below, the synthetic table is private and all queries are accurate.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Hypothesis, Theorem
from bounds.quantities import Quantities
from bounds.theorems.bojkovic2024_histogram import (
    CONSTANTS_NOTE,
    PRINTED_CONDITION,
    REPAIRED_CHANGES,
    REPAIRED_CONDITION,
    SHARP_CHANGES,
    SHARP_ROUTES,
    printed_route,
    repaired_route,
)


def _empirical_distance(q: Quantities, A: Arithmetic) -> Number:
    top = 8 * q.N**3 + 16 * q.N**2 * A.log(1 / q.gamma)
    return top / (q.gamma * A.log(q.F / q.delta))


def _noise_distance(q: Quantities, A: Arithmetic) -> Number:
    return 16 * q.delta * q.N**2 / q.gamma * A.log_ratio(q.N, q.F / q.delta)


def _even_share(q: Quantities, A: Arithmetic) -> Number:
    return 1 / q.N


UNIFORM = (
    Hypothesis("nu is uniform: every domain point has the same probability"),
    Hypothesis(
        "tau1 is 1/|Omega|",
        lambda q: not q.has("tau1") or q.tau1 * q.N == 1,
        why="the corollary is for uniform records",
    ),
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
            (printed_route(_empirical_distance, _noise_distance, UNIFORM, (*EVEN_SHARES, PRINTED_CONDITION)),),
            changes=(
                "The second condition on n is printed with a denominator gamma log(|F|/delta) that the "
                "substitution tau1 = tau2 = 1/N into Theorem III.1 does not produce.",
                *CONSTANTS_NOTE,
            ),
        ),
        Edition(
            "corrected",
            (repaired_route(UNIFORM, (*EVEN_SHARES, REPAIRED_CONDITION)),),
            changes=REPAIRED_CHANGES,
            proof="bojkovic2024.histogram-uniform",
        ),
        Edition("sharp", SHARP_ROUTES, changes=SHARP_CHANGES, proof="bojkovic2024.histogram-uniform"),
    ),
)
