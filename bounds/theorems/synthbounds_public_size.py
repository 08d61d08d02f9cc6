"""Add/remove adjacency with a public least size n0: the same sensitivities as replace-one.

Guarantee: means over max(n, n0) move by at most the value when one record is added or removed.
"""

from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem

THEOREM = Theorem(
    id="synthbounds.public-size",
    title="Add/remove adjacency with a public least size",
    guarantee="All the answers c_f + sum(f(x_i) - c_f)/max(n, n0) together move by at most the value in L1 when one "
    "record is added or removed.",
    citation=Citation("synthbounds", "public least size"),
    inputs=("Delta_1", "n"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "centred sums over a public size",
                    "n stands for the public n0; c_f is the value of f at a fixed point",
                    (Term("value", "L1 sensitivity of all answers", lambda q, A: q.Delta_1 / q.n),),
                    hypotheses=(Hypothesis("the data set has at least n0 records, or accuracy is not promised"),),
                ),
            ),
            proof="synthbounds.public-size",
        ),
    ),
)
