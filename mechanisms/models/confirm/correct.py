"""A better model from a release and the answer to a first query: the start of the second round.

The release gives synthetic points, the answer the gradient of the real risk at its model. Both have been published, so
nothing more is spent. Nothing is promised about the new model: a second query, or the release, certifies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.shown import Shown
from mechanisms.models.confirm.prove import noisy_gradient
from mechanisms.models.confirm.second_round import CorrectedModel, corrected_model
from mechanisms.models.losses import find_training_loss
from mechanisms.models.model import INSIDE, Model
from mechanisms.models.parameters import DEFAULT_TAU, TRAINING_PARAMETERS, read_training_numbers
from mechanisms.models.train.newton import mean_loss
from mechanisms.models.train.synthetic import TiltedPoints, tilted_points
from mechanisms.models.train.targets import release_targets
from release.gradient.file import GradientQuery
from release.moments.file import MomentRelease


@dataclass(frozen=True, eq=False)
class ReleaseCorrection(Shown):
    """The new model and the one that was asked about; risks are on the same synthetic points, without a ridge."""

    release: MomentRelease
    query: GradientQuery
    model: Model
    corrected: CorrectedModel
    points: TiltedPoints
    risk_est: float
    old_risk_est: float


def correct_from_query(
    release: MomentRelease,
    query: GradientQuery,
    *,
    tau: object = None,
    ridge: object = None,
    loss: str | None = None,
    intercept: str | None = None,
    points: object = None,
    seed: object = None,
) -> ReleaseCorrection:
    """The model within norm tau (default 5) or with a ridge that the noisy gradient points to."""
    numbers = read_training_numbers({"tau": tau, "ridge": ridge, "points": points, "seed": seed})
    if "tau" in numbers and "ridge" in numbers:
        raise UsageError("tau and ridge are both given: give only one of them")
    if loss is not None and find_training_loss(loss).name != query.loss:
        raise ParameterError("loss", loss, query.loss, "the loss of the query")
    if intercept is not None and intercept != INSIDE:
        raise NotApplicable(f"intercept = {intercept[:60]}: a query counts the intercept in the norm")
    bound = numbers.get("tau", None if "ridge" in numbers else DEFAULT_TAU)
    drawn = int(numbers.get("points", TRAINING_PARAMETERS["points"].number()))
    seeded = int(numbers.get("seed", TRAINING_PARAMETERS["seed"].number()))
    tilted = tilted_points(release_targets(release), points=drawn, seed=seeded)
    corrected = corrected_model(
        tilted.features,
        tilted.labels,
        tilted.weights,
        squared_norm=release.feature_map.squared_norm,
        loss=query.loss,
        coefficients=query.coefficients,
        gradient=noisy_gradient(query, release),
        deviation=query.deviation / (query.unit * query.stated_size),
        tau=bound,
        ridge=numbers.get("ridge", Fraction(0)),
    )
    model = Model(
        feature_map=release.feature_map,
        coefficients=corrected.coefficients,
        loss=query.loss,
        tau=bound,
        ridge=numbers.get("ridge"),
        intercept=INSIDE,
        made=f"corrected by synthbounds after query {query.round} on {drawn} weighted synthetic records, "
        f"seed {tilted.seed}",
        # Nothing says whether the model that was asked about depends on the noise of fourth moments.
        release=release.digest if release.fourth is None else None,
    )
    new, old = (
        mean_loss(coefficients, tilted.features, tilted.labels, tilted.weights, loss=query.loss)
        for coefficients in (model.coefficients, query.coefficients)
    )
    return ReleaseCorrection(release, query, model, corrected, tilted, new, old)
