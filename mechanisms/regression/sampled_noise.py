"""The Gaussian noise that steps on Poisson samples need, by the privacy loss distributions of dp-accounting; in floats.

Add-remove: each record is in a step with probability q, and it changes the sum of the sample by at most the clipping
norm. The accountant rounds towards more loss but computes in floats, so its answer is an estimate. Steps on all records
are plain Gaussian noise, whose exact curve needs no accountant. Answers are cached: one takes about a second.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import log, sqrt
from typing import Any, TypeAlias

from bounds.errors import NotApplicable, ParameterError, UsageError, how_to_install
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import analytic_gaussian

Uses: TypeAlias = tuple[tuple[float, int], ...]
"""Pairs of a sampling probability and a number of steps, in sequence, all with the same noise."""

_CELL = 3e-4
"""Cell width of a loss distribution; in settings of ddssp2024 finer cells save less than 1/2000 of the noise."""
_TOLERANCE = 1e-4
_MOST_WIDENINGS = 60


@cache
def noise_multiplier_est(uses: Uses, *, epsilon: Fraction, dp_delta: Fraction) -> float:
    """sigma over the clipping norm such that all steps together are (epsilon, dp_delta)-private under add-remove."""
    steps: Counter[float] = Counter()
    for chance, count in uses:
        if not (0 < chance <= 1 and count >= 1):
            raise ParameterError("uses", f"{chance}, {count}", "a probability above 0, and at least one step")
        steps[chance] += count
    plain = analytic_gaussian(epsilon=epsilon, dp_delta=dp_delta, adjacency=Adjacency.ADD_REMOVE).ratio.hi
    if set(steps) == {1.0}:
        return float(plain) * sqrt(steps[1.0])
    accountant, target = _accountant(), float(dp_delta)

    def is_enough(sigma: float) -> bool:
        return _delta(accountant, steps, sigma, float(epsilon)) <= target

    # By the central limit theorem for sampled Gaussian noise: near the answer, on either side.
    squares = sum(q * q * count for q, count in steps.items())
    low = high = 1 / sqrt(log(1 + 1 / (float(plain) ** 2 * squares)))
    for _ in range(_MOST_WIDENINGS):
        if is_enough(high):
            break
        low, high = high, 1.1 * high
    else:
        raise NotApplicable(f"epsilon = {float(epsilon)}: the accountant finds no noise that is enough")
    if low == high:
        while is_enough(low := low / 1.1):
            high = low
    while high - low > _TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _delta(accountant: Any, steps: Counter[float], sigma: float, epsilon: float) -> float:
    """Delta of all steps together at that epsilon."""
    whole = None
    for chance, count in sorted(steps.items()):
        one = accountant.from_gaussian_mechanism(
            sigma, sampling_prob=chance, value_discretization_interval=_CELL, use_connect_dots=True
        ).self_compose(count)
        whole = one if whole is None else whole.compose(one)
    assert whole is not None
    return float(whole.get_delta_for_epsilon(epsilon))


def _accountant() -> Any:
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise UsageError(f"dp-accounting is missing: DP-SGD needs it ({how_to_install('sgd')})") from None
    return privacy_loss_distribution
