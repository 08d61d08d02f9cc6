"""Bounds on the Rényi condition number from distances and ratios.

Guarantee: kappa(nu||mu) is at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities


def _powers(A: Arithmetic, ratio: Number, most: int) -> Number:
    """(ratio^-most - 1)/(1 - ratio) as the sum of ratio^-1 .. ratio^-most, which also serves ratio = 1."""
    total = A.ratio(0)
    for power in range(1, most + 1):
        total = total + 1 / ratio**power
    return total


def _through_empirical(second_powers: int) -> Route:
    def bound(q: Quantities, A: Arithmetic) -> Number:
        first = A.sqrt(1 + q.tv * _powers(A, q.beta, 3))
        return first * A.sqrt(1 + q.tv2 * _powers(A, q.beta2, second_powers))

    return Route(
        "through the empirical distribution",
        "TV and least ratio of (nu, nu1), then of (nu1, mu)",
        (Term("value", "bound on kappa", bound),),
        hypotheses=(*RATIOS, SECOND_RATIO),
        inputs=("tv", "beta", "tv2", "beta2"),
    )


def _direct(q: Quantities, A: Arithmetic) -> Number:
    return A.min(1 + q.tv / q.beta, 1 / q.beta)


SECOND_RATIO = Hypothesis("beta2 is greater than 0 and at most 1", lambda q: bool(0 < q.beta2 <= 1))
RATIOS = (Hypothesis("beta is greater than 0 and at most 1", lambda q: bool(0 < q.beta <= 1)),)

THEOREM = Theorem(
    id="synthbounds.renyi-bounds",
    title="Bounds on the Rényi condition number",
    guarantee="kappa(nu||mu) is at most the value.",
    citation=Citation("bojkovic2024", "equation (10)"),
    inputs=("tv", "beta"),
    direction="value",
    editions=(
        Edition("printed", (_through_empirical(3),)),
        Edition(
            "corrected",
            (_through_empirical(2),),
            changes=("The second factor comes from a divergence of order 3, so its ratio has the power -2.",),
            proof="synthbounds.renyi-bounds",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "direct",
                    "TV and least ratio beta = min mu/nu of nu and mu themselves",
                    (Term("value", "bound on kappa", _direct),),
                    hypotheses=RATIOS,
                ),
            ),
            changes=("Lemma A.4 at order 2, without a detour: kappa <= 1 + TV/beta <= 1/beta.",),
            proof="synthbounds.renyi-bounds",
        ),
    ),
)
