"""Shifted histogram: reference points from a private histogram whose counts are lifted before clipping.

Guarantee: for every data set, the empirical measure has density ratio at most 9/5 against the histogram.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Route, Term, Theorem
from bounds.pieces.mean_and_noise import BUDGET
from bounds.pieces.noise import PURE, noise_coefficients
from bounds.pieces.promises import ADMISSIBLE, EXACT_NOISE, SHARP_ANY_DATA, times_gamma
from bounds.pieces.reference import REJECTION_QUANTITIES, REJECTION_TERM
from bounds.pieces.rows import FAILURE_FREE, ROWS_TERM, row_quantities
from bounds.quantities import Quantities


def _histogram_share(q: Quantities, A: Arithmetic) -> Number:
    """c_h: epsilon_1 n at which the lifted counts keep the density ratio within rho."""
    return 2 * q.s * q.N * A.log(q.N / q.gamma) / (q.rho - 1)


def _noise_share(q: Quantities, A: Arithmetic) -> Number:
    """c_n: epsilon_2 n at which the noise of the answers fits its budget."""
    return 2 * q.Q / q.budget


def _records(q: Quantities, A: Arithmetic) -> Number:
    return (q.c_histogram + q.c_noise) / q.epsilon


SHIFTED_HISTOGRAM = Route(
    "shifted histogram",
    "epsilon split between a lifted private histogram and the noisy answers in the ratio c_histogram to "
    "c_noise; reference points from the histogram, rejection argument, failure-free rows",
    (
        Term("n", "histogram and noise, best split of epsilon", _records),
        REJECTION_TERM,
        ROWS_TERM,
    ),
    SHARP_ANY_DATA,
    (*ADMISSIBLE, EXACT_NOISE),
    (
        *noise_coefficients(times_gamma(2), PURE),
        *row_quantities(),
        BUDGET,
        Derived("rho", "density ratio of the data against the histogram", lambda q, A: A.ratio(9, 5)),
        Derived("K", "Rényi condition number, at most the density ratio", lambda q, A: q.rho),
        Derived("c_histogram", "share of epsilon n for the histogram", _histogram_share),
        Derived("c_noise", "share of epsilon n for the answers", _noise_share),
        *REJECTION_QUANTITIES,
    ),
    mechanisms=PURE,
    rows=FAILURE_FREE,
    laplace_beyond=10**60,
    positive=("budget",),
)

THEOREM = Theorem(
    id="synthbounds.shifted-histogram",
    title="Reference points from a lifted private histogram",
    guarantee="The synthetic table is epsilon-private and, for every data set and with probability at least "
    "1 - 4 gamma, answers every query to within 8 delta.",
    citation=Citation("synthbounds", "shifted histogram"),
    inputs=("epsilon", "delta", "gamma", "N"),
    measure="histogram",
    editions=(
        Edition(
            "sharp",
            (SHIFTED_HISTOGRAM,),
            changes=(
                "Counts are lifted by the largest likely noise before clipping, so no occupied cell is lost; "
                "the density ratio is bounded for every data set, without a least probability.",
            ),
            proof="synthbounds.shifted-histogram",
        ),
    ),
)
