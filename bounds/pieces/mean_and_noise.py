"""The record count when sampling error and noise share one budget.

2 Q/(epsilon n) + R sqrt(log(2F'/gamma)/(2n)) <= c is a quadratic inequality in 1/sqrt(n).
"""

from __future__ import annotations

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Derived, Term
from bounds.quantities import Quantities


def _budget(q: Quantities, A: Arithmetic) -> Number:
    return 8 * q.delta - q.R * q.delta - q.e_k


BUDGET = Derived("budget", "accuracy left for noise and records", _budget)
"""8 delta less R delta for the reference points and e_k for the synthetic records."""


def mean_and_noise_records(q: Quantities, A: Arithmetic) -> Number:
    """The n at which both together use up the budget exactly."""
    noise = 2 * q.Q / q.epsilon
    spread = q.R * A.sqrt(A.log(2 * q.F_varying / q.gamma) / 2)
    return ((spread + A.sqrt(spread**2 + 4 * noise * q.budget)) / (2 * q.budget)) ** 2


N_MEAN_AND_NOISE = Term("n", "noise of the answers and records against their distribution", mean_and_noise_records)
