"""Theorem C.3: how far the marginals that AIM could have measured in a round are from its model before that round.

Guarantee: with probability 1 - e^(-lambda1^2/2) - e^(-lambda2), for all candidates q at once, the L1 distance of the
real marginal and the model's is at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Formula, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

SUMMARY = "one round of AIM: the choice, its measurement and the marginal in question"
NOISY = Hypothesis(
    "residual is the L1 distance between the noisy marginal that was measured and the model's before the round"
)


def _bound(q: Quantities, A: Arithmetic, deviation: Number, choice: Number) -> Number:
    """Exponential mechanism: no score is more than `choice` times 2 D/epsilon above that of the chosen marginal."""
    expected = A.sqrt(2 / A.pi()) * q.noise_sd * (q.weight * q.cells - q.selected_weight * q.selected_cells)
    measured = q.selected_weight * q.residual + deviation * q.noise_sd * A.sqrt(q.selected_cells)
    return (measured + expected + 2 * q.largest_weight / q.epsilon * choice) / q.weight


def printed(q: Quantities, A: Arithmetic) -> Number:
    return _bound(q, A, q.noise_deviations, A.log(q.candidates) + q.choice_exponent)


def corrected(q: Quantities, A: Arithmetic) -> Number:
    return _bound(q, A, q.selected_weight * q.noise_deviations, A.log(q.candidates) + q.choice_exponent)


def sharp(q: Quantities, A: Arithmetic) -> Number:
    one_sided = A.normal_max_quantile(A.ratio(1), 2 * A.exp(-(q.noise_deviations**2) / 2))
    others = A.max(A.ratio(1), (q.candidates - 1) * A.expm1(q.choice_exponent))
    return _bound(q, A, q.selected_weight * one_sided, A.log(others))


def _route(name: str, formula: Formula) -> tuple[Route, ...]:
    return (Route(name, SUMMARY, (Term("value", "L1 distance", formula),), hypotheses=(NOISY,)),)


THEOREM = Theorem(
    id="zhou2024.aim-confidence",
    title="Confidence of AIM about marginals it did not choose",
    guarantee="With probability at least 1 - e^(-lambda1^2/2) - e^(-lambda2) the real marginals of all candidates of a "
    "round are within the value of the model's before that round, in L1.",
    citation=Citation("zhou2024", "Theorem C.3"),
    inputs=(
        "weight",
        "cells",
        "selected_weight",
        "selected_cells",
        "largest_weight",
        "candidates",
        "noise_sd",
        "epsilon",
        "residual",
        "noise_deviations",
        "choice_exponent",
    ),
    direction="value",
    editions=(
        Edition(
            "printed",
            _route("as printed", printed),
            changes=(
                "The true marginal is printed, compared with another marginal of the model: the bound could not be "
                "published and the two vectors differ in length. We read it as the noisy marginal that was measured.",
                "lambda1 lacks the weight of the chosen marginal: with that weight above 1 the failure probability can "
                "be larger than stated, 0.382 in place of 0.011 for lambda1 = 3 and weight 10.",
            ),
        ),
        Edition(
            "corrected",
            _route("with the weight", corrected),
            changes=(
                "The distance of the measured marginal enters with the weight of the chosen marginal, and so does "
                "its error.",
            ),
            proof="zhou2024.aim-confidence",
        ),
        Edition(
            "sharp",
            _route("exact tails", sharp),
            changes=(
                "The error of the measurement is one Gaussian variable: its exact quantile in place of lambda1.",
                "The exact tail of the exponential mechanism: log((|Q|-1)(e^lambda2 - 1)) in place of "
                "log|Q| + lambda2.",
            ),
            proof="zhou2024.aim-confidence",
        ),
    ),
    see_also=("zhou2024.zcdp",),
)
