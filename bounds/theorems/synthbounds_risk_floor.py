"""A floor under every analysis: data on which the excess risk is this large.

Guarantee: for some data that meet the assumptions, the excess risk of the logistic loss is at least the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities


def _marginals(q: Quantities, A: Arithmetic) -> Number:
    return q.marginal_error * q.radius * (1 + A.exp(-q.radius)) / 2


THEOREM = Theorem(
    id="synthbounds.risk-floor",
    title="Excess risk that real data can have",
    guarantee="There are data whose marginals are as near as assumed, but on which the logistic regression trained on "
    "the synthetic data has at least this much more risk than the best one.",
    citation=Citation("synthbounds", "data with a large excess risk"),
    inputs=("radius", "marginal_error"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "marginals",
                    "records moved to the other side",
                    (Term("value", "excess risk", _marginals),),
                    hypotheses=(
                        Hypothesis(
                            "marginal_error is at most 1",
                            lambda q: bool(q.marginal_error <= 1),
                            why="more records would have to move than there are",
                        ),
                    ),
                ),
                Route(
                    "bias",
                    "identical marginals of order D",
                    (Term("value", "excess risk", lambda q, A: 2 * q.bias_error**2 / q.second_moment),),
                    hypotheses=(
                        Hypothesis("second_moment is at most 1", lambda q: bool(q.second_moment <= 1)),
                        Hypothesis(
                            "bias_error is at most radius/4 times second_moment",
                            lambda q: bool(4 * q.bias_error <= q.radius * q.second_moment),
                            why="H(u) is between 0 and radius u/2, so means of it differ by no more",
                        ),
                        Hypothesis("two distributions of m features with identical moments have these numbers"),
                    ),
                    inputs=("bias_error", "second_moment"),
                ),
            ),
            changes=(
                "The second bound is for distributions that m features can have; `synthbounds risk` finds such "
                "distributions.",
            ),
            proof="synthbounds.risk-floor",
        ),
    ),
    see_also=("synthbounds.excess-risk", "synthbounds.quadratic-bias", "zhou2024.lower"),
)
