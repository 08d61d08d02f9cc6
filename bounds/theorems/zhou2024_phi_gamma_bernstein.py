"""Claim B.2: how near the Bernstein polynomial of the loss gamma phi_gamma is.

Guarantee: max |P_D phi - phi| on [-1, 1] is at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.pieces.excess_risk import MEAN_DEVIATION
from bounds.pieces.statistical_queries import IS_MARGIN
from bounds.quantities import Quantities


def _bowl(q: Quantities) -> Number:
    """What the parabola gamma (1 - t)^2/8 adds."""
    return q.margin / (8 * q.D)


def _hinge(q: Quantities, A: Arithmetic) -> Number:
    return 2 * q.mu_D + _bowl(q)


THEOREM = Theorem(
    id="zhou2024.phi-gamma-bernstein",
    title="Bernstein polynomial of the loss of the lower bound",
    guarantee="The Bernstein polynomial of degree D differs from gamma phi_gamma by at most the value on [-1, 1].",
    citation=Citation("zhou2024", "Claim B.2"),
    inputs=("margin", "D"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "equation (1) with the Lipschitz constant 2",
                    (Term("value", "error", lambda q, A: 5 / A.sqrt(q.D)),),
                    hypotheses=(IS_MARGIN,),
                ),
            ),
            changes=(
                "It is true, though not by its proof: the Lipschitz constant is 2 + gamma/2, for which equation (1) "
                "gives 5 (1 + gamma/4)/sqrt D.",
            ),
        ),
        Edition(
            "sharp",
            (
                Route(
                    "mean deviation",
                    "half the range of the slopes; the parabola separately",
                    (Term("value", "error", _hinge),),
                    hypotheses=(IS_MARGIN,),
                    derived=MEAN_DEVIATION,
                ),
                Route(
                    "variance",
                    "standard deviation instead of mean deviation",
                    (Term("value", "error", lambda q, A: 1 / A.sqrt(q.D) + _bowl(q)),),
                    hypotheses=(IS_MARGIN,),
                ),
                Route(
                    "second moment",
                    "the second derivative is at most gamma/4 + 2/gamma",
                    (Term("value", "error", lambda q, A: 1 / (q.margin * q.D) + _bowl(q)),),
                    hypotheses=(IS_MARGIN,),
                ),
            ),
            changes=(
                "Linear functions are reproduced, so half the range of the slopes takes the place of the Lipschitz "
                "constant: 2 mu_D + gamma/(8D), at most 1/sqrt D + gamma/(8D), in place of 5/sqrt D.",
                "For D well above 1/gamma^2 the second derivative gives less.",
            ),
            proof="zhou2024.phi-gamma",
        ),
    ),
    see_also=("zhou2024.phi-gamma", "zhou2024.bernstein-lipschitz", "zhou2024.upper-half"),
)
