"""Proposition C.2: from zero-concentrated to (epsilon, delta)-differential privacy.

Guarantee: a mechanism that is rho-zCDP is (epsilon, delta)-private for the same adjacency, epsilon the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.quantities import Quantities

SUMMARY = "rho and delta; the best order of the Rényi divergence"


def _best_order(q: Quantities, A: Arithmetic) -> Number:
    return A.zcdp_epsilon(q.zcdp, q.dp_delta)


def _simple(q: Quantities, A: Arithmetic) -> Number:
    return q.zcdp + 2 * A.sqrt(q.zcdp * A.log(1 / q.dp_delta))


THEOREM = Theorem(
    id="zhou2024.zcdp",
    title="From zCDP to epsilon and delta",
    guarantee="A mechanism that is rho-zCDP is (epsilon, delta)-differentially private for the same adjacency, with "
    "epsilon the value.",
    citation=Citation("zhou2024", "Proposition C.2"),
    inputs=("zcdp", "dp_delta"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (Route("as printed", SUMMARY, (Term("value", "epsilon", _best_order),)),),
            changes=("It is true. The printed delta is solved for epsilon.",),
        ),
        Edition(
            "sharp",
            (
                Route("best order", SUMMARY, (Term("value", "epsilon", _best_order),)),
                Route("closed form", "rho and delta; never better", (Term("value", "epsilon", _simple),)),
            ),
            changes=(
                "The same number, proved and certified at both ends; the largest rho for given epsilon and delta.",
                "For Gaussian noise the exact mechanism gives less: rho = 1/10 at delta = 1e-6 is 1.9946, not 2.1420.",
            ),
            proof="zhou2024.zcdp",
        ),
    ),
    see_also=("zhou2024.gaussian-mechanism", "zhou2024.aim-confidence"),
)
