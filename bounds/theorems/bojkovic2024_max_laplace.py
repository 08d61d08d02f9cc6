"""Lemma A.1: the largest of several Laplace variables.

Guarantee: with probability at least 1 - gamma no |omega_i| exceeds the value.
"""

from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem

SUMMARY = "quantile of the largest absolute value of independent Laplace variables"

THEOREM = Theorem(
    id="bojkovic2024.max-laplace",
    title="Largest of several Laplace variables",
    guarantee="With probability at least 1 - gamma, none of the variables exceeds the value in absolute value.",
    citation=Citation("bojkovic2024", "Lemma A.1"),
    inputs=("sigma", "count", "gamma"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    SUMMARY,
                    (Term("value", "bound on the maximum", lambda q, A: q.sigma * A.log(q.count) / q.gamma),),
                    hypotheses=(
                        Hypothesis(
                            "count is at least 2",
                            lambda q: bool(q.count >= 2),
                            why="for a single variable the printed bound is 0",
                        ),
                    ),
                ),
            ),
            changes=(
                "The lemma is printed for the largest variable and used for the largest absolute value, as here.",
                "Its proof uses that the harmonic sum is at most log n, which is false for every n.",
            ),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "union bound",
                    SUMMARY,
                    (Term("value", "bound on the maximum", lambda q, A: q.sigma * A.log(q.count / q.gamma)),),
                ),
            ),
            changes=("A union bound: log(n/gamma) instead of log(n)/gamma.",),
            proof="bojkovic2024.max-laplace",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "exact quantile",
                    SUMMARY,
                    (
                        Term(
                            "value",
                            "quantile of the maximum",
                            lambda q, A: q.sigma * A.laplace_max_quantile(q.count, q.gamma),
                        ),
                    ),
                ),
            ),
            changes=("The exact quantile of the largest absolute value.",),
            proof="bojkovic2024.max-laplace",
        ),
    ),
)
