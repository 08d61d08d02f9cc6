"""Equation (3) and Theorem 4.1: the loss gamma phi_gamma on [-1, 1].

Guarantee: the Lipschitz constant, the least second derivative and the largest value are the values.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Formula, Route, Term, Theorem
from bounds.pieces.statistical_queries import IS_MARGIN
from bounds.quantities import Quantities


def _slope(q: Quantities, A: Arithmetic) -> Number:
    return 2 + q.margin / 2


def _largest(q: Quantities, A: Arithmetic) -> Number:
    return 2 + A.ratio(3, 2) * q.margin


def _facts(slope: Formula, convexity: Formula, largest: Formula) -> tuple[Route, ...]:
    return (
        Route("slope", "largest |phi'|, at -1", (Term("value", "Lipschitz constant", slope),), hypotheses=(IS_MARGIN,)),
        Route("convexity", "least phi''", (Term("value", "strong convexity", convexity),), hypotheses=(IS_MARGIN,)),
        Route("range", "phi at -1; phi(1) = 0", (Term("value", "largest value", largest),), hypotheses=(IS_MARGIN,)),
    )


THEOREM = Theorem(
    id="zhou2024.phi-gamma",
    title="The loss of the lower bound",
    guarantee="On [-1, 1] the loss gamma phi_gamma has this Lipschitz constant, strong convexity and largest value.",
    citation=Citation("zhou2024", "equation (3), Theorem 4.1 and Appendix B"),
    inputs=("margin",),
    direction="value",
    editions=(
        Edition(
            "printed",
            _facts(lambda q, A: A.ratio(2), lambda q, A: q.margin, lambda q, A: A.ratio(1)),
            changes=(
                "Theorem 4.1 states the first two, with gamma = 1/ln^3 n, and the text before equation (7) the third.",
                "None of the three is true for any gamma. They are off by constant factors; the rates survive.",
            ),
        ),
        Edition(
            "sharp",
            _facts(_slope, lambda q, A: q.margin / 4, _largest),
            changes=(
                "All three are exact: |phi'| is largest at -1, phi'' is gamma/4 outside [0, gamma], phi(-1) is the "
                "largest value.",
            ),
            proof="zhou2024.phi-gamma",
        ),
    ),
    see_also=("zhou2024.phi-gamma-bernstein", "zhou2024.error-to-risk", "zhou2024.lower"),
)
