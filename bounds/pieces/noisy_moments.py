"""First and second moments with Gaussian noise: what they cost and how far they are off.

Features are -1 or 1; replace-one adjacency, n public. Proof: docs/proofs/synthbounds.noisy-moments.md.
"""

from __future__ import annotations

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Derived
from bounds.quantities import Quantities


def first_sd(q: Quantities, A: Arithmetic) -> Number:
    ratio = A.gaussian_factor(q.epsilon, q.dp_delta)
    return 2 * ratio * A.sqrt(q.features) / A.sqrt((1 - q.split) * (1 + q.split))


def second_sd(q: Quantities, A: Arithmetic) -> Number:
    return 2 * A.gaussian_factor(q.epsilon, q.dp_delta) * q.features / (1 + q.split)


def mean_norm(q: Quantities, A: Arithmetic) -> Number:
    """Mean length of a standard Gaussian vector in m dimensions."""
    return A.sqrt(A.ratio(2)) * A.gamma((q.features + 1) / 2) / A.gamma(q.features / 2)


def deviation(q: Quantities, A: Arithmetic) -> Number:
    """N: how far the noise moves the polynomial risk, times n, for all models at once."""
    linear = q.linear_cost * q.sigma_1 / A.sqrt(q.features)
    quadratic = q.quadratic_cost * q.sigma_2 / q.features
    mean = q.mean_norm * A.sqrt(linear**2 + 4 * quadratic**2)
    reach = A.sqrt(linear**2 + 2 * (1 - 1 / q.features) * quadratic**2)
    return mean + A.sqrt(2 * A.log(2 / q.failure)) * reach


MOMENTS = (
    Derived("sigma_1", "standard deviation of the noise on the sums of x_i y", first_sd),
    Derived("sigma_2", "standard deviation of the noise on the sums of x_i x_j", second_sd),
    Derived("mean_norm", "mean length of a standard Gaussian vector", mean_norm),
    Derived("deviation", "what the noise moves, times n", deviation),
)
