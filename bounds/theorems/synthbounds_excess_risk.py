"""Excess risk from any polynomial near the loss.

Guarantee: a model trained on synthetic data has at most this much more risk on the real data than the best one.
"""

from bounds.model import Citation, Edition, Theorem
from bounds.pieces.excess_risk import GIVEN_POLYNOMIAL, as_route

THEOREM = Theorem(
    id="synthbounds.excess-risk",
    title="Excess risk from a polynomial near the loss",
    guarantee="If the marginals of d attributes are within s in L1, a model with |w|_1 <= R that is best on the "
    "synthetic data has at most this much more risk on the real data than any other, for any continuous loss.",
    citation=Citation("synthbounds", "polynomial near the loss"),
    inputs=("features", "order", "marginal_error", *GIVEN_POLYNOMIAL.inputs),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (as_route(GIVEN_POLYNOMIAL),),
            changes=("The label is needed only for odd powers: with k features for the power k.",),
            proof="synthbounds.excess-risk",
        ),
    ),
    see_also=("zhou2024.lipschitz", "zhou2024.logistic", "synthbounds.quadratic-bias"),
)
