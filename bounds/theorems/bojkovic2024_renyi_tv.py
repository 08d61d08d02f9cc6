"""Lemma A.4: Rényi divergence from total variation and the least ratio (Sason and Verdú's Theorem 3).

Guarantee: D_alpha(P||Q) is at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities


def _bound(q: Quantities, A: Arithmetic) -> Number:
    growth = (A.power(q.beta, 1 - q.alpha) - 1) / (1 - q.beta)
    return A.log(1 + q.tv * growth) / (q.alpha - 1)


ROUTE = Route(
    "as printed",
    "divergence from total variation and beta = min q/p",
    (Term("value", "bound on the divergence", _bound),),
    hypotheses=(
        Hypothesis("alpha is not 1 and not negative", lambda q: bool(q.alpha >= 0 and q.alpha != 1)),
        Hypothesis("beta is between 0 and 1, ends excluded", lambda q: bool(0 < q.beta < 1)),
        Hypothesis("tv is at most 1 - beta", lambda q: bool(q.tv <= 1 - q.beta)),
    ),
)

THEOREM = Theorem(
    id="bojkovic2024.renyi-tv",
    title="Rényi divergence from total variation",
    guarantee="D_alpha(P||Q) is at most the value, from TV(P, Q) and beta = min q/p.",
    citation=Citation("bojkovic2024", "Lemma A.4"),
    inputs=("alpha", "tv", "beta"),
    direction="value",
    editions=(
        Edition("printed", (ROUTE,)),
        Edition(
            "sharp",
            (ROUTE,),
            changes=(
                "It is true, and equality is attained for every admissible TV and beta. At alpha = 2 it reads "
                "kappa <= 1 + TV/beta.",
            ),
            proof="bojkovic2024.renyi-tv",
        ),
    ),
)
