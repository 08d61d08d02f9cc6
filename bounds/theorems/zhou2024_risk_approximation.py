"""Lemma A.1: the risk with a Bernstein polynomial in place of the loss.

Guarantee: for every model and data set the two risks differ by at most the value.
"""

from bounds.model import Citation, Derived, Edition, Route, Term, Theorem
from bounds.pieces.excess_risk import AT_LEAST_2, MEAN_DEVIATION
from bounds.theorems.zhou2024_lipschitz import corrected_approximation_step, printed_approximation_step

SUMMARY = "Lipschitz constant, radius and order"

THEOREM = Theorem(
    id="zhou2024.risk-approximation",
    title="Risk of a polynomial in place of the loss",
    guarantee="The empirical risk changes by at most the value when the Bernstein polynomial of degree d - 1 takes the "
    "place of the loss.",
    citation=Citation("zhou2024", "Lemma A.1"),
    inputs=("slope", "radius", "order"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    SUMMARY,
                    (Term("value", "difference of risks", printed_approximation_step),),
                    hypotheses=(AT_LEAST_2,),
                ),
            ),
            changes=("The constant is that of equation (1), on the interval of length 2R.",),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "interval of the proof",
                    SUMMARY,
                    (Term("value", "difference of risks", corrected_approximation_step),),
                    hypotheses=(AT_LEAST_2,),
                ),
            ),
            changes=("For R < 1 the proof works on [-1, 1], and the value does not shrink with R.",),
            proof="zhou2024.risk-approximation",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "mean deviation",
                    SUMMARY,
                    (Term("value", "difference of risks", lambda q, A: 2 * q.slope * q.radius * q.mu_D),),
                    derived=(Derived("D", "degree of the polynomial", lambda q, A: q.order - 1), *MEAN_DEVIATION),
                    hypotheses=(AT_LEAST_2,),
                ),
            ),
            changes=("[-R, R] for every R, and the best constant for every degree.",),
            proof="zhou2024.risk-approximation",
        ),
    ),
    see_also=("zhou2024.bernstein-lipschitz", "zhou2024.lipschitz"),
)
