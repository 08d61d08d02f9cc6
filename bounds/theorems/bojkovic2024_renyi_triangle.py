"""Lemma A.3: a triangle inequality for Rényi divergences (Mironov's Corollary 4).

Guarantee: D_alpha(P||Q) is at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities


def _bound(q: Quantities, A: Arithmetic) -> Number:
    return (q.alpha - A.ratio(1, 2)) / (q.alpha - 1) * q.D_first + q.D_second


ROUTE = Route(
    "as printed",
    "divergence of P and Q through a third distribution R",
    (Term("value", "bound on the divergence", _bound),),
    hypotheses=(
        Hypothesis("alpha is greater than 1", lambda q: bool(q.alpha > 1)),
        Hypothesis("the three distributions have the same support"),
    ),
)

THEOREM = Theorem(
    id="bojkovic2024.renyi-triangle",
    title="Triangle inequality for Rényi divergences",
    guarantee="D_alpha(P||Q) is at most the value, from D_2alpha(P||R) and D_(2alpha-1)(R||Q).",
    citation=Citation("bojkovic2024", "Lemma A.3"),
    inputs=("alpha", "D_first", "D_second"),
    direction="value",
    editions=(
        Edition("printed", (ROUTE,)),
        Edition(
            "sharp",
            (ROUTE,),
            changes=("It is true as printed, and equality is attained for some P, Q and R.",),
            proof="bojkovic2024.renyi-triangle",
        ),
    ),
)
