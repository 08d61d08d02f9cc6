"""Product of noisy one-way tables: for coarse accuracies the other queries follow without being measured.

Guarantee: with one-way shares within eta of the truth, |Y(f) - X(f)| <= c_d + eta + e_k for all queries f.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Route, Term, Theorem
from bounds.pieces.noise import ALL, noise_coefficients
from bounds.pieces.paper_terms import K_SAMPLING
from bounds.pieces.promises import ADMISSIBLE, EXACT_NOISE, SHARP_ANY_DATA, times_gamma
from bounds.pieces.rows import ROWS_TERM, least_row_error, row_quantities
from bounds.quantities import Quantities

ROWS = ("rounding", "columns", "shuffling")
ROWS_SHARE = 20
"""By default rows may use this fraction of what the accuracy leaves, which costs as small a fraction of the records."""
LISTED = 2**24


def _row_error(q: Quantities, A: Arithmetic) -> Number:
    """e_k: 0 when the density is released; by default a small part of what is left, with no more than the
    corrected edition's records.
    """
    if q.choices.density_released:
        return A.ratio(0)
    if q.choices.k_given:
        return least_row_error(q, A, q.k)
    left = 8 * q.delta - A.min(q.plain, q.centred)
    return A.max(left / ROWS_SHARE, least_row_error(q, A, K_SAMPLING.formula(q, A)))


def _noise_budget(q: Quantities, A: Arithmetic) -> Number:
    """The eta that the accuracy allows: the product as it is, or with columns moved towards the middle."""
    left = 8 * q.delta - q.e_k
    most = A.power(A.max(left, q.plain), 1 / q.degree) - 1 + 1 / q.degree
    return A.max(left - q.centred, A.min(left - q.plain, most))


def _records(q: Quantities, A: Arithmetic) -> Number:
    return q.one_stretch * q.Q / (q.epsilon * q.budget)


PRODUCT = Route(
    "product of one-way tables",
    "cheapest noise on only the one-way answers, independent columns, failure-free rows: no reference points",
    (
        Term("n", "noise of the one-way answers", _records),
        ROWS_TERM,
    ),
    SHARP_ANY_DATA,
    (*ADMISSIBLE, EXACT_NOISE),
    (
        *noise_coefficients(times_gamma(4), one_way=True),
        *row_quantities(ROWS, _row_error),
        Derived("budget", "accuracy left for noise", _noise_budget),
    ),
    mechanisms=ALL,
    rows=ROWS,
    one_way=True,
    listed_up_to=LISTED,
    positive=("budget",),
)
"""A route shared by the sharp editions of the finite-domain theorems."""

THEOREM = Theorem(
    id="synthbounds.product",
    title="Product of noisy one-way tables",
    guarantee="The synthetic table is epsilon-private and, with probability at least 1 - 4 gamma, answers every "
    "query to within 8 delta, for every data set; only one-way answers are measured.",
    citation=Citation("synthbounds", "product of one-way tables"),
    inputs=("epsilon", "delta", "gamma", "degree"),
    measure="uniform",
    see_also=("synthbounds.full-support",),
    editions=(
        Edition(
            "sharp",
            (PRODUCT,),
            changes=(
                "One-way tables confine every answer to an interval; the answer of independent columns is never "
                "farther from any of its points than a constant, so a coarse accuracy needs noise only on one-way "
                "answers.",
            ),
            proof="synthbounds.product",
        ),
    ),
)
