"""What a private release of moments of features costs: squared sensitivity and noise.

Guarantee: Gaussian noise of these standard deviations makes the sums of y x, x x' and the fourth moments private.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

WEIGHTED = Hypothesis("first_weight is positive", lambda q: bool(q.first_weight > 0))
UNIT_BALL = Hypothesis("features are in the unit ball, labels are -1 or 1")


def _moved(q: Quantities, A: Arithmetic, overlap: Number) -> Number:
    """Squared distance of the weighted first and second moments of two unit vectors with product -overlap."""
    return 2 * q.first_weight * (1 + overlap) + 2 * (1 - overlap**2)


def _replace_one(q: Quantities, A: Arithmetic) -> Number:
    return _moved(q, A, A.min(q.first_weight / 2, A.ratio(1)))


def _with_fourth(q: Quantities, A: Arithmetic) -> Number:
    """At the real root of 4 c^2 s^3 + 2 s = a^2, by Cardano's formula, or at 1 if that is less."""
    third = 1 / (6 * q.fourth_weight)
    half = q.first_weight / (8 * q.fourth_weight)
    root = A.power(half + A.sqrt(half**2 + third**3), A.ratio(1, 3))
    overlap = A.min(root - third / root, A.ratio(1))
    return _moved(q, A, overlap) + 2 * q.fourth_weight * (1 - overlap**4)


def _add_remove(q: Quantities, A: Arithmetic) -> Number:
    return q.first_weight + 1 + (q.fourth_weight if q.has("fourth_weight") else 0)


def _second_noise(q: Quantities, A: Arithmetic) -> Number:
    return A.sqrt(_replace_one(q, A)) * A.gaussian_factor(q.epsilon, q.dp_delta)


def _first_noise(q: Quantities, A: Arithmetic) -> Number:
    return _second_noise(q, A) / A.sqrt(q.first_weight)


THEOREM = Theorem(
    id="synthbounds.moment-release",
    title="Private first, second and fourth moments of features",
    guarantee="The sums over all records of a y x, of x x' and, if wanted, of c times the fourth moments of x move by "
    "at most the root of this; noise to match makes them private, whatever the number of features.",
    citation=Citation("synthbounds", "release of moments"),
    inputs=("first_weight",),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "replace-one",
                    "first and second moments, n public",
                    (Term("value", "squared sensitivity", _replace_one),),
                    hypotheses=(WEIGHTED, UNIT_BALL),
                ),
                Route(
                    "replace-one, fourth moments",
                    "first, second and fourth moments, n public",
                    (Term("value", "squared sensitivity", _with_fourth),),
                    inputs=("fourth_weight",),
                    hypotheses=(
                        WEIGHTED,
                        Hypothesis("fourth_weight is positive", lambda q: bool(q.fourth_weight > 0)),
                        UNIT_BALL,
                    ),
                ),
                Route(
                    "add-remove",
                    "fourth moments if their weight is given; n private",
                    (Term("value", "squared sensitivity", _add_remove),),
                    hypotheses=(UNIT_BALL,),
                ),
                Route(
                    "noise on x x'",
                    "replace-one, without fourth moments: on the diagonal; off it smaller by a factor of sqrt 2",
                    (Term("value", "standard deviation", _second_noise),),
                    inputs=("epsilon", "dp_delta"),
                    hypotheses=(WEIGHTED, UNIT_BALL),
                ),
                Route(
                    "noise on y x",
                    "replace-one, without fourth moments: on every coordinate",
                    (Term("value", "standard deviation", _first_noise),),
                    inputs=("epsilon", "dp_delta"),
                    hypotheses=(WEIGHTED, UNIT_BALL),
                ),
            ),
            changes=(
                "The sensitivities of the parts are not reached by the same pair of records: with a = 1 the squared "
                "sensitivity is 9/2, not 4 + 2.",
                "It does not depend on the number of features.",
            ),
            proof="synthbounds.moment-release",
        ),
    ),
    see_also=("synthbounds.noisy-moments", "synthbounds.model-certificate", "synthbounds.noise-gaussian"),
)
