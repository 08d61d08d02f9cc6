"""Linear models from private moments: release, train, certify, confirm; the same as the commands, from Python.

>>> from synthbounds import data, models
>>> schema = data.parse_schema('''{"synthbounds_schema": 1, "source": "public", "columns": [
...     {"name": "age", "range": ["0", "100"], "bins": 10}, {"name": "ill", "levels": ["no", "yes"]}]}''')
>>> features = models.build_feature_map(schema, label="ill")
>>> features.names, features.squared_norm
(('age', 'intercept'), 2)
"""

from __future__ import annotations

from typing import Any

from bounds.certify.classes import ModelClass
from bounds.certify.routes import Route
from mechanisms.models.certify.from_moments import ModelCertificate, certify_model, class_for
from mechanisms.models.confirm.ask import Confirmed, PlannedConfirmation, plan_confirmation
from mechanisms.models.confirm.prove import Confirmation, confirm
from mechanisms.models.model import Model, model_text, read_model
from mechanisms.models.parameters import read_certify_numbers
from mechanisms.models.plan.certificate_plan import Planner
from mechanisms.models.plan.certificate_plan import Question as PlanQuestion
from mechanisms.models.plan.reference import reference as reference_population
from mechanisms.models.sklearn_models import model_from_sklearn
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import train_on_table
from release.gradient.file import GradientQuery
from release.gradient.make import ask_gradient
from release.gradient.read import read_query
from release.moments.file import MomentRelease, release_text
from release.moments.make import make_release
from release.moments.read import read_release
from release.parameters import DEFAULT_BETA
from release.statistics.features import FeatureMap, build_feature_map

__all__ = [
    "Confirmation",
    "Confirmed",
    "FeatureMap",
    "GradientQuery",
    "Model",
    "ModelCertificate",
    "ModelClass",
    "MomentRelease",
    "PlanQuestion",
    "PlannedConfirmation",
    "Planner",
    "Route",
    "ask_gradient",
    "build_feature_map",
    "certify",
    "class_for",
    "confirm",
    "make_release",
    "model_from_sklearn",
    "model_text",
    "plan_confirmation",
    "read_model",
    "read_query",
    "read_release",
    "reference_population",
    "release_text",
    "train_from_release",
    "train_on_table",
]


def certify(
    release: MomentRelease,
    model: Model,
    *,
    tau: object = None,
    ridge: object = None,
    loss: str | None = None,
    intercept: str | None = None,
    beta: object = None,
    held_out: bool | None = None,
    query: GradientQuery | None = None,
    thorough: bool = False,
) -> ModelCertificate:
    """How much better any model of the class can be on the real table; numbers are exact or decimal text."""
    given: dict[str, Any] = {"tau": tau, "ridge": ridge, "beta": beta}
    numbers = read_certify_numbers(given)
    compared_with = class_for(model, tau=numbers.get("tau"), ridge=numbers.get("ridge"), loss=loss, intercept=intercept)
    return certify_model(
        release,
        model,
        compared_with,
        beta=numbers.get("beta", DEFAULT_BETA),
        held_out=held_out,
        query=query,
        thorough=thorough,
    )
