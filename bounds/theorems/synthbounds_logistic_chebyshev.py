"""The Chebyshev series of the logistic loss: its error, exactly and in closed form.

Guarantee: cut off after degree 2l, the series differs from log(1 + e^-x) on [-R, R] by at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities


def _geometric(q: Quantities, A: Arithmetic) -> Number:
    ratio = (A.sqrt(A.pi() ** 2 + q.radius**2) - A.pi()) / q.radius
    tail = A.power(ratio, 2 * q.half_degree) / (1 - ratio**2)
    return q.radius**2 / 16 * tail / (q.half_degree + 1)


POSITIVE = Hypothesis("R is greater than 0", lambda q: bool(q.radius > 0))

THEOREM = Theorem(
    id="synthbounds.logistic-chebyshev",
    title="Chebyshev series of the logistic loss",
    guarantee="The series up to degree 2l differs from the logistic loss on [-R, R] by at most the value.",
    citation=Citation("synthbounds", "Chebyshev series of the logistic loss"),
    inputs=("radius", "half_degree"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "exact",
                    "the largest error itself, at x = 0",
                    (
                        Term(
                            "value",
                            "error",
                            lambda q, A: A.logistic_truncation(q.radius, q.half_degree),
                        ),
                    ),
                    hypotheses=(POSITIVE,),
                ),
                Route(
                    "geometric",
                    "a bound in closed form that falls by the square of (sqrt(pi^2+R^2)-pi)/R with each further l",
                    (Term("value", "error", _geometric),),
                    hypotheses=(POSITIVE,),
                ),
            ),
            proof="synthbounds.logistic-chebyshev",
        ),
    ),
)
