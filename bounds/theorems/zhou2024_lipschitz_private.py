"""Corollary 3.5: excess risk for Lipschitz losses from private marginals.

Guarantee: except with the failure probability, the excess risk is at most the value.
"""

from bounds.model import Citation, Theorem
from bounds.theorems.zhou2024_lipschitz import lipschitz_editions, with_changes

PRIVATE_INPUTS = ("n", "epsilon", "dp_delta", "levels", "failure")

THEOREM = Theorem(
    id="zhou2024.lipschitz-private",
    title="Excess risk for Lipschitz losses from private marginals",
    guarantee="Synthetic data from marginals with Gaussian noise are private (replace-one, n public), and the model "
    "trained on them has at most this much more risk than the best one, except with the failure probability.",
    citation=Citation("zhou2024", "Corollary 3.5"),
    inputs=("slope", "at_zero", "radius", "features", "order", *PRIVATE_INPUTS),
    direction="value",
    editions=with_changes(
        lipschitz_editions("zhou2024.lipschitz-private", private=True),
        ("Theorem 3.1 with the distance of Lemma 3.4 and the noise of Lemma 3.3, all as printed.",),
        ("The corrected theorem and lemmas; the true range of epsilon of the classical Gaussian mechanism.",),
        (
            "The sharp theorem and lemmas: only marginals of exactly d attributes are measured, with the exact "
            "Gaussian mechanism and quantile of the noise.",
        ),
    ),
    see_also=("zhou2024.lipschitz", "zhou2024.sensitivity", "zhou2024.marginal-noise"),
)
