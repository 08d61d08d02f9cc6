"""Corollary IV.1.1: the kernel density estimate when the records are uniform on the cube.

Guarantee: with n, m, k at least the sizes below, the synthetic table is private and all queries are accurate.
"""

from dataclasses import replace

from bounds.model import Citation, Derived, Edition, Hypothesis, Route, Theorem
from bounds.theorems.bojkovic2024_kde import (
    NO_KERNEL,
    PRINTED_CHANGES,
    REPAIRED_CHANGES,
    printed_route,
    repaired_route,
)
from bounds.theorems.synthbounds_lipschitz_uniform import UNIFORM_REJECTION, UNIFORM_WEIGHTED

UNIFORM = (
    Hypothesis("nu is uniform on the unit cube"),
    Hypothesis("L is 0", lambda q: not q.has("L") or q.L == 0, why="the corollary is for uniform records"),
    Hypothesis("tau is 1", lambda q: not q.has("tau") or q.tau == 1, why="the corollary is for uniform records"),
)
FLAT = (
    Derived("tau", "infimum of the density", lambda q, A: A.ratio(1)),
    Derived("L", "Lipschitz constant of the density", lambda q, A: A.ratio(0)),
)


def _flat(route: Route) -> Route:
    """The route with tau = 1 and L = 0 known rather than given."""
    return replace(route, derived=(*FLAT, *route.derived), hypotheses=(*route.hypotheses, *UNIFORM))


THEOREM = Theorem(
    id="bojkovic2024.kde-uniform",
    title="Private kernel density estimate, uniform records",
    guarantee="The synthetic table is 2 epsilon-private (sharp: epsilon) and answers every query to within 8 delta.",
    citation=Citation("bojkovic2024", "Corollary IV.1.1"),
    inputs=("epsilon", "delta", "gamma"),
    measure="kde",
    see_also=("bojkovic2024.kde",),
    editions=(
        Edition(
            "printed",
            (printed_route(UNIFORM, FLAT),),
            changes=("C_0 = 2 (1 + C1') = 27/4 is not printed; it is Theorem IV.1 at tau = 1.", *PRINTED_CHANGES),
        ),
        Edition(
            "corrected",
            (repaired_route(UNIFORM, FLAT),),
            changes=REPAIRED_CHANGES,
            proof="bojkovic2024.kde-uniform",
        ),
        Edition(
            "sharp",
            (_flat(UNIFORM_REJECTION), _flat(UNIFORM_WEIGHTED)),
            changes=(NO_KERNEL,),
            proof="bojkovic2024.kde-uniform",
        ),
    ),
)
