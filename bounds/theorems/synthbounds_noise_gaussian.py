"""Gaussian noise on all queries: the coefficient Q of the largest error.

Guarantee: with probability at least 1 - gamma no answer is off by more than Q/(n epsilon).
"""

from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.pieces.noise import MECHANISMS
from bounds.pieces.promises import EXACT_NOISE

MECHANISM = MECHANISMS["gaussian"]

THEOREM = Theorem(
    id="synthbounds.noise-gaussian",
    title="Gaussian noise on all queries",
    guarantee="The answers are (epsilon, dp-delta)-private and, "
    "with probability 1 - gamma, off by at most Q/(n epsilon).",
    citation=Citation("synthbounds", "Gaussian noise on all queries"),
    inputs=("Delta_2_squared", "F_varying", "gamma", "epsilon", "dp_delta"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    MECHANISM.label,
                    "noise coefficient Q: errors are at most Q/(n epsilon)",
                    (Term("value", "noise coefficient", lambda q, A: MECHANISM.quantile(q, A, q.gamma)),),
                    hypotheses=(EXACT_NOISE,),
                ),
            ),
            proof="synthbounds.noise-gaussian",
        ),
    ),
)
