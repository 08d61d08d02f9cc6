"""Excess risk from private first and second moments instead of marginals.

Guarantee: except with the failure probability, the excess risk is at most the value; n grows like sqrt m.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.pieces.noisy_moments import MOMENTS
from bounds.quantities import Quantities


def _noise(q: Quantities, A: Arithmetic) -> Number:
    return 4 * q.deviation / q.n


def _approximation(q: Quantities, A: Arithmetic) -> Number:
    return 2 * q.oscillation


def _total(q: Quantities, A: Arithmetic) -> Number:
    gap = q.optimisation_gap if q.has("optimisation_gap") else A.ratio(0)
    return _approximation(q, A) + _noise(q, A) + gap


THEOREM = Theorem(
    id="synthbounds.noisy-moments",
    title="Excess risk from private moments",
    guarantee="Synthetic data that fit the noisy sums of x_i y and x_i x_j are private (replace-one, n public), and "
    "the model trained on them has at most this much more risk than the best one, except with the failure probability.",
    citation=Citation("synthbounds", "moments instead of marginals"),
    inputs=(
        "features",
        "n",
        "epsilon",
        "dp_delta",
        "failure",
        "oscillation",
        "linear_cost",
        "quadratic_cost",
        "split",
    ),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "degree 2",
                    "polynomial of degree 2; the noise is shared as split says",
                    (
                        Term("value", "excess risk", _total),
                        Term("value", "approximation", _approximation),
                        Term("value", "moments", _noise),
                    ),
                    hypotheses=(
                        Hypothesis("split is less than 1", lambda q: bool(q.split < 1)),
                        Hypothesis("every feature is -1 or 1, and models have |w|_2 <= tau = R/sqrt m"),
                        Hypothesis(
                            "the synthetic data have n records and minimise the largest distance of the polynomial "
                            "risk to the noisy one"
                        ),
                    ),
                    derived=MOMENTS,
                ),
            ),
            changes=(
                "The two sensitivities, 2 sqrt m and m, are not reached by the same pair of records: both moments "
                "together need less noise than each of them with half the budget.",
                "Operator-norm concentration for all models at once: n grows like sqrt m, with marginals like m.",
            ),
            proof="synthbounds.noisy-moments",
        ),
    ),
    see_also=("zhou2024.logistic-private", "synthbounds.excess-risk"),
)
