"""Cube K-norm noise on all queries: the coefficient Q of the largest error.

Guarantee: with probability at least 1 - gamma no answer is off by more than Q/(n epsilon).
"""

from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.pieces.noise import MECHANISMS
from bounds.pieces.promises import EXACT_NOISE

MECHANISM = MECHANISMS["linf"]

THEOREM = Theorem(
    id="synthbounds.noise-linf",
    title="Cube K-norm noise on all queries",
    guarantee="The answers are epsilon-private and, with probability at least 1 - gamma, off by at most Q/(n epsilon).",
    citation=Citation("synthbounds", "Cube K-norm noise on all queries"),
    inputs=("R", "F_varying", "gamma"),
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
            proof="synthbounds.noise-linf",
        ),
    ),
)
