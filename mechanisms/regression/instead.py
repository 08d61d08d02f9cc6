"""Whether `train` does better from the same release: it minimises the loss itself, while a surrogate is biased.

Both models are judged on records with the moments of the release, so nothing more is spent; the result is an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import mean_loss
from mechanisms.regression.parameters import LOGISTIC
from mechanisms.regression.regression import Regression
from release.moments.file import MomentRelease

MOST_FEATURES = 40
"""With more features, weighting records by their products would take longer than a user wants to wait."""
POINTS = 5_000
WORTH_SAYING = 1e-3
"""Smaller differences of mean loss are negligible compared with the noise of the estimate."""


@dataclass(frozen=True)
class Instead:
    """Mean losses of the model and of one of the same norm by `train`, on the same synthetic records."""

    own_risk_est: float
    trained_risk_est: float

    @property
    def is_better(self) -> bool:
        return self.trained_risk_est < self.own_risk_est - WORTH_SAYING


def trained_instead(found: Regression) -> Instead | None:
    """Both losses; None if there is no such release, or no such model."""
    release, model = found.release, found.model
    if model.loss != LOGISTIC or not isinstance(release, MomentRelease) or model.feature_map.size > MOST_FEATURES:
        return None
    try:
        trained = train_from_release(release, tau=model.norm_hi if model.tau is None else model.tau, points=POINTS)
        records = trained.records
        own = mean_loss(model.coefficients, records.features, records.labels, records.weights, loss=LOGISTIC)
        return Instead(own, trained.trained.risk_est)
    except (Exception, KeyboardInterrupt):  # a hint is not worth a model that is paid for
        return None
