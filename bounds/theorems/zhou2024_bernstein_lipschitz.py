"""Theorem 2.3, equation (1), for Lipschitz functions, with the best constant for every degree.

Guarantee: max |P_D f - f| on [a, b] is at most the value, and some Lipschitz function attains it.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Route, Term, Theorem
from bounds.pieces.binomial_deviation import mean_deviation, middle
from bounds.quantities import Quantities


def _printed(q: Quantities, A: Arithmetic) -> Number:
    return A.ratio(5, 4) * q.slope * q.width / A.sqrt(q.D)


THEOREM = Theorem(
    id="zhou2024.bernstein-lipschitz",
    title="Bernstein polynomial of a Lipschitz function",
    guarantee="The Bernstein polynomial of degree D differs from f by at most the value on the interval.",
    citation=Citation("zhou2024", "Theorem 2.3, equation (1)"),
    inputs=("slope", "width", "D"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "modulus of continuity of a Lipschitz function",
                    (Term("value", "error", _printed),),
                ),
            ),
        ),
        Edition(
            "sharp",
            (
                Route(
                    "mean deviation",
                    "largest mean absolute deviation of a binomial share; attained by |x - u| at the worst u",
                    (Term("value", "error", lambda q, A: q.slope * q.width * q.mu_D),),
                    derived=(
                        Derived("nu", "count at which the mean deviation is largest", lambda q, A: middle(q.D, A)),
                        Derived(
                            "mu_D",
                            "largest mean absolute deviation of Bin(D, u)/D",
                            lambda q, A: mean_deviation(q.D, q.nu, A),
                        ),
                    ),
                ),
                Route(
                    "variance",
                    "standard deviation instead of mean deviation",
                    (Term("value", "error", lambda q, A: q.slope * q.width / (2 * A.sqrt(q.D))),),
                ),
            ),
            changes=("mu_D in place of 5/(4 sqrt D): 2.5 times smaller from the variance, 3.13 times for large D.",),
            proof="zhou2024.bernstein-lipschitz",
        ),
    ),
    see_also=("zhou2024.bernstein-continuous",),
)
