"""Full support: on a finite domain the LP runs over every point once, so nothing is sampled.

Guarantee: for every data set, |Y(f) - X(f)| <= c e_lambda + e_k for all queries f: c is 2, and less at degree 1.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Promise, Route, Term, Theorem
from bounds.pieces.noise import ALL, MECHANISMS, noise_coefficients
from bounds.pieces.promises import (
    ADMISSIBLE,
    EIGHT_DELTA,
    EPSILON,
    EXACT_NOISE,
    SHARP_ANY_DATA,
    times_gamma,
)
from bounds.pieces.rows import FAILURE_FREE, LABELS, ROWS_TERM, row_quantities
from bounds.quantities import Quantities


def _noise_budget(q: Quantities, A: Arithmetic) -> Number:
    return 8 * q.delta - q.e_k


def _records(q: Quantities, A: Arithmetic) -> Number:
    return q.stretch * q.Q / (q.epsilon * q.budget)


def _laplace_union(q: Quantities, A: Arithmetic) -> Number:
    return q.Delta_1 * A.log(q.F_varying / q.gamma)


N_NOISE = Term("n", "noise of the answers", _records)
EVERY_POINT = Term("m", "every point of the domain, once", lambda q, A: q.N)
BUDGET = Derived("budget", "accuracy left for noise", _noise_budget)
CONDITION = Derived("K", "Rényi condition number of any data against uniform", lambda q, A: q.N)

FULL_SUPPORT = Route(
    "full support",
    "LP over all points of the domain, cheapest noise with all of 4 gamma, failure-free rows",
    (N_NOISE, EVERY_POINT, ROWS_TERM),
    SHARP_ANY_DATA,
    (*ADMISSIBLE, EXACT_NOISE),
    (*noise_coefficients(times_gamma(4)), *row_quantities(), BUDGET, CONDITION),
    mechanisms=ALL,
    rows=FAILURE_FREE,
    positive=("budget",),
)
"""The route shared by the sharp editions of the finite-domain theorems."""


def _one_gamma_each(mechanism: str, rows: str) -> Route:
    """The textbook accounting: gamma for the noise and, if rows are sampled, gamma for them."""
    if mechanism == "laplace":
        label = MECHANISMS[mechanism].label
        noise: tuple[Derived, ...] = (
            Derived("Q_laplace", f"noise coefficient of {label}, union bound", _laplace_union, "laplace"),
            Derived("Q", "noise coefficient", lambda q, A: q.Q_laplace),
        )
    else:
        noise = noise_coefficients(times_gamma(1), (mechanism,))
    events = 2 if rows == "sampling" else 1
    return Route(
        f"{mechanism}, {rows}",
        f"LP over all points of the domain, {MECHANISMS[mechanism].label}, rows by {LABELS[rows]}",
        (N_NOISE, EVERY_POINT, ROWS_TERM),
        Promise(EIGHT_DELTA, times_gamma(events), EPSILON, any_data=True),
        (*ADMISSIBLE, EXACT_NOISE),
        (*noise, *row_quantities((rows,)), BUDGET, CONDITION),
        mechanisms=(mechanism,),
        rows=(rows,),
        inputs=MECHANISMS[mechanism].inputs,
        positive=("budget",),
    )


THEOREM = Theorem(
    id="synthbounds.full-support",
    title="LP over the whole domain, one gamma for each event",
    guarantee="The synthetic table is epsilon-private and answers every query to within 8 delta, for every "
    "data set, except with probability gamma for each event that can fail.",
    citation=Citation("synthbounds", "full support"),
    inputs=("epsilon", "delta", "gamma", "N"),
    measure="uniform",
    editions=(
        Edition(
            "sharp",
            tuple(
                _one_gamma_each(mechanism, rows) for mechanism in ALL for rows in ("rounding", "drawing", "sampling")
            ),
            changes=(
                "Sampling reference points on a finite domain needs more of them than the domain has points; "
                "taking each point once needs no sampling, no distribution of the data and no condition number.",
                "At degree 1 the noisy answers are clipped: the largest noise then counts once instead of twice.",
            ),
            proof="synthbounds.full-support",
        ),
    ),
)
