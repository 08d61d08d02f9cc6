"""Corollary 3.6: excess risk for the logistic loss from private marginals.

Guarantee: except with the failure probability, the excess risk is at most the value.
"""

from bounds.model import Citation, Theorem
from bounds.theorems.zhou2024_lipschitz import PAPERS_FACTOR, with_changes
from bounds.theorems.zhou2024_lipschitz_private import PRIVATE_INPUTS
from bounds.theorems.zhou2024_logistic import SCALING, STEP_FAILS, logistic_editions

THEOREM = Theorem(
    id="zhou2024.logistic-private",
    title="Excess risk for the logistic loss from private marginals",
    guarantee="Synthetic data from marginals with Gaussian noise are private (replace-one, n public), and the logistic "
    "regression trained on them has at most this much more risk than the best one, except with the failure "
    "probability.",
    citation=Citation("zhou2024", "Corollary 3.6"),
    inputs=("radius", "features", "order", *PRIVATE_INPUTS),
    direction="value",
    editions=with_changes(
        logistic_editions("zhou2024.logistic-private", base=PAPERS_FACTOR, private=True),
        (
            "Theorem 3.2 with the distance of Lemma 3.4 and the noise of Lemma 3.3, all as printed.",
            SCALING,
            STEP_FAILS,
            "The corollary has 3m where the theorem has 2m; it is kept.",
        ),
        ("The corrected theorem and lemmas; the true range of epsilon of the classical Gaussian mechanism.",),
        (
            "The sharp theorem and lemmas, with the exact Gaussian mechanism and quantile of the noise.",
            "The label is needed only in pairs: marginals of D features without it, and of every feature with it, are "
            "measured.",
        ),
    ),
    see_also=("zhou2024.logistic", "synthbounds.noisy-moments", "zhou2024.sensitivity", "zhou2024.marginal-noise"),
)
