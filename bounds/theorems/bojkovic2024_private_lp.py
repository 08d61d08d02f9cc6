"""Theorem II.1: Boedihardjo's algorithm with any reference measure of known Rényi condition number.

Guarantee: with n, m, k at least the sizes below, the synthetic table is private and all queries are accurate.
"""

from bounds.model import Citation, Edition, Hypothesis, Promise, Route, Theorem
from bounds.pieces.mean_and_noise import BUDGET, N_MEAN_AND_NOISE
from bounds.pieces.noise import ALL, noise_coefficients
from bounds.pieces.paper_terms import K_SAMPLING, N_PRIVACY, N_SAMPLING, reference_points
from bounds.pieces.promises import (
    ADMISSIBLE,
    ADMISSIBLE_AS_PRINTED,
    EIGHT_DELTA,
    EPSILON,
    EXACT_NOISE,
    INDEPENDENT_RECORDS,
    SHARP_IID,
    times_gamma,
)
from bounds.pieces.reference import weighted_points
from bounds.pieces.rows import FAILURE_FREE, ROWS_TERM, row_quantities

KNOWN_CONDITION = Hypothesis("the Rényi condition number of nu against the reference measure is at most K")
PAPER_TERMS = (N_PRIVACY, N_SAMPLING, reference_points(lambda q, A: q.K), K_SAMPLING)
PAPER_PROMISE = Promise(EIGHT_DELTA, times_gamma(4), EPSILON, any_data=False)

points, points_term = weighted_points(times_gamma(2))

THEOREM = Theorem(
    id="bojkovic2024.private-lp",
    title="Private LP with a given reference measure",
    guarantee="The synthetic table is epsilon-private and, with probability at least 1 - 4 gamma, "
    "answers every query to within 8 delta.",
    citation=Citation("bojkovic2024", "Theorem II.1"),
    inputs=("epsilon", "delta", "gamma", "K"),
    measure="custom",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "Laplace noise on every query, reference points drawn from mu, rows drawn from the fit",
                    PAPER_TERMS,
                    PAPER_PROMISE,
                    (*ADMISSIBLE_AS_PRINTED, INDEPENDENT_RECORDS, KNOWN_CONDITION),
                    noise_on_constants=True,
                ),
            ),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "as printed, hypotheses repaired",
                    "Laplace noise on every query, reference points drawn from mu, rows drawn from the fit",
                    PAPER_TERMS,
                    PAPER_PROMISE,
                    (*ADMISSIBLE, INDEPENDENT_RECORDS, KNOWN_CONDITION, EXACT_NOISE),
                    noise_on_constants=True,
                ),
            ),
            changes=(
                "The printed sizes hold: the total error is at most 7.72 delta for two or more queries, and exactly 8 "
                "delta for a single query after 4 gamma is redistributed.",
                "gamma = 1/4 is covered too; the proof does not need delta at most 1/2.",
            ),
            proof="bojkovic2024.private-lp",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "weighted reference points",
                    "cheapest noise on the varying queries, weighted reference points, failure-free rows",
                    (N_MEAN_AND_NOISE, points_term, ROWS_TERM),
                    SHARP_IID,
                    (*ADMISSIBLE, INDEPENDENT_RECORDS, KNOWN_CONDITION, EXACT_NOISE),
                    (*noise_coefficients(times_gamma(1)), *row_quantities(), BUDGET, *points),
                    mechanisms=ALL,
                    rows=FAILURE_FREE,
                    positive=("budget",),
                ),
            ),
            changes=(
                "No noise on constants; noise calibrated to the true sensitivity, with the cheapest mechanism.",
                "Rows are rounded from an LP vertex, or drawn until they fit: no failure probability is spent.",
                "Reference points: Chebyshev at 2 gamma or truncated weights with Bernstein, whichever is fewer.",
            ),
            proof="bojkovic2024.private-lp",
        ),
    ),
)
