"""The contents of fitted scikit-learn estimators, read only from attributes: steps, scalers, chosen columns, classes.

scikit-learn is never imported, nothing is unpickled, and floats become exact fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, Protocol, Self, TypeVar

from bounds.errors import UsageError
from release.data.schema import Schema


class Handed(Protocol):
    """A column that one step hands to the next."""

    def scaled(self, scale: Fraction, shift: Fraction) -> Self:
        """The column times a number, plus another."""


Column = TypeVar("Column", bound=Handed)
Special = Callable[[Any, Sequence[Column], str], "list[Column] | None"]
"""Takes a step that is not a scaler, the columns before it and its place; None if it does not know the step."""


def steps_of(estimator: Any) -> list[tuple[str, Any]]:
    """The steps of a pipeline, the classifier last; a search over settings stands for its best one."""
    if hasattr(estimator, "best_estimator_"):
        estimator = estimator.best_estimator_
    steps = getattr(estimator, "steps", None)
    found = [("classifier", estimator)] if steps is None else [(str(name), step) for name, step in steps]
    last = found[-1][1] if found else None
    if hasattr(last, "fit") and not hasattr(last, "classes_"):
        raise UsageError(f"the {'estimator' if steps is None else 'pipeline'} is not fitted as a classifier")
    if hasattr(last, "fit") and not hasattr(last, "coef_"):
        raise UsageError(
            f"{type(last).__name__}: is not a linear classifier; for other models: `sb.confirm_predictions`"
        )
    return found


def names_seen(steps: list[tuple[str, Any]]) -> list[str] | None:
    """The names of the columns when fitted; None if the first step that knows their number knows no names."""
    seen = next((step for _, step in steps if hasattr(step, "n_features_in_")), None)
    names = getattr(seen, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def linear_part(classifier: Any, count: int) -> tuple[list[Fraction], Fraction]:
    """The weights of a binary linear classifier, one for each of this many columns, and its constant."""
    for name in ("coef_", "intercept_", "classes_"):
        if not hasattr(classifier, name):
            raise UsageError(f"estimator {type(classifier).__name__}: has no {name}; give a fitted linear classifier")
    weights = numbers_in(classifier.coef_, "coef_")
    if len(weights) != count or len(classifier.classes_) != 2:
        raise UsageError(
            f"coef_: {len(weights)} coefficients for {count} columns and {len(classifier.classes_)} classes: "
            "must be one for each column, for two classes"
        )
    return weights, sum(numbers_in(classifier.intercept_, "intercept_"), Fraction(0))


def through(step: Any, columns: list[Column], where: str, special: Special[Column]) -> list[Column]:
    """The columns that a step hands on."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return columns
    if hasattr(step, "transformers_"):
        return _through_column_transformer(step, columns, where, special)
    if hasattr(step, "steps"):
        for name, part in step.steps:
            columns = through(part, columns, f"{where}, {name}", special)
        return columns
    found = special(step, columns, where)
    if found is not None:
        return found
    scales, shifts = _affine(step, len(columns), where)
    return [column.scaled(*by) for column, *by in zip(columns, scales, shifts, strict=True)]


def _affine(step: Any, count: int, where: str) -> tuple[list[Fraction], list[Fraction]]:
    """Scale and shift of every column, from the attributes of the scaler."""

    def values(name: str, default: int) -> list[Fraction]:
        value = getattr(step, name)
        found = [Fraction(default)] * count if value is None else numbers_in(value, f"{where}: {name}")
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
    raise UsageError(f"{where} ({type(step).__name__}): is not a fitted scaler; a step must be affine in its columns")


def _divided(centres: list[Fraction], scales: list[Fraction], where: str) -> tuple[list[Fraction], list[Fraction]]:
    if not all(scales):
        raise UsageError(f"{where}: a scale is zero")
    return [1 / s for s in scales], [-c / s for c, s in zip(centres, scales, strict=True)]


def _through_column_transformer(step: Any, columns: list[Column], where: str, special: Special[Column]) -> list[Column]:
    if getattr(step, "transformer_weights", None):
        raise UsageError(f"{where}: transformer_weights are not supported")
    names = getattr(step, "feature_names_in_", None)
    known = None if names is None else [str(name) for name in names]
    found: list[Column] = []
    for name, part, chosen in step.transformers_:
        if isinstance(part, str) and part == "drop":
            continue
        taken = [columns[i] for i in _places(chosen, known, len(columns), where)]
        found += through(part, taken, f"{where}, {name}", special)
    return found


def _places(chosen: Any, names: list[str] | None, count: int, where: str) -> list[int]:
    """Columns that a part of a ColumnTransformer takes: by number, slice, mask or name."""
    if isinstance(chosen, slice) and not any(isinstance(end, str) for end in (chosen.start, chosen.stop)):
        return list(range(count))[chosen]
    listed = [plain(value) for value in ([chosen] if isinstance(chosen, str | int) else list(chosen))]
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


def sign_of(classifier: Any, schema: Schema, *, label: str, positive: str) -> int:
    """1 if a positive score means y = +1; classes are the label's own values, or 0 and 1, or -1 and 1."""
    classes = [plain(value) for value in classifier.classes_]
    texts = schema.columns[schema.names.index(label)].texts
    as_numbers = not isinstance(classes[0], str) and classes in ([0, 1], [-1, 1])
    as_texts = {str(value) for value in classes} == set(texts)
    by_text = 1 if str(classes[1]) == positive else -1
    if as_texts and not (as_numbers and by_text < 0):
        return by_text
    if as_numbers and not as_texts:
        return 1
    shown = " and ".join(str(value)[:30] for value in classes)
    if as_texts:
        raise UsageError(f"classes_ = {shown}: 1 could be +1 or the other value of {label}; fit on its texts")
    raise UsageError(f"classes_ = {shown}: must be {texts[0]} and {texts[1]}, or -1 and 1, or 0 and 1")


def numbers_in(values: Any, where: str) -> list[Fraction]:
    """The floats of an array or of nested lists, exactly, in their order."""
    listed = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(listed, list | tuple):
        return [number for part in listed for number in numbers_in(part, where)]
    try:
        number = float(listed)
    except (TypeError, ValueError):
        raise UsageError(f"{where}: must be an array of numbers, not {type(listed).__name__}") from None
    if not isfinite(number):
        raise UsageError(f"{where}: {number} is not a finite number")
    return [Fraction(number)]


def plain(value: Any) -> Any:
    """A numpy scalar as a Python object."""
    return value.item() if hasattr(value, "item") else value
