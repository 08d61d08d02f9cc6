"""Theorem A.5: how far an empirical distribution is from its source in L1 (Berend and Kontorovich).

Guarantee: the L1 distance exceeds the deviation with at most this probability.
"""

from collections.abc import Callable

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Formula, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities


def _tail(centre: Formula) -> Formula:
    return lambda q, A: A.exp(-q.n / 2 * (q.deviation - centre(q, A)) ** 2)


def _beyond(cells_less: int) -> Callable[[Quantities], bool]:
    return lambda q: bool(q.deviation**2 * q.n >= q.count - cells_less)


def _route(name: str, centre: Formula, cells_less: int = 0) -> Route:
    return Route(
        name,
        "tail of the L1 distance of n draws on `count` points",
        (Term("value", "probability of a larger distance", _tail(centre)),),
        hypotheses=(Hypothesis("deviation is at least the mean distance it is compared with", _beyond(cells_less)),),
    )


def _root_of_cells(q: Quantities, A: Arithmetic) -> Number:
    return A.sqrt(q.count / q.n)


def _root_of_cells_less_one(q: Quantities, A: Arithmetic) -> Number:
    return A.sqrt((q.count - 1) / q.n)


THEOREM = Theorem(
    id="bojkovic2024.empirical-tv",
    title="L1 distance of an empirical distribution",
    guarantee="The L1 distance of the empirical distribution from its source exceeds the deviation with at "
    "most this probability.",
    citation=Citation("bojkovic2024", "Theorem A.5"),
    inputs=("count", "n", "deviation"),
    direction="value",
    editions=(
        Edition("printed", (_route("as printed", lambda q, A: q.count / q.n),)),
        Edition(
            "corrected",
            (_route("square root restored", _root_of_cells),),
            changes=(
                "Printed with k/n where sqrt(k/n) is meant; as printed it fails at k = 10, n = 100. The paper itself "
                "uses it with the root.",
            ),
            proof="bojkovic2024.empirical-tv",
        ),
        Edition(
            "sharp",
            (_route("one cell less", _root_of_cells_less_one, 1),),
            changes=("The mean distance is at most sqrt((k-1)/n).",),
            proof="bojkovic2024.empirical-tv",
        ),
    ),
)
