"""Linear models trained on weighted records: the least mean loss within a ball, or with a ridge, or both.

The objective is minimised on the scale of x = f / sqrt(P), where a model's norm is sqrt(P) ||coefficients||. Every step
minimises the second-order model of the loss over the whole ball, exactly up to rounding, so the constraint never slows
Newton's method down. Coefficients leave as decimals of 12 digits, rounded toward zero, whose norm is at most tau in
exact arithmetic. The distance from the minimum is reported, but not certified.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction
from math import isfinite, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bounds.errors import NotApplicable, ParameterError
from bounds.exact import require_range
from mechanisms.models.losses import SmoothLoss, TrainingLoss, find_training_loss
from mechanisms.models.parameters import TRAINED_LABELS
from mechanisms.models.train.ball_minimum import smallest_in_ball
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Floats = NDArray[np.float64]

DIGITS = 12
_ENOUGH = 1e-10
_ON_THE_SPHERE = 1e-9


@dataclass(frozen=True)
class Trained:
    """Coefficients on f, intercept last, and how good they are on the records that they were trained on."""

    coefficients: tuple[Fraction, ...]
    loss: str
    tau: Fraction | None
    ridge: Fraction | None
    penalise_intercept: bool
    squared_norm: int
    risk_est: float
    """Mean loss at the rounded coefficients, without the ridge."""
    multiplier_est: float
    """Multiplier of the norm constraint: mu such that gradient + (ridge + mu) w is zero."""
    kkt_est: float
    """Norm of that sum on the scale of x, for the smooth loss that was minimised."""
    gap_est: float | None
    """By convexity the objective exceeds its minimum by at most this; None with a free intercept."""
    steps: int

    @property
    def norm_squared(self) -> Fraction:
        """The exact squared norm to which tau and the ridge apply, without the intercept if that is free."""
        counted = self.coefficients if self.penalise_intercept else self.coefficients[:-1]
        return self.squared_norm * sum((c * c for c in counted), Fraction(0))


def train(
    features: Floats,
    labels: NDArray[np.generic],
    weights: Floats | None = None,
    *,
    squared_norm: int,
    loss: str = "logistic",
    tau: Fraction | int | None = None,
    ridge: Fraction | int | None = None,
    penalise_intercept: bool = True,
) -> Trained:
    """The model of least weighted mean loss plus (ridge/2) norm^2 among those of norm at most tau.

    Features are numbers on the scale of f, one row a record, with the intercept last; labels are 1 and -1.
    """
    chosen = find_training_loss(loss)
    if tau is not None:
        require_range("tau", tau, tau, above=0, most=10**6, reason="a norm")
    if ridge is not None:
        require_range("ridge", ridge, ridge, above=0, most=10**6, reason="weight of half the squared norm")
    shares = _checked(features, labels, weights, squared_norm)
    signed = features * (np.asarray(labels, dtype=float) / sqrt(squared_norm))[:, None]
    problem = Problem(
        signed,
        shares,
        chosen,
        None if tau is None else float(tau),
        0.0 if ridge is None else float(ridge),
        penalise_intercept,
    )
    vector, steps = np.zeros(features.shape[1]), 0
    for stage in chosen.stages:
        vector, used = problem.minimise(stage, vector)
        steps += used
    exact_tau = None if tau is None else Fraction(tau)
    counted = len(vector) if penalise_intercept else len(vector) - 1
    coefficients = rounded_coefficients(
        (vector / sqrt(squared_norm)).tolist(), tau=exact_tau, squared_norm=squared_norm, counted=counted
    )
    final = np.array([float(c) for c in coefficients]) * sqrt(squared_norm)
    multiplier, kkt = problem.stationarity(chosen.stages[-1], final)
    return Trained(
        coefficients,
        loss,
        exact_tau,
        None if ridge is None else Fraction(ridge),
        penalise_intercept,
        squared_norm,
        problem.risk(final),
        multiplier,
        kkt,
        problem.gap(final),
        steps,
    )


def train_on_table(
    codes: Codes,
    feature_map: FeatureMap,
    *,
    loss: str = "logistic",
    tau: Fraction | int | None = None,
    ridge: Fraction | int | None = None,
    penalise_intercept: bool = True,
) -> Trained:
    """The same on records of equal weight, with equal ones merged: for studies; on a real table it is not private."""
    feature_map.require_two_values(TRAINED_LABELS)
    distinct, counts = np.unique(codes, axis=0, return_counts=True)
    return train(
        feature_map.features(distinct) / float(feature_map.one),
        feature_map.labels(distinct),
        counts / counts.sum(),
        squared_norm=feature_map.squared_norm,
        loss=loss,
        tau=tau,
        ridge=ridge,
        penalise_intercept=penalise_intercept,
    )


def mean_loss(
    coefficients: tuple[Fraction, ...], features: Floats, labels: NDArray[np.generic], weights: Floats, *, loss: str
) -> float:
    """The weighted mean loss of a model, in floating point."""
    scores = features @ np.array([float(c) for c in coefficients])
    return float(weights @ find_training_loss(loss).value(np.asarray(labels, dtype=float) * scores))


def rounded_coefficients(
    values: list[float], *, tau: Fraction | None, squared_norm: int, counted: int
) -> tuple[Fraction, ...]:
    """Decimals of 12 digits, rounded toward zero; the first `counted` have a norm of at most tau, exactly."""
    context = Context(prec=DIGITS, rounding=ROUND_DOWN)
    if not all(isfinite(value) for value in values):
        raise NotApplicable("training did not end in finite coefficients")
    taken_off = Decimal(0)
    while True:
        shrink = max(1 - taken_off, Decimal(0))
        decimals = [Decimal(value) * (shrink if i < counted else 1) for i, value in enumerate(values)]
        found = tuple(Fraction(context.plus(decimal)) for decimal in decimals)
        if tau is None or squared_norm * sum((c * c for c in found[:counted]), Fraction(0)) <= tau * tau:
            return found
        # Floats may end outside the ball in their last digits, which rounding does not always correct.
        taken_off = 2 * taken_off if taken_off else Decimal(10) ** -DIGITS


@dataclass(frozen=True)
class Problem:
    """The objective on the scale of x: signed features, weights, loss, norm bound and ridge."""

    most_steps: ClassVar[int] = 300

    signed: Floats
    weights: Floats
    loss: TrainingLoss
    tau: float | None
    ridge: float
    penalise_intercept: bool

    @property
    def has_best(self) -> bool:
        return self.penalise_intercept and (self.tau is not None or self.ridge > 0)

    @property
    def penalised(self) -> Floats:
        """1 where a coefficient counts in the norm, 0 at a free intercept."""
        found = np.ones(self.signed.shape[1])
        if not self.penalise_intercept:
            found[-1] = 0.0
        return found

    def risk(self, w: Floats) -> float:
        return float(self.weights @ self.loss.value(self.signed @ w))

    def objective(self, loss: SmoothLoss, w: Floats) -> float:
        return float(self.weights @ loss.value(self.signed @ w) + self.ridge / 2 * (self.penalised * w * w).sum())

    def gradient(self, loss: SmoothLoss, w: Floats) -> Floats:
        found: Floats = (self.weights * loss.slope(self.signed @ w)) @ self.signed + self.ridge * self.penalised * w
        return found

    def hessian(self, loss: SmoothLoss, w: Floats) -> Floats:
        curved = self.weights * loss.curvature(self.signed @ w)
        active = curved > 0
        part = self.signed[active]
        found: Floats = (part * curved[active, None]).T @ part + np.diag(self.ridge * self.penalised)
        return found

    def stationarity(self, loss: SmoothLoss, w: Floats) -> tuple[float, float]:
        """The best multiplier of the norm constraint, and the remaining gradient."""
        gradient, counted = self.gradient(loss, w), self.penalised * w
        size = float(counted @ counted)
        multiplier = 0.0
        if self.tau is not None and size >= (self.tau * (1 - _ON_THE_SPHERE)) ** 2:
            multiplier = max(0.0, -float(gradient @ counted) / size)
        return multiplier, float(np.linalg.norm(gradient + multiplier * counted))

    def gap(self, w: Floats) -> float | None:
        """The least of G.w + tau |G| and |G|^2 / (2 ridge), for gradients G of the loss and of the smooth one below."""
        if not self.penalise_intercept or (self.tau is None and self.ridge == 0):
            return None
        found = []
        margins = self.signed @ w
        for slopes, above in ((self.loss.slope(margins), 0.0), (self.loss.stages[-1].slope(margins), self.loss.above)):
            gradient = (self.weights * slopes) @ self.signed + self.ridge * w
            size = float(np.linalg.norm(gradient))
            if self.tau is not None:
                found.append(max(0.0, float(gradient @ w) + self.tau * size) + above)
            if self.ridge > 0:
                found.append(size**2 / (2 * self.ridge) + above)
        return min(found)

    def is_enough(self, loss: SmoothLoss, w: Floats) -> bool:
        return self.stationarity(loss, w)[1] <= _ENOUGH

    def goal(self, hessian: Floats, right: Floats) -> Floats:
        """Where the second-order model of the objective is least."""
        return smallest_in_ball(hessian, right, self.tau, free_last=not self.penalise_intercept)

    def minimise(self, loss: SmoothLoss, start: Floats) -> tuple[Floats, int]:
        w, value = start, self.objective(loss, start)
        for step in range(self.most_steps):
            if step and self.is_enough(loss, w):
                return w, step
            gradient, hessian = self.gradient(loss, w), self.hessian(loss, w)
            direction = self.goal(hessian, hessian @ w - gradient) - w
            slope, length = float(gradient @ direction), 1.0
            while True:
                tried = w + length * direction
                new_value = self.objective(loss, tried)
                if new_value <= value + 1e-4 * length * slope + 1e-15 * abs(value):
                    break
                length /= 2
                if length < 1e-10:  # rounding hides any further progress
                    return w, step
            if np.array_equal(tried, w):
                return w, step
            w, value = tried, new_value
        if self.has_best:  # the gap says how near this one is
            return w, self.most_steps
        raise NotApplicable(
            f"training did not converge in {self.most_steps} steps: without tau or ridge there may be no best model"
        )


def _checked(features: Floats, labels: NDArray[np.generic], weights: Floats | None, squared_norm: int) -> Floats:
    """The weights as shares that add up to 1; refuses data that cannot be trained on."""
    require_range("squared_norm", squared_norm, squared_norm, least=1)
    if features.ndim != 2 or not len(features) or len(labels) != len(features):
        raise ParameterError("features", f"shape {features.shape}", "one row for each label, and at least one")
    largest = float(np.einsum("ij,ij->i", features, features, dtype=float).max())
    if not largest <= squared_norm * (1 + 1e-9):
        raise ParameterError(
            "features", f"a row of squared norm {largest:.6g}", f"at most {squared_norm}", "divide integers by 2^bits"
        )
    if not np.isin(labels, (-1, 1)).all():
        raise ParameterError("labels", "another number", "1 or -1")
    if weights is None:
        return np.full(len(features), 1 / len(features))
    if weights.shape != (len(features),) or not np.isfinite(weights).all() or weights.min() < 0 or weights.sum() <= 0:
        raise ParameterError("weights", "these", "one for each row, finite, at least 0, and not all 0")
    shares: Floats = weights / weights.sum()
    return shares
