"""Fitted scikit-learn classifiers as models of the release's features, without importing scikit-learn.

Estimators are recognised by their attributes. Steps before the classifier must be affine in every feature: scalers,
passing through, and a ColumnTransformer of these. The whole map is composed in fractions of the floats that the steps
hold, exactly, and rounded once at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from bounds.errors import UsageError
from mechanisms.models.model import FREE, INSIDE, Model, rounded_decimal
from release.statistics.features import FeatureMap

DIGITS = 25
"""Far beyond the floats that the estimator itself computes with."""


@dataclass(frozen=True)
class _Output:
    """A column that a step hands on: scale times an input column, plus a shift."""

    source: int
    scale: Fraction
    shift: Fraction


def model_from_sklearn(estimator: Any, feature_map: FeatureMap, *, loss: str = "logistic") -> Model:
    """The model of a fitted binary linear classifier, or of a pipeline that ends in one.

    It must have been fitted on the features of the map, with or without the column of the intercept, in their order.
    """
    coefficients, intercept_inside = exact_coefficients(estimator, feature_map)
    last = _steps(estimator)[-1][1]
    return Model(
        feature_map=feature_map,
        coefficients=tuple(rounded_decimal(c, DIGITS) for c in coefficients),
        loss=loss,
        intercept=INSIDE if intercept_inside else FREE,
        made=f"{type(last).__name__} of scikit-learn",
    )


def exact_coefficients(estimator: Any, feature_map: FeatureMap) -> tuple[tuple[Fraction, ...], bool]:
    """Coefficients on f before any rounding, and whether the intercept was a feature like the others."""
    steps = _steps(estimator)
    classifier = steps[-1][1]
    for name in ("coef_", "intercept_", "classes_"):
        if not hasattr(classifier, name):
            raise UsageError(f"estimator {type(classifier).__name__}: has no {name}; give a fitted linear classifier")
    width = _input_width(steps, feature_map)
    columns = [_Output(i, Fraction(1), Fraction(0)) for i in range(width)]
    for name, step in steps[:-1]:
        columns = _through(step, columns, f"step {name}")
    weights = _numbers(classifier.coef_, "coef_")
    constant = sum(_numbers(classifier.intercept_, "intercept_"), Fraction(0))
    if len(weights) != len(columns) or len(classifier.classes_) != 2:
        raise UsageError(
            f"coef_: {len(weights)} coefficients for {len(columns)} columns and {len(classifier.classes_)} classes: "
            "must be one for each column, for two classes"
        )
    sign = _sign([_plain(value) for value in classifier.classes_], feature_map)
    found = [Fraction(0)] * feature_map.size
    for weight, column in zip(weights, columns, strict=True):
        found[column.source] += sign * weight * column.scale
        found[-1] += sign * weight * column.shift
    found[-1] += sign * constant
    inside = width == feature_map.size and not getattr(classifier, "fit_intercept", True)
    return tuple(found), inside


def _steps(estimator: Any) -> list[tuple[str, Any]]:
    if hasattr(estimator, "best_estimator_"):  # a search over settings
        estimator = estimator.best_estimator_
    steps = getattr(estimator, "steps", None)
    return [("classifier", estimator)] if steps is None else [(str(name), step) for name, step in steps]


def _input_width(steps: list[tuple[str, Any]], feature_map: FeatureMap) -> int:
    """How many columns go in; their names, where the first step that saw any remembers them, must be the features'."""
    seen = next((step for _, step in steps if hasattr(step, "n_features_in_")), None)
    width = feature_map.size - 1 if seen is None else int(seen.n_features_in_)
    if width not in (feature_map.size, feature_map.size - 1):
        raise UsageError(
            f"estimator: was fitted on {width} columns; the release has {feature_map.size - 1} and the intercept"
        )
    names = None if seen is None else getattr(seen, "feature_names_in_", None)
    if names is not None:
        for i, (name, wanted) in enumerate(zip(names, feature_map.names, strict=False)):
            if str(name) != wanted:
                raise UsageError(
                    f"estimator: column {i} was {str(name)[:60]!r}; feature {i} of the release is {wanted!r}"
                )
    return width


