"""Excess risk of one model by Fenchel-Young losses, for the logistic loss.

Guarantee: no model of norm at most tau has a smaller objective on the table than the given one by more than the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities


def _strength(q: Quantities) -> Number:
    return q.ridge + q.multiplier if q.has("ridge") else q.multiplier


def _approximation(q: Quantities, A: Arithmetic) -> Number:
    return q.fenchel_gap


def _optimality(q: Quantities, A: Arithmetic) -> Number:
    return q.gradient_residual**2 / (2 * _strength(q))


def _room(q: Quantities, A: Arithmetic) -> Number:
    return q.multiplier / 2 * (q.class_norm**2 - q.model_norm**2)


def _total(q: Quantities, A: Arithmetic) -> Number:
    return _approximation(q, A) + _optimality(q, A) + _room(q, A)


THEOREM = Theorem(
    id="synthbounds.fenchel-young",
    title="Excess risk of a model by Fenchel-Young losses",
    guarantee="On every table no model of norm at most tau has a logistic risk, or penalised risk, that is smaller "
    "than that of the given model by more than this; the table enters only through its moments.",
    citation=Citation("synthbounds", "Fenchel-Young certificate"),
    inputs=("fenchel_gap", "gradient_residual", "multiplier", "class_norm", "model_norm"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "one ball",
                    "a dual function of the record, its gradient, and a multiplier; a ridge may be given, too",
                    (
                        Term("value", "excess risk", _total),
                        Term("value", "approximation", _approximation),
                        Term("value", "optimality", _optimality),
                        Term("value", "room in the ball", _room),
                    ),
                    hypotheses=(
                        Hypothesis("ridge + multiplier is positive", lambda q: bool(_strength(q) > 0)),
                        Hypothesis("features are in the unit ball, and the conjugate is taken over |s| <= R, R >= tau"),
                    ),
                ),
            ),
            changes=(
                "Any function of the record may be the dual function; a polynomial in the margin makes everything a "
                "function of moments.",
                "It is a special case of the model certificate, which is never larger.",
            ),
            proof="synthbounds.fenchel-young",
        ),
    ),
    see_also=("synthbounds.model-certificate", "synthbounds.gradient-query"),
)
