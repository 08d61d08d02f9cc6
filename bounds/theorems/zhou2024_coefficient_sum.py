"""Theorem 2.3, equation (2): the coefficients of a Bernstein polynomial in powers of x.

Guarantee: the sum of |a_k| over all k is at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

SUMMARY = "largest value of f, ends of the interval and degree"
NOT_EMPTY = Hypothesis("the interval is not empty", lambda q: bool(q.left + q.right > 0))


def _binomial(q: Quantities, A: Arithmetic) -> Number:
    return q.norm * A.power(1 + 2 / (q.left + q.right), q.D)


def _orthogonal(q: Quantities, A: Arithmetic) -> Number:
    return q.norm * A.power(1 + 1 / (q.left * q.right), q.D * A.ratio(1, 2))


THEOREM = Theorem(
    id="zhou2024.coefficient-sum",
    title="Coefficient sum of a Bernstein polynomial",
    guarantee="The absolute values of the coefficients of the Bernstein polynomial in powers of x sum to at most the "
    "value.",
    citation=Citation("zhou2024", "Theorem 2.3, equation (2)"),
    inputs=("norm", "left", "right", "D"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    SUMMARY,
                    (Term("value", "coefficient sum", _binomial),),
                    hypotheses=(Hypothesis("b is at least 1", lambda q: bool(q.right >= 1)),),
                ),
            ),
        ),
        Edition(
            "sharp",
            (
                Route(
                    "binomial theorem", SUMMARY, (Term("value", "coefficient sum", _binomial),), hypotheses=(NOT_EMPTY,)
                ),
                Route(
                    "orthogonality",
                    SUMMARY + "; by Krawtchouk polynomials",
                    (Term("value", "coefficient sum", _orthogonal),),
                    hypotheses=(
                        Hypothesis(
                            "0 lies strictly inside the interval", lambda q: bool(q.left > 0) and bool(q.right > 0)
                        ),
                    ),
                ),
            ),
            changes=(
                "b >= 1 is not needed.",
                "(1 + 1/(|a| b))^(D/2) in place of (1 + 2/(b-a))^D: on [-R, R] (1 + 1/R^2)^(D/2), not (1 + 1/R)^D.",
            ),
            proof="zhou2024.coefficient-sum",
        ),
    ),
    see_also=("synthbounds.bernstein-norm",),
)
