"""Unbiased mechanisms: a standard deviation that some answer always reaches.

Guarantee: no unbiased mechanism with this privacy keeps the standard deviation of every answer below this.
"""

from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem

THEOREM = Theorem(
    id="synthbounds.unbiased-limit",
    title="Noise that unbiased answers cannot avoid",
    guarantee="No unbiased epsilon-private mechanism answers all queries on every data set of n records with standard "
    "deviations below this.",
    citation=Citation("synthbounds", "Hammersley-Chapman-Robbins bound on symmetric families"),
    inputs=("epsilon", "n", "unbiased_factor"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "replace-one",
                    "largest standard deviation of an answer, at least",
                    (
                        Term(
                            "value",
                            "standard deviation",
                            lambda q, A: q.unbiased_factor / (q.n * (A.exp(q.epsilon / 2) - A.exp(-q.epsilon / 2))),
                        ),
                    ),
                    hypotheses=(
                        Hypothesis("every answer is right on average, for every data set of n records"),
                        Hypothesis("n is at least the size of a data set on which contrasts average as on the domain"),
                    ),
                ),
            ),
            changes=("It says nothing about biased mechanisms, and nothing about how often an error is large.",),
            proof="synthbounds.unbiased-limit",
        ),
    ),
)
