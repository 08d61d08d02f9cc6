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


_TILTS = ((1, 8), (3, 4))
_JOINT = (((16383, 16384), (1, 16384)),)
"""Probabilities that the proof is free to choose; every one gives a bound."""


def _sizes(q: Quantities, A: Arithmetic) -> tuple[Number, Number]:
    """What the linear and the quadratic part cost; one feature has no products."""
    linear = q.linear_cost * q.sigma_1 / A.sqrt(q.features)
    return linear, q.quadratic_cost * q.sigma_2 / q.features * A.min(A.ratio(1), q.features - 1)


def by_concentration(q: Quantities, A: Arithmetic) -> Number:
    """Mean, and Gaussian concentration about it."""
    linear, quadratic = _sizes(q, A)
    mean = q.mean_norm * A.sqrt(linear**2 + 4 * quadratic**2)
    reach = A.sqrt(linear**2 + 2 * (1 - 1 / q.features) * quadratic**2)
    return mean + A.sqrt(2 * A.log(2 / q.failure)) * reach


def _norm_quantile(q: Quantities, A: Arithmetic, failure: Number) -> Number:
    """What the length of a standard Gaussian vector exceeds with this probability."""
    return A.sqrt(2 * A.gamma_quantile(q.features / 2, failure))


def _normal_quantile(share: Number, A: Arithmetic) -> Number:
    """What a standard normal variable is below with this probability."""
    return A.normal_max_quantile(A.ratio(1), 2 * (1 - share))


def by_comparison(q: Quantities, A: Arithmetic) -> Number:
    """Slepian's inequality with the length of a Gaussian vector, for one sign of the polynomial and for both."""
    linear, quadratic = _sizes(q, A)
    width = A.sqrt(linear**2 + 4 * quadratic**2)
    found = []
    for top, bottom in _TILTS:
        share = A.ratio(top, bottom)
        length = width * _norm_quantile(q, A, q.failure * share / 2)
        if top + top < bottom:
            rest = -_normal_quantile(1 - share, A) * quadratic * A.sqrt(2 + 2 / q.features)
        else:
            rest = 2 * quadratic * _normal_quantile(share, A)
        found.append(length + rest)
    for tilt, part in _JOINT:
        share, sign = A.ratio(*tilt), A.ratio(*part)
        length = width * _norm_quantile(q, A, q.failure * share * (1 - sign))
        rest = A.sqrt(A.ratio(2)) * A.normal_max_quantile(A.ratio(1), q.failure * share * sign)
        found.append(length + quadratic * (rest + A.sqrt(A.ratio(6)) * _normal_quantile(share, A)))
    return A.min(*found)


def deviation(q: Quantities, A: Arithmetic) -> Number:
    """N: how far the noise moves the polynomial risk, times n, for all models at once."""
    return A.min(q.by_concentration, q.by_comparison)


MOMENTS = (
    Derived("sigma_1", "standard deviation of the noise on the sums of x_i y", first_sd),
    Derived("sigma_2", "standard deviation of the noise on the sums of x_i x_j", second_sd),
    Derived("mean_norm", "mean length of a standard Gaussian vector", mean_norm),
    Derived("by_concentration", "what the noise moves by Gaussian concentration, times n", by_concentration),
    Derived("by_comparison", "what the noise moves by comparison with a Gaussian vector, times n", by_comparison),
    Derived("deviation", "what the noise moves, times n", deviation),
)
