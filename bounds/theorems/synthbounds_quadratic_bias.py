"""Excess risk with a bias that is quadratic in the error of the approximation.

Guarantee: a model that is optimal on synthetic data has at most this much more risk on the real data than the best one.
"""

from bounds.model import Citation, Edition, Theorem
from bounds.pieces.excess_risk import QUADRATIC_BIAS, as_route

THEOREM = Theorem(
    id="synthbounds.quadratic-bias",
    title="Excess risk by first-order optimality",
    guarantee="For a loss that stays convex when mu x^2/2 is subtracted, and a convex set of models, the model that "
    "is optimal on the synthetic data has at most this much more risk on the real data than the best one.",
    citation=Citation("synthbounds", "quadratic bias"),
    inputs=("radius", "features", "order", "marginal_error", *QUADRATIC_BIAS.inputs),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (as_route(QUADRATIC_BIAS),),
            changes=(
                "With tilt = mu/4 the approximation costs 2 e^2/mu, where e is the largest |phi' - Q'|; "
                "`synthbounds risk` takes the best tilt.",
            ),
            proof="synthbounds.quadratic-bias",
        ),
    ),
    see_also=("synthbounds.excess-risk", "synthbounds.risk-floor"),
)
