"""Conditions on n and k that bojkovic2024 repeats in every theorem, as printed and repaired."""

from __future__ import annotations

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Derived, Formula, Term
from bounds.quantities import Quantities


def _privacy_printed(q: Quantities, A: Arithmetic) -> Number:
    return 2 * q.F / (q.epsilon * q.delta) * A.log(q.F / q.gamma)


def _privacy_repaired(q: Quantities, A: Arithmetic) -> Number:
    return q.Delta_1 / (q.epsilon * q.delta) * A.log(q.F_varying / q.gamma)


def _sampling(q: Quantities, A: Arithmetic) -> Number:
    return A.log(q.F / q.gamma) / q.delta**2


N_PRIVACY = Term("n", "privacy of the noisy answers", _privacy_printed)
N_PRIVACY_REPAIRED = Term(
    "n",
    "privacy of the noisy answers",
    _privacy_repaired,
    note="true L1 sensitivity, no noise on constants, scale delta/log(F'/gamma)",
)
N_SAMPLING = Term("n", "records against their distribution", _sampling)
K_SAMPLING = Term("k", "synthetic records against the fitted density", _sampling)


def reference_points(condition_number: Formula, factor: int = 1) -> Term:
    """m >= factor K |F| / (delta^2 gamma)."""
    return Term(
        "m",
        "reference points",
        lambda q, A: factor * condition_number(q, A) * q.F / (q.delta**2 * q.gamma),
    )


def constant_bound(numerator: int, denominator: int, meaning: str) -> Derived:
    """K as a fixed rational."""
    return Derived("K", meaning, lambda q, A: A.ratio(numerator, denominator))
