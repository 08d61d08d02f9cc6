"""From a noisy gradient to a certificate: it is the supremum it claims to be, and fails as seldom as it says."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bounds.certify.gradient import (
    GradientCertificate,
    GradientClass,
    GradientErrors,
    gradient_certificate,
    planned_certificate,
)
from bounds.errors import ParameterError

TINY = GradientErrors(deviation=Fraction(1, 10**14))
P = 3


def exact(values: np.ndarray) -> list[Fraction]:
    return [Fraction(float(value)) for value in values]


def certified(
    gradient: np.ndarray,
    w: np.ndarray,
    compared: GradientClass,
    errors: GradientErrors = TINY,
    failure: Fraction = Fraction(1, 20),
) -> GradientCertificate:
    """Gradient and model on the scale of x."""
    root = sqrt(P)
    return gradient_certificate(
        gradient=exact(gradient * root), coefficients=exact(w / root), errors=errors, compared=compared, failure=failure
    )


def best_gain(gradient: np.ndarray, w: np.ndarray, tau: float | None, ridge: float) -> float:
    """Maximise -(G + r w).d - r |d|^2 / 2 over v = w + d of norm at most tau, by the multiplier of the norm."""
    if tau is None:
        return float((gradient + ridge * w) @ (gradient + ridge * w)) / (2 * ridge)
    # the objective is -G.v - r |v|^2/2 plus what does not depend on v: v is along -G
    size = float(np.linalg.norm(gradient))
    length = tau if ridge == 0 else min(tau, size / ridge)
    return size * length - ridge * length**2 / 2 + float(gradient @ w) + ridge * float(w @ w) / 2


@given(
    st.lists(st.floats(-1, 1), min_size=8, max_size=8),
    st.sampled_from([(2.0, 0.0), (0.5, 0.0), (2.0, 0.25), (2.0, 4.0), (None, 0.5)]),
)
@settings(max_examples=60)
def test_without_noise_it_is_the_largest_gain(numbers: list[float], classes: tuple[float | None, float]) -> None:
    gradient, w = np.array(numbers[:4]), np.array(numbers[4:])
    tau, ridge = classes
    compared = GradientClass(squared_norm=P, tau=None if tau is None else Fraction(tau), ridge=Fraction(ridge))
    expected = max(0.0, best_gain(gradient, w, tau, ridge))
    found = float(certified(gradient, w, compared).bound)
    assert expected - 1e-12 <= found <= expected + 1e-9 * (1 + expected)


@given(st.integers(0, 2**32), st.sampled_from(["logistic", "squared", "hinge"]))
@settings(max_examples=40)
def test_no_model_gains_more_on_a_random_table(seed: int, loss: str) -> None:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(30, 4))
    z /= np.maximum(1, np.linalg.norm(z, axis=1))[:, None]
    w = rng.normal(size=4)
    tau, ridge = 2.5, float(rng.choice([0.0, 0.1]))
    value, slope = {
        "logistic": (lambda m: np.logaddexp(0, -m), lambda m: -1 / (1 + np.exp(m))),
        "squared": (lambda m: (1 - m) ** 2 / 2, lambda m: m - 1),
        "hinge": (lambda m: np.maximum(0, 1 - m), lambda m: -1.0 * (m < 1)),
    }[loss]
    true = slope(z @ w) @ z / len(z)
    # an error of the allowed size that points anywhere, and noise within one deviation
    error, noise = rng.normal(size=4), rng.normal(size=4)
    shift = 0.05
    observed = true + shift * error / np.linalg.norm(error) + 0.01 * noise / np.linalg.norm(noise)
    errors = GradientErrors(deviation=Fraction(0.01 * sqrt(P)), shift=Fraction(shift * sqrt(P)))
    bound = float(
        certified(observed, w, GradientClass(squared_norm=P, tau=Fraction(tau), ridge=Fraction(ridge)), errors).bound
    )
    others = rng.normal(size=(400, 4))
    others *= (tau * rng.uniform(0, 1, 400) ** 0.25 / np.linalg.norm(others, axis=1))[:, None]
    others = np.vstack([others, -tau * true / np.linalg.norm(true)])

    def risk(v: np.ndarray) -> float:
        return float(value(z @ v).mean() + ridge / 2 * v @ v)

    assert max(risk(w) - risk(v) for v in others) <= bound


def frequency(compared: GradientClass, failure: Fraction, draws: int) -> tuple[int, float]:
    """How often the bound is below the largest gain of the true gradient, and the largest gain."""
    w = np.array([1.2, -0.5, 1.0, 0.3, 0.0, 0.2])
    w *= 2 / np.linalg.norm(w)
    gradient = -0.05 * w / 2 + 0.008 * np.array([0.0, 1.0, 0.5, 0.0, -1.0, 0.3])
    tau = None if compared.tau is None else float(compared.tau)
    gain = best_gain(gradient, w, tau, float(compared.ridge))
    rng = np.random.default_rng(3)
    errors = GradientErrors(deviation=Fraction(0.004 * sqrt(P)))
    missed = 0
    for _ in range(draws):
        found = certified(gradient + 0.004 * rng.normal(size=6), w, compared, errors, failure)
        missed += float(found.bound) < gain
    return missed, gain


def test_it_fails_no_more_often_than_it_says() -> None:
    missed, gain = frequency(GradientClass(squared_norm=P, tau=Fraction(2)), Fraction(1, 4), 400)
    assert gain > 0
    assert stats.binomtest(missed, 400, 0.25, alternative="greater").pvalue > 0.001
    # most of the failure probability is used: that for the part across w is 0.225
    assert stats.binomtest(missed, 400, 0.15, alternative="less").pvalue > 0.001


def test_with_a_ridge_alone_the_failure_probability_is_exact() -> None:
    missed, _ = frequency(GradientClass(squared_norm=P, ridge=Fraction(1, 40)), Fraction(1, 4), 400)
    assert stats.binomtest(missed, 400, 0.25).pvalue > 0.001


def test_a_lucky_draw_does_not_promise_the_impossible() -> None:
    w = np.array([1.0, 1.0, 0.0, 0.0])
    errors = GradientErrors(deviation=Fraction(1, 100))
    found = certified(-0.1 * w, w, GradientClass(squared_norm=P, tau=Fraction(3, 2)), errors)
    assert found.across.hi < Fraction(1, 10**12)
    assert float(found.across_hi) == pytest.approx(sqrt(3) / 200 / sqrt(P))


def test_errors_only_add() -> None:
    w, gradient = np.array([1.0, 1.0, 0.0]), np.array([-0.3, -0.28, 0.02])
    compared = GradientClass(squared_norm=P, tau=Fraction(3, 2))
    base = {"deviation": Fraction(1, 500)}
    plain = certified(gradient, w, compared, GradientErrors(**base)).bound
    for name in ("shift", "grid", "slack"):
        more = [
            certified(gradient, w, compared, GradientErrors(**base, **{name: Fraction(k, 10_000)})).bound
            for k in (1, 10, 100)
        ]
        assert [plain, *more] == sorted({plain, *more})
    parts = certified(gradient, w, compared, GradientErrors(**base))
    assert parts.along_lo < parts.along.lo <= parts.along.hi < parts.along_hi
    assert parts.across_hi > parts.across.hi
    assert parts.observed < parts.bound
    assert float(parts.along.lo) == pytest.approx(0.58 / sqrt(2))


def test_a_shift_is_worst_in_its_worst_direction() -> None:
    w, gradient = np.array([1.0, 1.0, 0.0]), np.array([-0.3, -0.28, 0.02])
    compared = GradientClass(squared_norm=P, tau=Fraction(3, 2))
    shift = 0.05
    found = certified(
        gradient, w, compared, GradientErrors(deviation=Fraction(1, 10**14), shift=Fraction(shift * sqrt(P)))
    ).bound
    rng = np.random.default_rng(1)
    moved = gradient + shift * (lambda e: e / np.linalg.norm(e, axis=1)[:, None])(rng.normal(size=(20_000, 3)))
    worst = max(best_gain(g, w, 1.5, 0) for g in moved)
    assert worst <= float(found) <= worst * 1.03


def test_a_free_intercept() -> None:
    w, gradient = np.array([1.0, 1.0, 5.0]), np.array([-0.3, -0.28, 0.02])
    compared = GradientClass(squared_norm=P, tau=Fraction(3, 2), intercept_reach=Fraction(2))
    found = certified(gradient, w, compared)
    inner = best_gain(gradient[:2], w[:2], 1.5, 0)
    assert float(found.intercept_term) == pytest.approx(2 * 0.02 * sqrt(P))
    assert float(found.bound) == pytest.approx(inner + 2 * 0.02 * sqrt(P))


def test_the_zero_model_and_one_feature() -> None:
    compared = GradientClass(squared_norm=P, tau=Fraction(2))
    assert float(certified(np.array([0.3, 0.4]), np.zeros(2), compared).bound) == pytest.approx(1.0)
    assert float(certified(np.array([-0.3]), np.array([1.0]), compared).bound) == pytest.approx(0.3)


@pytest.mark.parametrize(
    "compared", [GradientClass(squared_norm=P, tau=Fraction(2)), GradientClass(squared_norm=P, ridge=Fraction(1, 30))]
)
def test_the_plan_is_near_what_comes(compared: GradientClass) -> None:
    w = np.array([1.2, -0.5, 1.0, 0.3, 0.0, 0.2])
    w *= 2 / np.linalg.norm(w)
    errors = GradientErrors(deviation=Fraction(0.004 * sqrt(P)))
    rng = np.random.default_rng(5)
    came = [float(certified(-0.05 * w / 2 + 0.004 * rng.normal(size=6), w, compared, errors).bound) for _ in range(40)]
    planned = planned_certificate(
        dimension=6, norm=Fraction(2), along=Fraction(1, 20), errors=errors, compared=compared, failure=Fraction(1, 20)
    )
    assert 0.8 * np.median(came) <= float(planned) <= 1.25 * np.median(came)


def test_what_makes_no_sense_is_refused() -> None:
    compared = GradientClass(squared_norm=P, tau=Fraction(2))
    one = [Fraction(1)]
    with pytest.raises(ParameterError, match="tau"):
        GradientClass(squared_norm=P)
    with pytest.raises(ParameterError, match="deviation"):
        GradientErrors(deviation=Fraction(0))
    with pytest.raises(ParameterError, match="gradient"):
        gradient_certificate(gradient=one * 2, coefficients=one, errors=TINY, compared=compared, failure=Fraction(1, 9))
    with pytest.raises(ParameterError, match="failure"):
        gradient_certificate(gradient=one, coefficients=one, errors=TINY, compared=compared, failure=Fraction(1))
