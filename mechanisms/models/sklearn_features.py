"""Features in which the score of a raw-column pipeline is linear, and its coefficients on given features.

The contribution of a one-hot block is known up to a constant, which the intercept can absorb: constants are chosen so
that the norm including the intercept is least. Features are rounded; the largest difference in scores is computed
exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.errors import ParameterError, UsageError
from mechanisms.models.model import Model
from mechanisms.models.sklearn_columns import ColumnScores, scores_of_columns
from release.data.columns import Column
from release.data.schema import Schema, read_schema
from release.statistics.blocks import LINEAR, NONE, ONE_HOT, REDUCED, VALUE, Block, ordered_numbers
from release.statistics.features import BITS, FeatureMap


def features_of_pipeline(
    estimator: Any,
    schema: str | Path | Schema,
    *,
    label: str,
    positive: str | None = None,
    columns: Sequence[str] | None = None,
    bits: int = BITS,
) -> FeatureMap:
    """The features in which a fitted pipeline of raw columns is linear, as few of them as possible."""
    if isinstance(schema, str | Path):
        schema = read_schema(schema)
    if not isinstance(schema, Schema):
        raise UsageError(f"schema: is of type {type(schema).__name__}; must be a file or a schema")
    column = next((column for column in schema.columns if column.name == label), None)
    if column is None:
        raise ParameterError("label", label, "a column of the schema")
    if column.size != 2:
        raise ParameterError("label", f"{label} with {column.size} values", "a column with exactly two values")
    said = column.texts[-1] if positive is None else positive
    scores = scores_of_columns(estimator, schema, label=label, positive=said, columns=columns)
    others = (column for column in schema.columns if column.name != label)
    encodings = tuple(needed_encoding(column, added) for column, added in zip(others, scores.added, strict=True))
    return FeatureMap(schema, label, said, encodings, bits)


def needed_encoding(column: Column, added: Sequence[Fraction]) -> str:
    """The encoding with the fewest features in which a column's contribution to the score is linear."""
    if len(set(added)) == 1:
        return NONE
    fits = (encoding for encoding in (LINEAR, VALUE) if _is_affine(column, encoding, added))
    return next(fits, ONE_HOT)


def coefficients_for(scores: ColumnScores, feature_map: FeatureMap) -> tuple[Fraction, ...]:
    """Coefficients on the features, intercept last, with the least norm including it; not yet rounded."""
    found: list[list[Fraction]] = []
    constant, loose = scores.constant, []
    parts = zip(feature_map.places, feature_map.encodings, feature_map.blocks, scores.added, strict=True)
    for place, encoding, block, added in parts:
        column = feature_map.schema.columns[place]
        if encoding == ONE_HOT:
            loose.append(len(found))
            found.append(list(added))
        elif encoding == REDUCED:
            constant += added[0]
            found.append([value - added[0] for value in added[1:]])
        elif encoding == NONE and len(set(added)) == 1:
            constant += added[0]
            found.append([])
        elif encoding != NONE and _is_affine(column, encoding, added):
            apart = len(ordered_numbers(column, encoding) or ()) < column.size
            coefficients, moved = _on_a_line(block, added, feature_map.one, apart=apart)
            constant += moved
            found.append(coefficients)
        else:
            raise UsageError(
                f"column {column.name!r}: the pipeline's score is not linear in its features, which are {encoding}; "
                f"it needs {needed_encoding(column, added)} (`features_of_pipeline` makes such features)"
            )
    # With I the intercept, a shift s of a block of t indicators with sum S is best at (S - I)/t.
    means = sum((sum(found[k], Fraction(0)) / len(found[k]) for k in loose), Fraction(0))
    intercept = (constant + means) / (1 + sum(Fraction(1, len(found[k])) for k in loose))
    for k in loose:
        shift = (sum(found[k], Fraction(0)) - intercept) / len(found[k])
        found[k] = [value - shift for value in found[k]]
    return (*(value for part in found for value in part), intercept)


def largest_difference(scores: ColumnScores, model: Model) -> Fraction:
    """How far the model's score can be from the pipeline's at a record of the public domain, exactly."""
    lo = hi = model.coefficients[-1] - scores.constant
    start = 0
    for block, added in zip(model.feature_map.blocks, scores.added, strict=True):
        part = model.coefficients[start : start + len(block[0])]
        start += len(block[0])
        off = [
            sum((c * x for c, x in zip(part, row, strict=True) if x), Fraction(0)) / model.feature_map.one - value
            for row, value in zip(block, added, strict=True)
        ]
        lo, hi = lo + min(off), hi + max(off)
    return max(-lo, hi)


def _is_affine(column: Column, encoding: str, added: Sequence[Fraction]) -> bool:
    """Whether the contribution of the ordered codes is linear in the quantity that the encoding uses."""
    numbers = ordered_numbers(column, encoding)
    if numbers is None:
        return False
    first, last = numbers.index(min(numbers)), numbers.index(max(numbers))
    run, rise = numbers[last] - numbers[first], added[last] - added[first]
    return all(
        (value - added[first]) * run == (x - numbers[first]) * rise
        for x, value in zip(numbers, added[: len(numbers)], strict=True)
    )


def _on_a_line(block: Block, added: Sequence[Fraction], one: int, *, apart: bool) -> tuple[list[Fraction], Fraction]:
    """The slope in the first feature, 0 for bends, the contribution of a missing code; and the constant."""
    values = [row[0] for row in (block[:-1] if apart else block)]
    first, last = values.index(min(values)), values.index(max(values))
    slope = (added[last] - added[first]) * one / (values[last] - values[first])
    constant = added[first] - slope * values[first] / one
    bends = [Fraction(0)] * (len(block[0]) - 1 - apart)
    return [slope, *bends, *([added[-1] - constant] if apart else [])], constant
