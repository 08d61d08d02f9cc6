"""Fitted scikit-learn classifiers as models of a feature map, without importing scikit-learn.

A classifier, or a pipeline that ends in one, was fitted on the features of a release or on the raw columns of the
table. In the first case steps before the classifier must be affine in every feature. The whole map is composed exactly,
in fractions made of the steps' floats, and rounded once at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.errors import UsageError
from mechanisms.models.model import FREE, INSIDE, Model, rounded_decimal
from mechanisms.models.sklearn_columns import scores_of_columns
from mechanisms.models.sklearn_features import coefficients_for, largest_difference
from mechanisms.models.sklearn_parts import linear_part, names_seen, sign_of, steps_of, through
from release.statistics.features import FeatureMap

DIGITS = 25
"""Far beyond the floats that the estimator itself computes with."""


@dataclass(frozen=True)
class _Output:
    """A column that a step hands on: scale times an input column, plus a shift."""

    source: int
    scale: Fraction
    shift: Fraction

    def scaled(self, scale: Fraction, shift: Fraction) -> _Output:
        return _Output(self.source, scale * self.scale, scale * self.shift + shift)


def model_from_sklearn(
    estimator: Any, feature_map: FeatureMap, *, loss: str = "logistic", columns: Sequence[str] | None = None
) -> Model:
    """The model of a fitted binary linear classifier, or of a pipeline that ends in one.

    It was fitted on the features of the map, in their order, with or without the column of the intercept; or on raw
    columns of the table, in any order, whose names it remembers or `columns` gives.
    """
    steps = steps_of(estimator)
    made = f"{type(steps[-1][1]).__name__} of scikit-learn"
    names = names_seen(steps) if columns is None else list(columns)
    if columns is None and not _is_raw(names, feature_map):
        exact, inside = exact_coefficients(estimator, feature_map)
        return _model(feature_map, exact, loss, INSIDE if inside else FREE, made)
    scores = scores_of_columns(
        estimator,
        feature_map.schema,
        label=feature_map.label,
        positive=feature_map.require_two_values("a classifier tells two values apart"),
        columns=names,
    )
    found = _model(feature_map, coefficients_for(scores, feature_map), loss, INSIDE, made)
    off = float(largest_difference(scores, found))
    return _model(feature_map, found.coefficients, loss, INSIDE, f"{made} on raw columns, scores within {off:.1e}")


def is_of_raw_columns(estimator: Any, feature_map: FeatureMap) -> bool:
    """Whether it remembers names of columns, and not of features."""
    return _is_raw(names_seen(steps_of(estimator)), feature_map)


def exact_coefficients(estimator: Any, feature_map: FeatureMap) -> tuple[tuple[Fraction, ...], bool]:
    """Coefficients on f before any rounding, and whether the intercept was a feature like the others."""
    steps = steps_of(estimator)
    classifier = steps[-1][1]
    width = _input_width(steps, feature_map)
    columns = [_Output(i, Fraction(1), Fraction(0)) for i in range(width)]
    for name, step in steps[:-1]:
        columns = through(step, columns, f"step {name}", _refuse_indicators)
    weights, constant = linear_part(classifier, len(columns))
    sign = sign_of(
        classifier,
        feature_map.schema,
        label=feature_map.label,
        positive=feature_map.require_two_values("a classifier tells two values apart"),
    )
    found = [Fraction(0)] * feature_map.size
    for weight, column in zip(weights, columns, strict=True):
        found[column.source] += sign * weight * column.scale
        found[-1] += sign * weight * column.shift
    found[-1] += sign * constant
    inside = width == feature_map.size and not getattr(classifier, "fit_intercept", True)
    return tuple(found), inside


def _model(feature_map: FeatureMap, coefficients: Sequence[Fraction], loss: str, intercept: str, made: str) -> Model:
    rounded = tuple(rounded_decimal(c, DIGITS) for c in coefficients)
    return Model(feature_map=feature_map, coefficients=rounded, loss=loss, intercept=intercept, made=made)


def _is_raw(names: list[str] | None, feature_map: FeatureMap) -> bool:
    """Whether the names are those of columns and not of features; refused if they could be both."""
    if names is None or not any(name in feature_map.columns for name in names):
        return False
    if any(name in feature_map.names and name not in feature_map.columns for name in names):
        return False
    if names != list(feature_map.names[: max(len(names), feature_map.size - 1)]):
        return True
    raise UsageError(
        "estimator: its column names are names of features and of raw columns alike; give columns=[...] if it was "
        "fitted on raw columns, or fit it on an array without names if it was fitted on features"
    )


def _input_width(steps: list[tuple[str, Any]], feature_map: FeatureMap) -> int:
    """How many columns go in; if the first step that saw names remembers them, they must be those of the features."""
    seen = next((step for _, step in steps if hasattr(step, "n_features_in_")), None)
    width = feature_map.size - 1 if seen is None else int(seen.n_features_in_)
    if width not in (feature_map.size, feature_map.size - 1):
        raise UsageError(
            f"estimator: was fitted on {width} columns; the release has {feature_map.size - 1} and the intercept"
        )
    for i, (name, wanted) in enumerate(zip(names_seen(steps) or (), feature_map.names, strict=False)):
        if name != wanted:
            raise UsageError(f"estimator: column {i} was {name[:60]!r}; feature {i} of the release is {wanted!r}")
    return width


def _refuse_indicators(step: Any, _: Sequence[_Output], where: str) -> None:
    if hasattr(step, "categories_"):
        raise UsageError(
            f"{where} ({type(step).__name__}): is not a fitted scaler; if it was fitted on raw columns of the table "
            "without names, give columns=[...]"
        )
