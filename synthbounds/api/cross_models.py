"""Linear models from a release of cross moments, for the label that it names or for any other column of two values.

A release or a model is an object or its file. Nothing is spent.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bounds.exact import Exact
from synthbounds.api.estimators import AnyModel, given_model
from synthbounds.api.tables import Say

if TYPE_CHECKING:
    from mechanisms.models.certify.from_cross_moments import CrossCertificate
    from mechanisms.models.cross_event import LabelledMoments
    from mechanisms.models.train.from_cross_moments import CrossTraining
    from release.cross_moments.file import CrossMoments

__all__ = ["certify_cross_moments", "train_cross_moments"]

AnyCrossMoments: TypeAlias = "str | Path | CrossMoments"


def train_cross_moments(
    release: AnyCrossMoments,
    *,
    label: str | None = None,
    positive: str | None = None,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    points: Exact | None = None,
) -> CrossTraining:
    """A linear model trained on rows of the distribution that a release of cross moments determines, for any label.

    tau = "auto" chooses the norm from the release.
    """
    from mechanisms.models.plan.choose_tau import chosen_tau
    from mechanisms.models.train.from_cross_moments import train_from_cross_moments

    moments = _labelled(release, label, positive)
    choice = chosen_tau(moments, tau, loss=loss, intercept=intercept)
    trained = train_from_cross_moments(
        moments,
        tau=tau if choice is None else choice.tau,
        ridge=ridge,
        loss=loss,
        intercept=intercept,
        points=points,
    )
    return replace(trained, choice=choice)


def certify_cross_moments(
    release: AnyCrossMoments,
    model: AnyModel,
    *,
    label: str | None = None,
    positive: str | None = None,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    beta: Exact | None = None,
    progress: Say | None = None,
) -> CrossCertificate:
    """How much better any model of the class can be on the real table, from a release of cross moments."""
    from mechanisms.models.certify.from_cross_moments import certify_from_cross_moments
    from mechanisms.models.certify.from_moments import class_for
    from mechanisms.models.model import read_model
    from mechanisms.models.parameters import read_certify_numbers
    from release.parameters import DEFAULT_BETA

    numbers = read_certify_numbers({"tau": tau, "ridge": ridge, "beta": beta})
    moments = _labelled(release, label, positive)
    fitted = given_model(model, moments.feature_map, lambda path: read_model(path, moments.feature_map))
    compared_with = class_for(
        fitted, tau=numbers.get("tau"), ridge=numbers.get("ridge"), loss=loss, intercept=intercept
    )
    beta_read = numbers.get("beta", DEFAULT_BETA)
    return certify_from_cross_moments(moments, fitted, compared_with, beta=beta_read, progress=progress)


def _labelled(release: AnyCrossMoments, label: str | None, positive: str | None) -> LabelledMoments:
    from mechanisms.models.cross_event import LabelledMoments
    from release.cross_moments.read import read_cross_moments

    found = read_cross_moments(release) if isinstance(release, str | Path) else release
    return LabelledMoments.of(found, label=label, positive=positive)
