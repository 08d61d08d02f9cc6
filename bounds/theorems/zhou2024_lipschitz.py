"""Theorem 3.1: excess risk for Lipschitz losses, from the distance of the marginals.

Guarantee: the model trained on the synthetic data has at most this much more risk on the real data than the best one.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import EDITIONS, Citation, Derived, Edition, Hypothesis, Theorem
from bounds.pieces.excess_risk import (
    APPROXIMATION_STEPS,
    AT_LEAST_2,
    GIVEN_POLYNOMIAL,
    MARGINAL_STEPS,
    QUADRATIC_BIAS,
    Bound,
    all_attributes,
    as_route,
    bernstein,
    corrected_marginal_step,
    jackson,
    no_data,
    printed_marginal_step,
    times,
    wide_radius,
)
from bounds.pieces.marginal_noise import (
    CLASSICAL_HOLDS,
    PAPERS_RANGE,
    SETS_ARE_FEW,
    SOME_EPSILON,
    TWO_LEVELS,
    private_marginals,
)
from bounds.quantities import Quantities

SUMMARY = "Lipschitz constant, radius, order and distance of the marginals"
PAPERS_FACTOR = 3
"""The paper's 1 + 2/(b - a) for any interval that contains [0, 1]."""
CONVEX = Hypothesis("the loss is convex")


def _oscillation(q: Quantities, A: Arithmetic) -> Number:
    return 2 * q.slope * q.radius


def printed_approximation_step(q: Quantities, A: Arithmetic) -> Number:
    """Lemma A.1 by equation (1) on [-R, R]."""
    return A.ratio(5, 4) * q.slope * 2 * q.radius / A.sqrt(q.order - 1)


def corrected_approximation_step(q: Quantities, A: Arithmetic) -> Number:
    return A.ratio(5, 4) * q.slope * 2 * wide_radius(q, A) / A.sqrt(q.order - 1)


def printed_norm(q: Quantities, A: Arithmetic) -> Number:
    return q.slope * q.radius + q.at_zero


def corrected_norm(q: Quantities, A: Arithmetic) -> Number:
    return q.slope * wide_radius(q, A) + q.at_zero


_PRINTED = Bound(
    "as printed",
    SUMMARY,
    times(APPROXIMATION_STEPS, printed_approximation_step),
    times(MARGINAL_STEPS, printed_marginal_step(printed_norm, PAPERS_FACTOR)),
    (AT_LEAST_2,),
)
_CORRECTED = Bound(
    "Bernstein, paper's route",
    SUMMARY,
    times(APPROXIMATION_STEPS, corrected_approximation_step),
    times(MARGINAL_STEPS, corrected_marginal_step(corrected_norm)),
    (AT_LEAST_2,),
)
_SHARP = (
    bernstein(lambda q, A: 4 * q.slope * q.radius * q.mu_D, _oscillation, "Bernstein, convex loss", AT_LEAST_2, CONVEX),
    bernstein(lambda q, A: 8 * q.slope * q.radius * q.mu_D, _oscillation, "Bernstein", AT_LEAST_2),
    jackson(lambda q, A: q.slope, lambda q, A: A.ratio(0), _oscillation),
    no_data(_oscillation),
    all_attributes(_oscillation),
    GIVEN_POLYNOMIAL,
    QUADRATIC_BIAS,
)


def editions(
    page: str, printed: Bound, corrected: Bound, sharp: tuple[Bound, ...], *, private: bool, paired: bool = False
) -> list[Edition]:
    """The routes of the three editions, for a given distance of the marginals or for private ones.

    `paired`: the sharp edition releases the label in pairs with features only, unless a bound needs the whole table.
    """

    def released(name: str, bound: Bound) -> tuple[Derived, ...]:
        if not private:
            return ()
        return private_marginals("paired" if paired and name == "sharp" and not bound.needs_whole_table else name)

    levels = (SOME_EPSILON, TWO_LEVELS) if private else ()
    extra = {
        "printed": (*levels, PAPERS_RANGE, SETS_ARE_FEW) if private else (),
        "corrected": (*levels, CLASSICAL_HOLDS) if private else (),
        "sharp": levels,
    }
    return [
        Edition(
            name,
            tuple(as_route(b, hypotheses=extra[name], derived=released(name, b)) for b in bounds),
            proof="" if name == "printed" else page,
        )
        for name, bounds in zip(EDITIONS, ((printed,), (corrected,), sharp), strict=True)
    ]


def lipschitz_editions(page: str, *, private: bool) -> list[Edition]:
    return editions(page, _PRINTED, _CORRECTED, _SHARP, private=private)


def with_changes(found: list[Edition], *changes: tuple[str, ...]) -> tuple[Edition, ...]:
    return tuple(Edition(e.name, e.routes, c, e.proof) for e, c in zip(found, changes, strict=True))


THEOREM = Theorem(
    id="zhou2024.lipschitz",
    title="Excess risk for Lipschitz losses",
    guarantee="Trained on the synthetic data, a model of norm at most tau has at most this much more risk on the real "
    "data than the best such model.",
    citation=Citation("zhou2024", "Theorem 3.1"),
    inputs=("slope", "at_zero", "radius", "features", "order", "marginal_error"),
    direction="value",
    editions=with_changes(
        lipschitz_editions("zhou2024.lipschitz", private=False),
        (
            "The theorem hides its constants; these are those of its proof: four approximation steps with the 5/4 of "
            "equation (1) on an interval of length 2R, and two marginal steps.",
            "R = tau sqrt m is at least 1 in the proof; below, it works on [-1, 1] and the first term does not shrink.",
            "For the logistic loss the first term alone is at least R, the most by which any two models differ, up to "
            "d = 101.",
        ),
        (
            "The interval is [-max(1, R), max(1, R)], as in the proof.",
            "1 + 2/(b - a) = 1 + 1/R on a symmetric interval, in place of 3.",
        ),
        (
            "The factor (3m)^(d-1) is gone: the products of weights sum to R^k, whatever m is.",
            "Marginals of order d carry the degree 2 floor(d/2), not d - 1; constants cost nothing: phi(0) is gone.",
            "The rate is 1/d by the best polynomial, not 1/sqrt(d), and the excess never exceeds the oscillation.",
            "`synthbounds risk` computes the polynomial that is best for the loss, radius and marginals at hand.",
        ),
    ),
    see_also=("synthbounds.excess-risk", "synthbounds.quadratic-bias", "zhou2024.lipschitz-private"),
)
