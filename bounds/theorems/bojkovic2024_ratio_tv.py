"""Lemma A.2: the least ratio of two distributions from their distance.

Guarantee: p(x)/q(x) is at least the value at every point.
"""

from fractions import Fraction

from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem

SUMMARY = "lower bound on the least ratio p/q of two distributions on a finite set"
POSITIVE = Hypothesis("tv is at most 1", lambda q: bool(q.tv <= 1), why="a total variation distance")

THEOREM = Theorem(
    id="bojkovic2024.ratio-tv",
    title="Least ratio of two distributions",
    guarantee="p(x)/q(x) is at least the value at every point of the finite set.",
    citation=Citation("bojkovic2024", "Lemma A.2"),
    inputs=(),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    SUMMARY,
                    (Term("value", "least ratio", lambda q, A: 1 / (1 + q.tv / q.p_min)),),
                    hypotheses=(POSITIVE,),
                    inputs=("tv", "p_min"),
                ),
            ),
        ),
        Edition(
            "sharp",
            (
                Route(
                    "largest excess",
                    SUMMARY,
                    (Term("value", "least ratio", lambda q, A: 1 / (1 + q.gap / q.p_min)),),
                    inputs=("gap", "p_min"),
                ),
                Route(
                    "least q known",
                    SUMMARY,
                    (Term("value", "least ratio", lambda q, A: A.max(A.ratio(0), 1 - q.tv / q.q_min)),),
                    hypotheses=(
                        POSITIVE,
                        Hypothesis("q_min is at most 1", lambda q: bool(q.q_min <= Fraction(1))),
                    ),
                    inputs=("tv", "q_min"),
                ),
            ),
            changes=(
                "The printed bound is true and best possible in TV and min p. The largest excess of q over p is at "
                "most TV, so it sharpens the bound, and unlike TV it also serves densities.",
            ),
            proof="bojkovic2024.ratio-tv",
        ),
    ),
)
