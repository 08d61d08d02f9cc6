"""Claim B.5: a model that errs often has a large risk.

Guarantee: its expected risk exceeds the least risk by at least the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.pieces.statistical_queries import IS_MARGIN
from bounds.quantities import Quantities

IS_SHARE = Hypothesis("error_rate is at most 1", lambda q: bool(q.error_rate <= 1), why="it is a share of records")


def _sharp(q: Quantities, A: Arithmetic) -> Number:
    return q.margin * A.max(A.ratio(0), 9 * q.error_rate - (1 - q.margin) ** 2) / 8


THEOREM = Theorem(
    id="zhou2024.error-to-risk",
    title="Risk from classification error",
    guarantee="A model of norm at most 1/sqrt m with this expected classification error has an expected risk of at "
    "least the value above the least one, on every distribution with a separator of this margin.",
    citation=Citation("zhou2024", "Claim B.5"),
    inputs=("margin", "error_rate"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "an error above 1/4 costs gamma/8",
                    (Term("value", "excess risk", lambda q, A: q.margin / 8),),
                    hypotheses=(
                        IS_MARGIN,
                        IS_SHARE,
                        Hypothesis("error_rate is greater than 1/4", lambda q: bool(4 * q.error_rate > 1)),
                    ),
                ),
            ),
            changes=(
                "Stated there the other way round: a risk within gamma/8 of the least one means an error of at most "
                "1/4. It is true.",
                "It is quoted there from Claim 3 of dagan2020; the sharp edition is proved here without it.",
            ),
        ),
        Edition(
            "sharp",
            (
                Route(
                    "errors cost 9/8",
                    "phi_gamma is at least 9/8 at an error, and at most (1 - gamma)^2/8 for the separator",
                    (Term("value", "excess risk", _sharp),),
                    hypotheses=(IS_MARGIN, IS_SHARE),
                ),
            ),
            changes=(
                "An error above 1/4 costs more than 5 gamma/32, and the error 1/2 - eta at least "
                "gamma (7/16 - 9 eta/8).",
                "A risk within gamma/8 of the least one means an error of at most 2/9.",
            ),
            proof="zhou2024.error-to-risk",
        ),
    ),
    see_also=("zhou2024.phi-gamma", "zhou2024.lower"),
)
