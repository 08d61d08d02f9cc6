"""What training minimises, read once for every kind of release: the loss, norm bound or ridge, and the intercept."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError, UsageError
from bounds.exact import show_rational
from mechanisms.models.model import FREE, INSIDE, Model
from mechanisms.models.parameters import DEFAULT_TAU, TRAINING_PARAMETERS
from mechanisms.models.train.newton import Trained, mean_loss, train
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Objective:
    """Mean loss within norm tau, or with a ridge; make it with `of`."""

    loss: str
    tau: Fraction | None
    ridge: Fraction | None
    intercept: str

    @classmethod
    def of(cls, numbers: dict[str, Fraction], *, loss: str | None, intercept: str | None) -> Objective:
        """The objective from numbers already read; None is the default, and without a ridge tau has a default."""
        if "tau" in numbers and "ridge" in numbers:
            raise UsageError("tau and ridge are both given: give only one of them")
        chosen_loss = TRAINING_PARAMETERS["loss"].choice(loss)
        chosen = str(TRAINING_PARAMETERS["intercept"].default if intercept is None else intercept)
        if chosen not in (INSIDE, FREE):
            raise ParameterError("intercept", chosen, f"{INSIDE} or {FREE}")
        tau = numbers.get("tau", None if "ridge" in numbers else DEFAULT_TAU)
        return cls(chosen_loss, tau, numbers.get("ridge"), chosen)

    def fit(self, feature_map: FeatureMap, features: Floats, labels: Floats, weights: Floats) -> Trained:
        """The model with the least objective on weighted records, features on the scale of f."""
        return train(
            features,
            labels,
            weights,
            squared_norm=feature_map.squared_norm,
            loss=self.loss,
            tau=self.tau,
            ridge=self.ridge,
            penalise_intercept=self.intercept == INSIDE,
        )

    def model(self, feature_map: FeatureMap, trained: Trained, *, made: str, release: str | None) -> Model:
        """The trained coefficients as a model that says how it was made, and from which release, if any."""
        return Model(
            feature_map=feature_map,
            coefficients=trained.coefficients,
            loss=self.loss,
            tau=self.tau,
            ridge=self.ridge,
            intercept=self.intercept,
            made=made,
            release=release,
        )

    def zero_risk(self, features: Floats, labels: Floats, weights: Floats) -> float:
        """Mean loss of the zero model on the same records."""
        zero = (Fraction(0),) * features.shape[1]
        return mean_loss(zero, features, labels, weights, loss=self.loss)


def constraint_text(model: Model) -> str:
    """The constraints of the model, in words."""
    parts = []
    if model.tau is not None:
        parts.append(f"norm at most {show_rational(model.tau)}")
    if model.ridge is not None:
        parts.append(f"ridge {show_rational(model.ridge)}")
    seen = "the intercept counts" if model.intercept == INSIDE else "the intercept is free"
    return f"{', '.join(parts) or 'no bound'}; {seen}"
