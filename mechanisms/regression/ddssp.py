"""DD-SSP of ddssp2024: models from sums given by private tables, with the loss itself or a polynomial in its place.

Least squares needs sums of products of two features and no surrogate. The logistic loss has one: at degree 2 its best
model is that of least squares over 4 |b_2|, at higher degrees it is found by Newton's method within a ball in which the
polynomial is concave. Counts have the loss e^s - y s with a quadratic for e^s. Everything is post-processing;
`plan_ddssp` refuses what it can in advance, from public facts alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable, ParameterError
from bounds.exact import require_range, show_rational
from mechanisms.models.train.ball_minimum import smallest_in_ball
from mechanisms.regression.even_moments import EvenMoments, require_moments
from mechanisms.regression.least_squares import least_squares, public_ridge
from mechanisms.regression.parameters import LOGISTIC, LOSSES, MINIMAX, POISSON, SQUARED
from mechanisms.regression.surrogate import Surrogate, find_surrogate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.regression.sums import Sums
    from release.statistics.features import FeatureMap

    Floats = NDArray[np.float64]

_MOST_STEPS, _ENOUGH = 200, 1e-11


@dataclass(frozen=True, kw_only=True)
class DdsspPlan:
    """The problem to solve, decided before anything is spent."""

    features: FeatureMap
    loss: str
    surrogate: Surrogate | None
    """None for the squared loss, which needs none."""
    tau: Fraction | None

    @property
    def degree(self) -> int:
        """The order of the moments needed, which is the number of columns of the tables."""
        return 2 if self.surrogate is None else self.surrogate.degree


def plan_ddssp(
    features: FeatureMap,
    *,
    loss: str = LOGISTIC,
    degree: int = 2,
    surrogate: str = MINIMAX,
    reach: Fraction | None = None,
    tau: Fraction | None = None,
    of_tables: bool = True,
) -> DdsspPlan:
    """The plan, or an error with the reason; `of_tables` says that moments of degree 4 and more come from a model."""
    if loss not in LOSSES:
        raise ParameterError("loss", loss, f"one of {', '.join(LOSSES)}")
    if tau is not None:
        require_range("tau", tau, tau, above=0, most=10**6, reason="a norm")
    if loss == SQUARED:
        if degree != 2:
            raise ParameterError("degree", degree, "2", "the squared loss has degree 2")
        if reach is not None:
            raise ParameterError("reach", show_rational(reach), "left out", "the squared loss needs no surrogate")
        return DdsspPlan(features=features, loss=loss, surrogate=None, tau=tau)
    if loss == LOGISTIC:
        features.require_two_values("the logistic loss")
    found = find_surrogate(loss, degree=degree, kind=surrogate, reach=reach, tau=tau)
    if loss == POISSON:
        tau = found.reach if tau is None else tau
        _label_line(features)
    if degree > 2:
        if tau is None:
            raise NotApplicable(f"tau = none: models of degree {degree} are looked for within a norm")
        require_moments(features, degree, of_tables=of_tables)
    return DdsspPlan(features=features, loss=loss, surrogate=found, tau=tau)


def ddssp(plan: DdsspPlan, sums: Sums, moments: EvenMoments | None = None, *, ridge: float | None = None) -> Floats:
    """The coefficients on f. The ridge is public: by default as large as the noise of the sums, or nearly 0.

    Moments of degree 4 with separate noise need not be those of any records; the search ends when no step gains.
    """
    held = public_ridge(sums) if ridge is None else ridge
    tau = None if plan.tau is None else float(plan.tau)
    start = least_squares(sums_to_solve(plan, sums), ridge=held, tau=tau)
    if plan.degree == 2:
        return start
    if moments is None:
        raise NotApplicable(f"degree = {plan.degree}: sums of products of as many features are needed")
    assert plan.surrogate is not None
    assert plan.tau is not None
    return _newton(_Objective.of(sums, moments, plan.surrogate, held), start, plan.tau)


def sums_to_solve(plan: DdsspPlan, sums: Sums) -> Sums:
    """The sums whose least squares solution is the best model of the quadratic surrogate."""
    if plan.surrogate is None:
        return sums
    b = plan.surrogate.b
    if plan.loss == POISSON:
        middle, half = _label_line(plan.features)
        ones = sums.gram[:, -1]
        return replace(sums, cross=(middle * ones + half * sums.cross - b[1] * ones) / (2 * b[2]))
    return replace(sums, cross=sums.cross * plan.surrogate.factor)


def _label_line(features: FeatureMap) -> tuple[float, float]:
    """m and h such that the label's own number is m + h y; the label must be a number and never below 0."""
    column = features.schema.columns[features.schema.names.index(features.label)]
    if features.positive is None:
        low, high = features.label_range
    elif column.numbers is None:
        raise NotApplicable(f"label = {features.label}: the Poisson loss needs numbers")
    else:
        high = column.numbers[column.texts.index(features.positive)]
        low = next(number for number in column.numbers if number != high)
    if min(low, high) < 0:
        raise NotApplicable(f"label = {features.label}: the Poisson loss needs numbers of at least 0")
    return float(low + high) / 2, float(high - low) / 2


@dataclass(frozen=True, eq=False)
class _Objective:
    """Minus the mean of the polynomial over the records, which is minimised. The ridge is in the sums of f f'."""

    gram: Floats
    sums: Sums
    moments: EvenMoments
    surrogate: Surrogate

    @classmethod
    def of(cls, sums: Sums, moments: EvenMoments, surrogate: Surrogate, ridge: float) -> _Objective:
        values, vectors = np.linalg.eigh(sums.gram)
        return cls((vectors * (np.maximum(values, 0) + ridge)) @ vectors.T, sums, moments, surrogate)

    def value(self, v: Floats) -> float:
        b = self.surrogate.b
        found = b[1] * (self.sums.cross @ v) + b[2] * (v @ self.gram @ v)
        return float(-(found + sum(b[m] * self.moments.power(m, v) for m in self._orders)) / self.sums.count)

    def slope(self, v: Floats) -> Floats:
        b = self.surrogate.b
        found = b[1] * self.sums.cross + 2 * b[2] * (self.gram @ v)
        return -(found + sum(b[m] * m * self.moments.power(m, v, 1) for m in self._orders)) / self.sums.count

    def curvature(self, v: Floats) -> Floats:
        b = self.surrogate.b
        higher = sum(b[m] * m * (m - 1) * self.moments.power(m, v, 2) for m in self._orders)
        return -(2 * b[2] * self.gram + higher) / self.sums.count

    @property
    def _orders(self) -> range:
        return range(4, self.surrogate.degree + 1, 2)


def _newton(objective: _Objective, start: Floats, tau: Fraction) -> Floats:
    """Every step goes to the minimum of the second-order model in the ball, or part of the way."""
    radius = float(tau) / sqrt(objective.sums.feature_map.squared_norm)
    v, value = start, objective.value(start)
    for _ in range(_MOST_STEPS):
        slope, curvature = objective.slope(v), objective.curvature(v)
        values, vectors = np.linalg.eigh(curvature)
        curvature = (vectors * np.maximum(values, 0)) @ vectors.T  # noise can make it negative
        direction = smallest_in_ball(curvature, curvature @ v - slope, radius) - v
        gain = float(slope @ direction)
        if gain > -_ENOUGH * (1 + abs(value)):
            break
        length = 1.0
        while (new := objective.value(v + length * direction)) > value + 1e-4 * length * gain and length > 1e-9:
            length /= 2
        if new > value:  # rounding hides any further progress
            break
        v, value = v + length * direction, new
    return v
