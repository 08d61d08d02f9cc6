"""What the gradient of the real risk at one model bounds.

Guarantee: no model of the class has a smaller objective on the table than the given one by more than the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

CONVEX = Hypothesis("the loss is a convex function of the margin, and the gradient is that of the mean loss")


def _within(q: Quantities, A: Arithmetic) -> Number:
    ridge = q.ridge if q.has("ridge") else A.ratio(0)
    size = A.sqrt(q.gradient_along**2 + q.gradient_across**2)
    length = q.class_norm * size / A.max(size, ridge * q.class_norm)  # of the model that the bound is attained at
    return length * size - q.gradient_along * q.model_norm + ridge / 2 * (q.model_norm**2 - length**2)


def _penalised(q: Quantities, A: Arithmetic) -> Number:
    return ((q.gradient_along - q.ridge * q.model_norm) ** 2 + q.gradient_across**2) / (2 * q.ridge)


THEOREM = Theorem(
    id="synthbounds.gradient-query",
    title="Excess risk of a model from one gradient",
    guarantee="For a convex loss, no model of norm at most tau, or with a ridge no model at all, has a smaller "
    "objective on the table than the given one by more than this.",
    citation=Citation("synthbounds", "planned gradient query"),
    inputs=("gradient_along", "gradient_across", "model_norm", "class_norm"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "within the norm",
                    "models of norm at most tau; a ridge may be given, too",
                    (Term("value", "excess risk", _within),),
                    hypotheses=(
                        CONVEX,
                        Hypothesis(
                            "the gradient is not zero",
                            lambda q: bool(q.gradient_along != 0 or q.gradient_across > 0),
                            why="the model is then optimal without a ridge",
                        ),
                    ),
                ),
                Route(
                    "penalised",
                    "all models, with a ridge",
                    (Term("value", "excess risk", _penalised),),
                    inputs=("ridge",),
                    hypotheses=(CONVEX, Hypothesis("ridge is positive", lambda q: bool(q.ridge > 0))),
                ),
            ),
            changes=(
                "For a model on the boundary of the class the value is at most tau b^2/(2a): of second order in what "
                "training left and in the noise of a query.",
            ),
            proof="synthbounds.gradient-query",
        ),
    ),
    see_also=("synthbounds.model-certificate", "synthbounds.moment-release"),
)
