"""Lemma A.2: the risk of the Bernstein polynomial on real and on synthetic data.

Guarantee: for every model the two risks differ by at most the value.
"""

from bounds.model import Citation, Edition, EditionName, Formula, Route, Term, Theorem
from bounds.pieces.excess_risk import AT_LEAST_2, corrected_marginal_step, printed_marginal_step
from bounds.pieces.marginal_noise import ORDER_FITS
from bounds.theorems.zhou2024_lipschitz import PAPERS_FACTOR, corrected_norm, printed_norm

SUMMARY = "Lipschitz constant, radius, features, order and distance of the marginals"


def _edition(name: EditionName, route: str, formula: Formula, change: str) -> Edition:
    term = Term("value", "difference of risks", formula)
    return Edition(
        name,
        (Route(route, SUMMARY, (term,), hypotheses=(ORDER_FITS, AT_LEAST_2)),),
        (change,),
        "" if name == "printed" else "zhou2024.polynomial-risk",
    )


THEOREM = Theorem(
    id="zhou2024.polynomial-risk",
    title="Risk of a polynomial on real and synthetic data",
    guarantee="The empirical risk of the Bernstein polynomial of degree d - 1 changes by at most the value from real "
    "to synthetic data.",
    citation=Citation("zhou2024", "Lemma A.2"),
    inputs=("slope", "at_zero", "radius", "features", "order", "marginal_error"),
    direction="value",
    editions=(
        _edition(
            "printed",
            "as printed",
            printed_marginal_step(printed_norm, PAPERS_FACTOR),
            "Its constant is 1: the sum of the coefficients by equation (2), with the factor 3 of a general interval.",
        ),
        _edition(
            "corrected",
            "symmetric interval",
            corrected_marginal_step(corrected_norm),
            "1 + 1/R on the interval of the proof, [-max(1, R), max(1, R)].",
        ),
        _edition(
            "sharp",
            "products of weights",
            lambda q, A: q.marginal_error * q.slope * q.radius * A.power(A.ratio(2), (q.order - 1) / 2),
            "All products of k weights sum to R^k, a constant costs nothing, and the scaled coefficients sum to "
            "2^((d-1)/2) times half the oscillation.",
        ),
    ),
    see_also=("synthbounds.bernstein-norm", "zhou2024.lipschitz", "synthbounds.excess-risk"),
)
