"""Linear models from a release: training, certificates, plans of certificates, and one planned query.

A release, a model or a query is an object or its file. The caller decides what is written, and where.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import UsageError
from bounds.exact import Exact
from bounds.shown import Rows
from synthbounds.api.confirming import query_for
from synthbounds.api.estimators import AnyModel, given_model
from synthbounds.api.tables import Say

if TYPE_CHECKING:
    from mechanisms.models.certify.from_distance import DistanceCertificate
    from mechanisms.models.certify.from_marginals import MarginalCertificate
    from mechanisms.models.certify.from_moments import ModelCertificate
    from mechanisms.models.confirm.correct import ReleaseCorrection
    from mechanisms.models.model import Model
    from mechanisms.models.plan.improve import Improvement
    from mechanisms.models.train.from_release import ReleaseTraining
    from release.data.schema import Schema
    from release.distance.file import DistanceRelease
    from release.gradient.file import GradientQuery
    from release.marginals.file import Marginals
    from release.moments.file import MomentRelease
    from release.statistics.features import FeatureMap

__all__ = [
    "certify",
    "certify_distance",
    "certify_marginals",
    "correct",
    "improvements",
    "model_certificate",
    "train",
]

AnyRelease: TypeAlias = "str | Path | MomentRelease"
AnyQuery: TypeAlias = "str | Path | GradientQuery"


def train(
    release: AnyRelease,
    *,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    k: Exact | None = None,
    points: Exact | None = None,
    seed: Exact | None = None,
    with_synthetic: bool = False,
    progress: Say | None = None,
) -> ReleaseTraining:
    """A linear model trained on a synthetic table made from released moments alone, within norm tau or with a ridge.

    `with_synthetic` also makes k synthetic rows; tau = "auto" chooses the norm from the release. `progress` is told
    first how long a training of many features takes.
    """
    from mechanisms.models.plan.choose_tau import chosen_tau
    from mechanisms.models.train.from_release import train_from_release

    found = _release(release)
    if progress is not None:
        say_time(found, points, progress)
    choice = chosen_tau(found, tau, loss=loss, intercept=intercept)
    trained = train_from_release(
        found,
        tau=tau if choice is None else choice.tau,
        ridge=ridge,
        loss=loss,
        intercept=intercept,
        points=points,
        seed=seed,
        k=k,
        with_rows=with_synthetic,
    )
    return replace(trained, choice=choice)


def say_time(release: MomentRelease, points: Exact | None, say: Say) -> None:
    """An estimate of the time that training takes, if it is long."""
    from mechanisms.models.parameters import TRAINING_PARAMETERS
    from mechanisms.models.train.synthetic import time_estimate

    said = time_estimate(release.feature_map.size, int(TRAINING_PARAMETERS["points"].number(points)))
    if said is not None:
        say(said)


def correct(
    release: AnyRelease,
    query: AnyQuery,
    *,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    points: Exact | None = None,
    seed: Exact | None = None,
) -> ReleaseCorrection:
    """The next model after the answer to a query, for a second round."""
    from mechanisms.models.confirm.correct import correct_from_query

    found = _release(release)
    return correct_from_query(
        found,
        _query(query, found),
        tau=tau,
        ridge=ridge,
        loss=loss,
        intercept=intercept,
        points=points,
        seed=seed,
    )


def certify(
    release: AnyRelease,
    model: AnyModel,
    *,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    beta: Exact | None = None,
    held_out: bool | None = None,
    query: AnyQuery | None = None,
    thorough: bool = False,
    with_certificate: bool = False,
    progress: Say | None = None,
) -> ModelCertificate:
    """How much better any model of the class can be on the real table, from a release of moments.

    `held_out` says that the model does not depend on the noise of the fourth moments; None takes what the model says.
    `with_certificate` refuses, before the search, what `model_certificate` could not write.
    """
    from mechanisms.models.certify.from_moments import certify_model, class_for
    from mechanisms.models.parameters import read_certify_numbers
    from release.parameters import DEFAULT_BETA

    numbers = read_certify_numbers({"tau": tau, "ridge": ridge, "beta": beta})
    found = _release(release)
    fitted = _model(model, found.feature_map)
    answer = None if query is None else _query(query, found)
    if answer is not None and with_certificate:
        raise UsageError("certificate: a file contains only the proof from the release; leave --query out")
    compared_with = class_for(
        fitted, tau=numbers.get("tau"), ridge=numbers.get("ridge"), loss=loss, intercept=intercept
    )
    if with_certificate:
        from synthbounds.certificates import require_checkable_loss

        require_checkable_loss(compared_with.loss)
    return certify_model(
        found,
        fitted,
        compared_with,
        beta=numbers.get("beta", DEFAULT_BETA),
        held_out=held_out,
        query=answer,
        thorough=thorough,
        progress=progress,
    )


def improvements(found: ModelCertificate) -> Rows[Improvement]:
    """What would make a certificate smaller: every change expected to do so, with an estimate."""
    from mechanisms.models.plan.improve import Improvement
    from mechanisms.models.plan.improve import improvements as answer

    return Rows(answer(found), of=Improvement)


def model_certificate(found: ModelCertificate) -> str:
    """The certificate of a model as JSON text; never one that the independent checker rejects."""
    from synthbounds.certificates import checked_model

    return checked_model(found)


def certify_marginals(
    release: str | Path | Marginals,
    model: AnyModel,
    *,
    label: str | None = None,
    positive: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    beta: Exact | None = None,
    progress: Say | None = None,
) -> MarginalCertificate:
    """As `certify`, from a release of marginals; the caller chooses the features, or the model contains them."""
    from mechanisms.models.certify.from_marginals import certify_from_marginals
    from mechanisms.models.certify.from_moments import class_for
    from mechanisms.models.parameters import read_certify_numbers
    from release.marginals.read import read_marginals
    from release.parameters import DEFAULT_BETA

    numbers = read_certify_numbers({"tau": tau, "ridge": ridge, "beta": beta})
    found = read_marginals(release) if isinstance(release, str | Path) else release
    features = chosen_features(
        found.schema, label, positive=positive, one_hot=one_hot, linear=linear, by_value=by_value, reduced=reduced
    )
    fitted = model_on(model, found.schema, features)
    compared_with = class_for(
        fitted, tau=numbers.get("tau"), ridge=numbers.get("ridge"), loss=loss, intercept=intercept
    )
    return certify_from_marginals(
        found, fitted, compared_with, beta=numbers.get("beta", DEFAULT_BETA), progress=progress
    )


def certify_distance(
    release: str | Path | DistanceRelease,
    model: AnyModel,
    *,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    beta: Exact | None = None,
    thorough: bool = False,
    progress: Say | None = None,
) -> DistanceCertificate:
    """As `certify`, from the distance of a finished table, for any model on its features, even one trained on it."""
    from mechanisms.models.certify.from_distance import certify_from_distance
    from mechanisms.models.certify.from_moments import class_for
    from mechanisms.models.parameters import read_certify_numbers
    from release.distance.read import read_distance
    from release.parameters import DEFAULT_BETA

    numbers = read_certify_numbers({"tau": tau, "ridge": ridge, "beta": beta})
    found = read_distance(release) if isinstance(release, str | Path) else release
    fitted = _model(model, found.feature_map)
    compared_with = class_for(
        fitted, tau=numbers.get("tau"), ridge=numbers.get("ridge"), loss=loss, intercept=intercept
    )
    return certify_from_distance(
        found, fitted, compared_with, beta=numbers.get("beta", DEFAULT_BETA), thorough=thorough, progress=progress
    )


def _release(release: AnyRelease) -> MomentRelease:
    from release.moments.read import read_release

    return read_release(release) if isinstance(release, str | Path) else release


def _model(model: AnyModel, features: FeatureMap) -> Model:
    from mechanisms.models.model import read_model

    return given_model(model, features, lambda path: read_model(path, features))


def chosen_features(
    schema: Schema,
    label: str | None,
    *,
    positive: str | None,
    one_hot: Iterable[str],
    linear: Iterable[str],
    by_value: Iterable[str],
    reduced: Iterable[str],
) -> FeatureMap | None:
    """The features that are named, for a release that has none; None if nothing is named."""
    from release.statistics.features import choose_features

    if label is not None:
        return choose_features(
            schema, label=label, positive=positive, one_hot=one_hot, linear=linear, by_value=by_value, reduced=reduced
        )
    if any((positive, *one_hot, *linear, *by_value, *reduced)):
        raise UsageError("label is missing: tables have no label; name the column that the model predicts (--label)")
    return None


def model_on(model: AnyModel, schema: Schema, features: FeatureMap | None) -> Model:
    from mechanisms.models.model import read_model_for

    return given_model(model, features, lambda path: read_model_for(path, schema, features))


def _query(query: AnyQuery, release: MomentRelease) -> GradientQuery:
    from release.gradient.file import GradientQuery

    found = query_for(query, release)
    if not isinstance(found, GradientQuery):
        raise UsageError("query: must be the answer to a question about a gradient (`confirm --ask gradient`)")
    return found
