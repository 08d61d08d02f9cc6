"""Theorem 2.6: Gaussian noise, as the ratio of its standard deviation and the L2 sensitivity.

Guarantee: Gaussian noise of this ratio is (epsilon, delta)-private for the adjacency of the sensitivity.
"""

from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.pieces.marginal_noise import CLASSICAL_HOLDS, SOME_EPSILON, classical_ratio

SUMMARY = "privacy; times the L2 sensitivity it is the standard deviation"
BELOW_ONE = Hypothesis("epsilon is less than 1", lambda q: bool(q.epsilon < 1), why="as printed")

THEOREM = Theorem(
    id="zhou2024.gaussian-mechanism",
    title="The Gaussian mechanism",
    guarantee="Gaussian noise whose standard deviation is the value times the L2 sensitivity is private for the "
    "adjacency in which that sensitivity is measured.",
    citation=Citation("zhou2024", "Theorem 2.6"),
    inputs=("epsilon", "dp_delta"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    SUMMARY,
                    (Term("value", "ratio of noise and sensitivity", classical_ratio),),
                    hypotheses=(SOME_EPSILON, BELOW_ONE),
                ),
            ),
            changes=("It holds.",),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "classical formula in its whole range",
                    SUMMARY,
                    (Term("value", "ratio of noise and sensitivity", classical_ratio),),
                    hypotheses=(SOME_EPSILON, CLASSICAL_HOLDS),
                ),
            ),
            changes=(
                "epsilon < 1 is not needed: the formula is private up to 8.4197 at delta = 1e-5, up to 15/4 at every "
                "delta, and not beyond a limit, which is computed.",
            ),
            proof="zhou2024.gaussian-mechanism",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "exact delta",
                    SUMMARY + "; the least ratio, for every epsilon",
                    (
                        Term(
                            "value",
                            "ratio of noise and sensitivity",
                            lambda q, A: A.gaussian_factor(q.epsilon, q.dp_delta),
                        ),
                    ),
                    hypotheses=(SOME_EPSILON,),
                ),
            ),
            changes=("The least ratio whose exact delta is at most delta: 3.7306 in place of 4.8448 at (1, 1e-5).",),
            proof="zhou2024.gaussian-mechanism",
        ),
    ),
    see_also=("synthbounds.noise-gaussian", "zhou2024.zcdp"),
)
