"""Theorem B.1: reference points drawn uniformly from a finite domain.

Guarantee: with n, m, k at least the sizes below, the synthetic table is private and all queries are accurate.
"""

from bounds.model import Citation, Derived, Edition, Promise, Route, Theorem
from bounds.pieces.paper_terms import K_SAMPLING, N_PRIVACY, N_SAMPLING, reference_points
from bounds.pieces.promises import (
    ADMISSIBLE,
    ADMISSIBLE_AS_PRINTED,
    EIGHT_DELTA,
    EPSILON,
    EXACT_NOISE,
    INDEPENDENT_RECORDS,
    times_gamma,
)
from bounds.theorems.synthbounds_full_support import FULL_SUPPORT
from bounds.theorems.synthbounds_product import PRODUCT

PAPER_TERMS = (N_PRIVACY, N_SAMPLING, reference_points(lambda q, A: q.N), K_SAMPLING)
PAPER_PROMISE = Promise(EIGHT_DELTA, times_gamma(4), EPSILON, any_data=False)
CONDITION = Derived("K", "Rényi condition number of any nu against uniform", lambda q, A: q.N)
SUMMARY = "Laplace noise on every query, reference points drawn uniformly, rows drawn from the fit"

THEOREM = Theorem(
    id="bojkovic2024.uniform",
    title="Uniform reference measure",
    guarantee="The synthetic table is epsilon-private and, with probability at least 1 - 4 gamma, "
    "answers every query to within 8 delta.",
    citation=Citation("bojkovic2024", "Theorem B.1"),
    inputs=("epsilon", "delta", "gamma", "N"),
    measure="uniform",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    SUMMARY,
                    PAPER_TERMS,
                    PAPER_PROMISE,
                    (*ADMISSIBLE_AS_PRINTED, INDEPENDENT_RECORDS),
                    (CONDITION,),
                    noise_on_constants=True,
                ),
            ),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "as printed, hypotheses repaired",
                    SUMMARY,
                    PAPER_TERMS,
                    PAPER_PROMISE,
                    (*ADMISSIBLE, INDEPENDENT_RECORDS, EXACT_NOISE),
                    (CONDITION,),
                    noise_on_constants=True,
                ),
            ),
            changes=("The printed sizes hold; gamma = 1/4 is covered too.",),
            proof="bojkovic2024.uniform",
        ),
        Edition(
            "sharp",
            (FULL_SUPPORT, PRODUCT),
            changes=(
                "The printed m exceeds the number of points of the domain for every admissible parameter, so "
                "every point is taken once: no sampling, no assumption on how the records arose.",
                "All of 4 gamma goes to the noise, because nothing else can fail.",
                "At degree 1 noise counts once; for coarse accuracies one-way tables and their product suffice.",
            ),
            proof="bojkovic2024.uniform",
        ),
    ),
)
