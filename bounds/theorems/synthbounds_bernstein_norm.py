"""How large the coefficients of a Bernstein polynomial can be in the scaled variable x/R.

Guarantee: the sum of |a_k| R^k over all k, R the larger of |a| and b, is at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities


def _orthogonal(q: Quantities, A: Arithmetic) -> Number:
    largest = A.max(q.left, q.right)
    return q.norm * A.power(1 + largest**2 / (q.left * q.right), q.D * A.ratio(1, 2))


THEOREM = Theorem(
    id="synthbounds.bernstein-norm",
    title="Scaled coefficient sum of a Bernstein polynomial",
    guarantee="The sum of |a_k| R^k over all coefficients of the Bernstein polynomial is at most the value.",
    citation=Citation("synthbounds", "norm of the Bernstein operator into scaled coefficients"),
    inputs=("norm", "left", "right", "D"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "orthogonality",
                    "2^(D/2) |f| on a symmetric interval, attained for every even D",
                    (Term("value", "scaled coefficient sum", _orthogonal),),
                    hypotheses=(
                        Hypothesis(
                            "0 lies strictly inside the interval", lambda q: bool(q.left > 0) and bool(q.right > 0)
                        ),
                    ),
                ),
            ),
            proof="synthbounds.bernstein-norm",
        ),
    ),
    see_also=("zhou2024.coefficient-sum",),
)
