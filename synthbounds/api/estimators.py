"""Fitted scikit-learn classifiers as models: converted by name, or given wherever a function takes a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from bounds.errors import UsageError
from synthbounds.api.tables import open_schema

if TYPE_CHECKING:
    from mechanisms.models.model import Model
    from release.data.schema import Schema
    from release.statistics.features import FeatureMap

__all__ = ["model_from_sklearn"]


class Trained(Protocol):
    """The answer of a training."""

    @property
    def model(self) -> Model: ...


class Estimator(Protocol):
    """As much of an estimator of scikit-learn as tells that it is one."""

    def fit(self, X: Any, y: Any) -> Any: ...

    def get_params(self) -> Any: ...


AnyModel: TypeAlias = "str | Path | Model | Trained | Estimator"


def model_from_sklearn(
    estimator: Any,
    schema: str | Path | Schema,
    *,
    label: str,
    positive: str | None = None,
    loss: str = "logistic",
    columns: Iterable[str] | None = None,
) -> Model:
    """The model of a fitted binary linear classifier, or of a pipeline that ends in one, on the columns of a schema.

    It finds the fewest features in which the score is linear. `columns` names the columns that it was fitted on if it
    was fitted without a data frame.
    """
    from mechanisms.models.sklearn_features import features_of_pipeline
    from mechanisms.models.sklearn_models import model_from_sklearn as converted

    names = None if columns is None else list(columns)
    known = open_schema(schema, mode="simulate")
    features = features_of_pipeline(estimator, known, label=label, positive=positive, columns=names)
    return converted(estimator, features, loss=loss, columns=names)


def is_estimator(found: object) -> bool:
    """Whether it is an estimator of scikit-learn, as far as its methods tell; that is never imported."""
    return hasattr(found, "fit") and hasattr(found, "get_params")


def given_model(
    model: AnyModel, features: FeatureMap | None, read: Callable[[str | Path], Model], *, own: bool = False
) -> Model:
    """The model that was given: as its file, itself, the training that made it, or a fitted classifier.

    If a model may have its `own` features, a classifier fitted on raw columns gets the fewest that it needs.
    """
    from mechanisms.models.model import Model
    from mechanisms.models.sklearn_models import is_of_raw_columns
    from mechanisms.models.sklearn_models import model_from_sklearn as converted

    if isinstance(model, str | Path):
        return read(model)
    found = model if isinstance(model, Model) else getattr(model, "model", None)
    if isinstance(found, Model):
        return found
    if not is_estimator(model):
        raise UsageError(f"model: is of type {type(model).__name__}; must be a file or a model")
    if features is None:
        raise UsageError("label is missing: name the column that the model predicts")
    if own and is_of_raw_columns(model, features):
        return model_from_sklearn(model, features.schema, label=features.label, positive=features.positive)
    return converted(model, features)