def _through(step: Any, columns: list[_Output], where: str) -> list[_Output]:
    """The columns that a step hands on."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return columns
    if hasattr(step, "transformers_"):
        return _through_column_transformer(step, columns, where)
    if hasattr(step, "steps"):
        for name, part in step.steps:
            columns = _through(part, columns, f"{where}, {name}")
        return columns
    scales, shifts = _affine(step, len(columns), where)
    return [
        _Output(column.source, scale * column.scale, scale * column.shift + shift)
        for column, scale, shift in zip(columns, scales, shifts, strict=True)
    ]


def _affine(step: Any, count: int, where: str) -> tuple[list[Fraction], list[Fraction]]:
    """Scale and shift of every column, from what the scaler holds."""

    def values(name: str, default: int) -> list[Fraction]:
        value = getattr(step, name)
        found = [Fraction(default)] * count if value is None else _numbers(value, f"{where}: {name}")
        if len(found) != count:
            raise UsageError(f"{where}: {name} has {len(found)} values for {count} columns")
        return found

    if hasattr(step, "mean_") and hasattr(step, "scale_"):  # StandardScaler
        return _divided(values("mean_", 0), values("scale_", 1), where)
    if hasattr(step, "center_") and hasattr(step, "scale_"):  # RobustScaler
        return _divided(values("center_", 0), values("scale_", 1), where)
    if hasattr(step, "min_") and hasattr(step, "scale_"):  # MinMaxScaler
        if getattr(step, "clip", False):
            raise UsageError(f"{where}: clips its values, so it is not affine in the features")
        return values("scale_", 1), values("min_", 0)
    if hasattr(step, "max_abs_") and hasattr(step, "scale_"):  # MaxAbsScaler
        return _divided([Fraction(0)] * count, values("scale_", 1), where)
    if hasattr(step, "func") and step.func is None:  # FunctionTransformer that does nothing
        return [Fraction(1)] * count, [Fraction(0)] * count
    raise UsageError(
        f"{where} ({type(step).__name__}): is not a fitted scaler; one-hot columns are features of the release already"
    )


def _divided(centres: list[Fraction], scales: list[Fraction], where: str) -> tuple[list[Fraction], list[Fraction]]:
    if not all(scales):
        raise UsageError(f"{where}: a scale is zero")
    return [1 / s for s in scales], [-c / s for c, s in zip(centres, scales, strict=True)]


def _through_column_transformer(step: Any, columns: list[_Output], where: str) -> list[_Output]:
    if getattr(step, "transformer_weights", None):
        raise UsageError(f"{where}: transformer_weights are not supported")
    names = getattr(step, "feature_names_in_", None)
    known = None if names is None else [str(name) for name in names]
    found: list[_Output] = []
    for name, part, chosen in step.transformers_:
        if isinstance(part, str) and part == "drop":
            continue
        found += _through(part, [columns[i] for i in _places(chosen, known, len(columns), where)], f"{where}, {name}")
    return found


def _places(chosen: Any, names: list[str] | None, count: int, where: str) -> list[int]:
    """Columns that a part of a ColumnTransformer takes: by number, slice, mask or name."""
    if isinstance(chosen, slice) and not any(isinstance(end, str) for end in (chosen.start, chosen.stop)):
        return list(range(count))[chosen]
    listed = [_plain(value) for value in ([chosen] if isinstance(chosen, str | int) else list(chosen))]
    if listed and all(isinstance(value, bool) for value in listed) and len(listed) == count:
        return [i for i, taken in enumerate(listed) if taken]
    found = []
    for value in listed:
        if isinstance(value, str) and names is not None and value in names:
            found.append(names.index(value))
        elif isinstance(value, int) and not isinstance(value, bool) and -count <= value < count:
            found.append(value % count)
        else:
            raise UsageError(f"{where}: {str(value)[:60]!r} is not one of its {count} columns")
    return found


def _sign(classes: list[Any], feature_map: FeatureMap) -> int:
    """1 if a positive score speaks for y = +1; classes are the label's own values, or 0 and 1, or -1 and 1."""
    texts = feature_map.schema.columns[feature_map.schema.names.index(feature_map.label)].texts
    as_numbers = not isinstance(classes[0], str) and classes in ([0, 1], [-1, 1])
    as_texts = {str(value) for value in classes} == set(texts)
    by_text = 1 if str(classes[1]) == feature_map.positive else -1
    if as_texts and not (as_numbers and by_text < 0):
        return by_text
    if as_numbers and not as_texts:
        return 1
    shown = " and ".join(str(value)[:30] for value in classes)
    if as_texts:
        raise UsageError(
            f"classes_ = {shown}: 1 could be +1 or the other value of {feature_map.label}; fit on its texts"
        )
    raise UsageError(f"classes_ = {shown}: must be {texts[0]} and {texts[1]}, or -1 and 1, or 0 and 1")


def _numbers(values: Any, where: str) -> list[Fraction]:
    """The floats of an array or of nested lists, exactly, in their order."""
    listed = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(listed, list | tuple):
        return [number for part in listed for number in _numbers(part, where)]
    try:
        number = float(listed)
    except (TypeError, ValueError):
        raise UsageError(f"{where}: must be an array of numbers, not {type(listed).__name__}") from None
    if not isfinite(number):
        raise UsageError(f"{where}: {number} is not a finite number")
    return [Fraction(number)]


def _plain(value: Any) -> Any:
    """A numpy scalar as what it is in Python."""
    return value.item() if hasattr(value, "item") else value
