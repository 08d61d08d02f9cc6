"""What a noisy excess of one model proves.

Guarantee: no model of the class has a smaller mean loss on the table than the given one by more than the value.
"""

from collections.abc import Callable

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

BEFORE = Hypothesis("model, class and failure probability were fixed before the answer")
PRIVATE = Hypothesis("the answer is the excess plus Gaussian noise for this privacy, n public")
LIKELY = Hypothesis("failure is below 1/2", lambda q: bool(2 * q.failure < 1))


def _bound(moved: Callable[[Number, Arithmetic], Number]) -> Callable[[Quantities, Arithmetic], Number]:
    """`moved` is the oscillation of the loss where no margin is larger in absolute value."""

    def formula(q: Quantities, A: Arithmetic) -> Number:
        moves = moved(q.model_score, A) + moved(q.class_norm, A)
        quantile = A.normal_max_quantile(A.ratio(1), 2 * q.failure)
        return q.noisy_excess + quantile * moves * A.gaussian_factor(q.epsilon, q.dp_delta) / q.n

    return formula


def _logistic(reach: Number, A: Arithmetic) -> Number:
    return reach


def _hinge(reach: Number, A: Arithmetic) -> Number:
    return A.min(2 * reach, 1 + reach)


def _squared(reach: Number, A: Arithmetic) -> Number:
    """2 reach up to 1; from there on (1 + reach)^2/2, which touches it."""
    beyond = A.max(reach, A.ratio(1))
    return 2 * A.min(reach, A.ratio(1)) + (1 + beyond) ** 2 / 2 - 2


def _route(loss: str, moved: Callable[[Number, Arithmetic], Number]) -> Route:
    return Route(
        f"{loss} loss",
        f"the {loss} loss",
        (Term("value", "excess risk", _bound(moved)),),
        hypotheses=(BEFORE, PRIVATE, LIKELY),
    )


THEOREM = Theorem(
    id="synthbounds.excess-query",
    title="Excess risk of a model from a query for it",
    guarantee="No model of norm at most tau has a mean loss on the table that is smaller than the given model's by "
    "more than this, except with the failure probability.",
    citation=Citation("synthbounds", "planned excess query"),
    inputs=("noisy_excess", "model_score", "class_norm", "n", "epsilon", "dp_delta", "failure"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (_route("logistic", _logistic), _route("hinge", _hinge), _route("squared", _squared)),
            changes=(
                "One record moves the mean loss of the model and the least one in the class by at most the "
                "oscillations of the loss over n. If they are queried separately, each with a share of the budget in "
                "proportion to its oscillation, their difference has the same noise as the excess itself.",
            ),
            proof="synthbounds.excess-query",
        ),
    ),
    see_also=("synthbounds.gradient-query", "synthbounds.model-certificate"),
)
