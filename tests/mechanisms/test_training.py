"""Trained models: minima against closed forms, scikit-learn and convexity; norms that hold exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from bounds.certify.margin_losses import LOSSES as CERTIFIED_LOSSES
from bounds.errors import ParameterError
from mechanisms.models.losses import LOSSES, find_training_loss
from mechanisms.models.train.ball_minimum import smallest_in_ball
from mechanisms.models.train.newton import Trained, mean_loss, rounded_coefficients, train, train_on_table
from tests.moment_examples import feature_map, table

MAP = feature_map(one_hot=False)
CODES = table(800)
F = MAP.features(CODES) / MAP.one
Y = MAP.labels(CODES).astype(float)
P = MAP.squared_norm
X = F / np.sqrt(P)


def vector(found: Trained) -> np.ndarray:
    """On the scale of x."""
    return np.array([float(c) for c in found.coefficients]) * np.sqrt(P)


def risk(w: np.ndarray, loss: str) -> float:
    return float(find_training_loss(loss).value(Y * (X @ w)).mean())


@pytest.mark.parametrize("tau", ["0.5", "2", "5"])
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_least_risk_in_the_ball(tau: str, loss: str) -> None:
    """By convexity no v in the ball has a risk below that of w by more than G.w + tau |G|, G the gradient at w."""
    found = train(F, Y, squared_norm=P, loss=loss, tau=Fraction(tau))
    w = vector(found)
    m = Y * (X @ w)
    slope = -1 / (1 + np.exp(m)) if loss == "logistic" else m - 1
    gradient = (slope * Y) @ X / len(Y)
    assert gradient @ w + float(tau) * np.linalg.norm(gradient) < 1e-9
    assert found.kkt_est < 1e-9
    assert found.gap_est is not None
    assert found.gap_est < 1e-9
    assert found.risk_est == pytest.approx(risk(w, loss), abs=1e-12)
    assert found.norm_squared <= Fraction(tau) ** 2
    if found.multiplier_est > 0:
        assert found.norm_squared > Fraction(tau) ** 2 * (1 - Fraction(1, 10**9))


def test_a_ball_that_holds_the_minimum_does_not_matter() -> None:
    inside = train(F, Y, squared_norm=P, tau=1000)
    free = train(F, Y, squared_norm=P)
    assert inside.multiplier_est == 0
    np.testing.assert_allclose(vector(inside), vector(free), atol=1e-7)
    assert free.gap_est is None


@pytest.mark.parametrize("free", [False, True])
def test_ridge_is_that_of_scikit_learn(free: bool) -> None:
    """Its objective is the sum of losses times C plus half the squared norm of the coefficients on f."""
    ridge = Fraction(1, 50)
    found = train(F, Y, squared_norm=P, ridge=ridge, penalise_intercept=not free)
    theirs = LogisticRegression(C=1 / (float(ridge) * P * len(Y)), fit_intercept=free, tol=1e-12, max_iter=10_000)
    theirs.fit(F[:, :-1] if free else F, Y)
    wanted = np.append(theirs.coef_[0], theirs.intercept_) if free else theirs.coef_[0]
    np.testing.assert_allclose([float(c) for c in found.coefficients], wanted, atol=1e-5)
    assert found.kkt_est < 1e-9


def test_squared_loss_is_least_squares() -> None:
    free = train(F, Y, squared_norm=P, loss="squared")
    np.testing.assert_allclose([float(c) for c in free.coefficients], np.linalg.lstsq(F, Y)[0], atol=1e-9)
    ridge = train(F, Y, squared_norm=P, loss="squared", ridge=2)
    np.testing.assert_allclose(vector(ridge), np.linalg.solve(X.T @ X / len(Y) + 2 * np.eye(5), Y @ X / len(Y)))


@pytest.mark.parametrize("loss", list(LOSSES))
def test_a_free_intercept_is_seen_by_neither_norm_nor_ridge(loss: str) -> None:
    found = train(F, Y, squared_norm=P, loss=loss, tau=1, penalise_intercept=False)
    assert P * sum(c * c for c in found.coefficients[:-1]) == found.norm_squared <= 1
    assert P * sum(c * c for c in found.coefficients) > found.norm_squared
    assert found.risk_est <= train(F, Y, squared_norm=P, loss=loss, tau=1).risk_est + 1e-9
    w = vector(found)
    for step in (-0.05, 0.05):
        assert risk(w + step * np.eye(5)[-1], loss) >= found.risk_est - 1e-4 * (loss == "hinge")


@pytest.mark.parametrize("tau", [1, 4])
def test_hinge_loss_is_near_its_minimum(tau: int) -> None:
    found = train(F, Y, squared_norm=P, loss="hinge", tau=tau)
    assert found.gap_est is not None
    assert found.gap_est < 2e-4
    w = vector(found)
    generator = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(200):
            v = w + size * generator.standard_normal(5)
            v *= min(1, tau / np.linalg.norm(v))
            assert risk(v, "hinge") >= found.risk_est - found.gap_est


def test_losses_are_those_that_certificates_know() -> None:
    assert {name: loss.text for name, loss in LOSSES.items()} == {n: loss.text for n, loss in CERTIFIED_LOSSES.items()}


@pytest.mark.parametrize("name", list(LOSSES))
def test_slopes_and_curvatures_are_derivatives(name: str) -> None:
    loss = LOSSES[name]
    m, h = np.linspace(-3, 3, 61) + 0.0137, 1e-6
    for stage in loss.stages[:4]:
        np.testing.assert_allclose((stage.value(m + h) - stage.value(m - h)) / (2 * h), stage.slope(m), atol=1e-5)
        np.testing.assert_allclose((stage.slope(m + h) - stage.slope(m - h)) / (2 * h), stage.curvature(m), atol=1e-4)
    above = loss.value(m) - loss.stages[-1].value(m)
    assert above.min() >= -1e-15
    assert above.max() <= loss.above + 1e-15


def test_weights_are_repetitions() -> None:
    counts = np.random.default_rng(1).integers(0, 4, len(F))
    weighted = train(F, Y, counts.astype(float), squared_norm=P, tau=3)
    repeated = train(np.repeat(F, counts, axis=0), np.repeat(Y, counts), squared_norm=P, tau=3)
    np.testing.assert_allclose(vector(weighted), vector(repeated), atol=1e-8)


def test_distinct_records_are_enough() -> None:
    whole, distinct = train(F, Y, squared_norm=P, tau=3), train_on_table(CODES, MAP, tau=3)
    np.testing.assert_allclose(vector(whole), vector(distinct), atol=1e-8)
    weights = np.full(len(Y), 1 / len(Y))
    assert mean_loss(whole.coefficients, F, Y, weights, loss="logistic") == pytest.approx(distinct.risk_est, abs=1e-9)


def test_dependent_features_are_no_obstacle() -> None:
    """The indicators of a column add up to the intercept."""
    found = train_on_table(CODES, feature_map(), tau=4)
    assert found.gap_est is not None
    assert found.gap_est < 1e-9
    free = train_on_table(CODES, feature_map())
    assert free.kkt_est < 1e-9
    assert max(abs(c) for c in free.coefficients) < 100


def test_separable_records_are_held_by_the_ball() -> None:
    f = np.array([[1.0, 1.0], [-1.0, 1.0]])
    found = train(f, np.array([1, -1]), squared_norm=2, tau=3)
    assert float(found.coefficients[0]) == pytest.approx(3 / np.sqrt(2))
    assert found.norm_squared <= 9


@given(
    st.lists(st.integers(-(10**17), 10**17).map(lambda i: i / 1e15), min_size=1, max_size=6).filter(any),
    st.integers(1, 20),
    st.booleans(),
)
def test_rounding_goes_toward_zero_and_keeps_the_norm(values: list[float], squared_norm: int, outside: bool) -> None:
    """Also where the floats themselves lie outside by their last digits."""
    exact = squared_norm * sum(Fraction(v) ** 2 for v in values)
    tau = Fraction(float(exact) ** 0.5) * (1 - Fraction(outside, 10**11))
    found = rounded_coefficients(values, tau=tau, squared_norm=squared_norm, counted=len(values))
    assert squared_norm * sum(c * c for c in found) <= tau**2
    for value, c in zip(values, found, strict=True):
        assert abs(c) <= abs(Fraction(value))
        assert abs(Fraction(value) - c) <= abs(Fraction(value)) / 10**10
        assert len(str(c.numerator * 10**400 // c.denominator).strip("-").rstrip("0")) <= 12


@given(st.integers(0, 10**6), st.floats(0.01, 10), st.booleans())
def test_the_least_value_in_a_ball(seed: int, radius: float, free_last: bool) -> None:
    """First-order conditions of the problem itself: a multiplier, zero inside, and nothing left of the gradient."""
    generator = np.random.default_rng(seed)
    root = generator.standard_normal((6, 4))
    hessian, right = root.T @ root / 6, generator.standard_normal(4)
    v = smallest_in_ball(hessian, right, radius, free_last=free_last)
    counted = np.append(v[:-1], 0.0) if free_last else v
    gradient = hessian @ v - right
    size = float(counted @ counted)
    assert size <= radius**2 * (1 + 1e-9)
    multiplier = -(gradient @ counted) / size
    assert multiplier >= -1e-7
    assert np.linalg.norm(gradient + multiplier * counted) <= 1e-7
    assert multiplier <= 1e-7 or size >= radius**2 * (1 - 1e-9)


def test_what_cannot_be_trained_on_is_refused() -> None:
    with pytest.raises(ParameterError, match="divide integers by 2\\^bits"):
        train(MAP.features(CODES), Y, squared_norm=P, tau=1)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="squared norm nan"):
        train(F * np.nan, Y, squared_norm=P, tau=1)
    with pytest.raises(ParameterError, match="labels"):
        train(F, (Y + 1) / 2, squared_norm=P, tau=1)
    with pytest.raises(ParameterError, match="one row for each label"):
        train(F, Y[:-1], squared_norm=P, tau=1)
    with pytest.raises(ParameterError, match="weights"):
        train(F, Y, -np.ones(len(Y)), squared_norm=P, tau=1)
    with pytest.raises(ParameterError, match="weights"):
        train(F, Y, np.zeros(len(Y)), squared_norm=P, tau=1)
    with pytest.raises(ParameterError, match="loss = cubic: must be one of logistic, squared, hinge"):
        train(F, Y, squared_norm=P, loss="cubic", tau=1)
    with pytest.raises(ParameterError, match="tau = 0: must be greater than 0"):
        train(F, Y, squared_norm=P, tau=0)
    with pytest.raises(ParameterError, match="ridge = -1"):
        train(F, Y, squared_norm=P, ridge=-1)
