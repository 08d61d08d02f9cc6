"""How much better another model can be, from noisy moments and a polynomial that dominates the difference of losses.

Guarantee: on the event of the radii no model of norm at most tau has a smaller risk by more than the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities


def _noise(q: Quantities, A: Arithmetic) -> Number:
    first = q.first_radius / 2 * (q.label_norm**2 / q.label_scale + q.label_scale)
    return first + q.second_radius * q.absolute_form


def _others(q: Quantities, A: Arithmetic) -> Number:
    """The largest 2 h r - kappa r^2 over 0 <= r <= tau."""
    length = q.class_norm * q.linear_norm / A.max(q.linear_norm, q.least_curvature * q.class_norm)
    return 2 * q.linear_norm * length - q.least_curvature * length**2


def _total(q: Quantities, A: Arithmetic) -> Number:
    return q.polynomial_mean + _noise(q, A) + _others(q, A)


def _fixed(q: Quantities, A: Arithmetic) -> Number:
    return q.polynomial_mean


THEOREM = Theorem(
    id="synthbounds.model-certificate",
    title="Certificate for one model from noisy moments",
    guarantee="If the real first and second moments are within their radii, no model of norm at most tau has a "
    "smaller risk on the real table than the given model by more than this, whatever the margin loss; one event serves "
    "all models, norms and polynomials of degree 2.",
    citation=Citation("synthbounds", "model certificate"),
    inputs=(
        "polynomial_mean",
        "first_radius",
        "label_norm",
        "label_scale",
        "second_radius",
        "absolute_form",
        "linear_norm",
        "least_curvature",
        "class_norm",
    ),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "one ball",
                    "degree 2, features in the unit ball; `synthbounds certify` searches for the polynomial and keeps "
                    "the whole matrix",
                    (
                        Term("value", "excess risk", _total),
                        Term("value", "polynomial", _fixed),
                        Term("value", "noise of the fixed part", _noise),
                        Term("value", "other models", _others),
                    ),
                    hypotheses=(
                        Hypothesis("label_scale is positive", lambda q: bool(q.label_scale > 0)),
                        Hypothesis("linear_norm is positive", lambda q: bool(q.linear_norm > 0)),
                        Hypothesis(
                            "the polynomial dominates phi(yS) - phi(yV) for all scores S of the model over the public "
                            "domain, |V| <= tau and both labels, and H is above its form and above minus its form"
                        ),
                    ),
                ),
            ),
            changes=(
                "With the least eigenvalue in place of the matrix of curvatures; the programme's value is not larger.",
            ),
            proof="synthbounds.model-certificate",
        ),
    ),
    see_also=("synthbounds.fenchel-young", "synthbounds.gradient-query", "synthbounds.moment-release"),
)
