"""Theorem 2.3, equation (1): how near the Bernstein polynomial of a continuous function is.

Guarantee: max |P_D f - f| on [a, b] is at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.quantities import Quantities

SUMMARY = "a constant times the modulus of continuity at (b - a)/sqrt(D)"


def _sikkema(q: Quantities, A: Arithmetic) -> Number:
    return (4306 + 837 * A.sqrt(A.ratio(6))) / 5832 * q.omega


THEOREM = Theorem(
    id="zhou2024.bernstein-continuous",
    title="Bernstein polynomial of a continuous function",
    guarantee="The Bernstein polynomial of degree D differs from f by at most the value on the interval.",
    citation=Citation("zhou2024", "Theorem 2.3, equation (1)"),
    inputs=("omega",),
    direction="value",
    editions=(
        Edition(
            "printed",
            (Route("as printed", SUMMARY, (Term("value", "error", lambda q, A: A.ratio(5, 4) * q.omega),)),),
            changes=("Quoted there from Roulier and Popoviciu; it is true.",),
        ),
        Edition(
            "sharp",
            (
                Route("fourth moment", SUMMARY, (Term("value", "error", lambda q, A: A.ratio(19, 16) * q.omega),)),
                Route("Sikkema", SUMMARY + "; quoted, not proved here", (Term("value", "error", _sikkema),)),
            ),
            changes=(
                "19/16 is proved here from the fourth moment of the binomial distribution.",
                "The least constant for all D and f is Sikkema's; it is quoted from sikkema1961, not proved here.",
            ),
            proof="zhou2024.bernstein-continuous",
        ),
    ),
    see_also=("zhou2024.bernstein-lipschitz", "zhou2024.bernstein-smooth"),
)
