"""How good the class of a certificate is: loss and accuracy of the best model of each norm, on synthetic records.

A small norm makes a small certificate for a poor model, and only this table shows that. Records are made from the
release alone, so nothing is spent; they also fit its noise, so the numbers are flattering, more so for larger norms.
All are estimates in floating point.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.certify.verdict import constant_risk
from bounds.errors import NotApplicable
from bounds.shown import Shown
from mechanisms.models.cross_event import LabelledMoments
from mechanisms.models.losses import LOSSES
from mechanisms.models.model import INSIDE, Model
from mechanisms.models.train.newton import Trained, mean_loss, train
from mechanisms.models.train.synthetic import tilted_points
from mechanisms.models.train.targets import release_targets
from mechanisms.tilt.rows import draw_rows
from release.moments.file import MomentRelease
from release.one_thread import one_thread
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Floats = NDArray[np.float64]

AUTO = "auto"
"""In place of a norm: mechanisms.models.plan.choose_tau chooses it."""
GRID = tuple(Fraction(tau) for tau in (1, 2, 5, 10, 20, 50))
POINTS = 8000


@dataclass(frozen=True, eq=False)
class SyntheticRecords:
    """Weighted records on the scale of f, the intercept last, made from a release."""

    feature_map: FeatureMap
    features: Floats
    labels: Floats
    weights: Floats

    @classmethod
    def of(cls, release: MomentRelease | LabelledMoments) -> SyntheticRecords:
        """Fewer records than for training, enough for three digits."""
        # Threads of the linear algebra wait for each other more than they help at these sizes.
        with one_thread():
            if isinstance(release, MomentRelease):
                found = tilted_points(release_targets(release), points=POINTS)
                return cls(release.feature_map, found.features, found.labels, found.weights)
            return cls.drawn(release.feature_map, draw_rows(release.release, POINTS).codes)

    @classmethod
    def drawn(cls, features: FeatureMap, codes: Codes) -> SyntheticRecords:
        """Records of equal weight."""
        values, labels = features.features(codes) / float(features.one), features.labels(codes).astype(float)
        return cls(features, values, labels, np.full(len(codes), 1 / len(codes)))

    def best(self, tau: Fraction, *, loss: str, intercept: str) -> Trained:
        """The model of least mean loss within the norm."""
        with one_thread():
            return train(
                self.features,
                self.labels,
                self.weights,
                squared_norm=self.feature_map.squared_norm,
                loss=loss,
                tau=tau,
                penalise_intercept=intercept == INSIDE,
            )

    def reached(self, coefficients: tuple[Fraction, ...], *, loss: str) -> Reached:
        """What a model reaches."""
        scores = self.features @ np.array([float(c) for c in coefficients])
        right = float(self.weights[(scores > 0) == (self.labels > 0)].sum() / self.weights.sum())
        risk = mean_loss(coefficients, self.features, self.labels, self.weights / self.weights.sum(), loss=loss)
        return Reached(risk, right)

    def reached_by_constant(self, *, loss: str) -> Reached:
        """What the best constant score reaches."""
        mean = float(self.weights @ self.labels / self.weights.sum())
        risk = constant_risk(loss, Fraction(mean))
        assert risk is not None
        return Reached(float(risk), (1 + abs(mean)) / 2)


@dataclass(frozen=True)
class Reached:
    """Loss and accuracy on synthetic records."""

    loss_est: float
    accuracy_est: float


@dataclass(frozen=True)
class OverTau(Shown):
    """What the best model of each norm reaches, with the model in question and the best constant score."""

    rows: tuple[tuple[Fraction, Reached], ...]
    model: Reached
    constant: Reached
    tau: Fraction | None
    """Norm bound of the class in question; None if only a ridge bounds it."""


def over_tau(
    records: SyntheticRecords, model: Model, *, loss: str, tau: Fraction | None, intercept: str | None = None
) -> OverTau:
    """The table for the norms of the grid and that of the class in question; None is the intercept of the model."""
    if loss not in LOSSES:
        raise NotApplicable(f"loss = {loss[:60]}: models are trained for {', '.join(LOSSES)}")
    norms = sorted({*GRID, *(() if tau is None else (tau,))})
    models = [(norm, records.best(norm, loss=loss, intercept=intercept or model.intercept)) for norm in norms]
    return OverTau(
        tuple((norm, records.reached(found.coefficients, loss=loss)) for norm, found in models),
        records.reached(model.coefficients, loss=loss),
        records.reached_by_constant(loss=loss),
        tau,
    )


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A norm that training may take."""

    tau: Fraction
    loss_est: float
    """Loss of the best model of that norm, on synthetic records."""
    certificate_est: float
    """The bound that a certificate of that model is expected to have."""

    @property
    def sum_est(self) -> float:
        return self.loss_est + self.certificate_est


@dataclass(frozen=True)
class TauChoice:
    """The chosen norm, and the alternatives."""

    tau: Fraction
    candidates: tuple[Candidate, ...]
