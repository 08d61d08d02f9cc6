"""What a coefficient means in the units of the table: a factor, and words.

Features run from -1 to 1, indicators from 0 to 1, and a response of two values is -1 or 1. A column of two values then
moves the share of the response's second value by its coefficient; a number moves it per unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from release.data.columns import Column
from release.statistics.blocks import LINEAR, ONE_HOT, REDUCED, VALUE, block_of
from release.statistics.features import INTERCEPT, FeatureMap

_IN_LEVELS = " in levels"


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A coefficient times this number is what the words say."""

    factor: Fraction
    text: str


def unit_of(features: FeatureMap, response: str, regressor: str) -> Unit | None:
    """The unit of a coefficient; None for the intercept and for features without a unit in the table."""
    explained, step = _response(features, response), _step(features, regressor)
    if explained is None or step is None:
        return None
    return Unit(factor=explained[0] * step[0], text=f"{explained[1]} {step[1]}")


def column_of(features: FeatureMap, name: str) -> tuple[Column, str] | None:
    """The column that a feature belongs to, and how it is encoded; None for the intercept and the label."""
    if name in (INTERCEPT, features.label):
        return None
    start = 0
    for place, encoding, block in zip(features.places, features.encodings, features.blocks, strict=True):
        width = len(block[0])
        if name in features.names[start : start + width]:
            return features.schema.columns[place], encoding
        start += width
    return None


def _response(features: FeatureMap, name: str) -> tuple[Fraction, str] | None:
    if name == features.label:
        if features.positive is not None:
            return Fraction(1, 2), f"share of {features.label}={features.positive}"
        lo, hi = features.label_range
        return (hi - lo) / 2, f"change of {name}"
    found = column_of(features, name)
    if found is None:
        return None
    column, encoding = found
    if encoding in (ONE_HOT, REDUCED) or name != column.name:
        return Fraction(1), f"share of {name}"
    if column.size == 2:
        return Fraction(1, 2), f"share of {name}={_two_values(column, encoding)[1]}"
    step = _spacing(column, encoding)
    return (1 / step[0], f"change of {name}" + step[1]) if step else None


def _step(features: FeatureMap, name: str) -> tuple[Fraction, str] | None:
    if name == features.label:
        if features.positive is not None:
            return Fraction(2), f"when {features.label} is {features.positive}"
        lo, hi = features.label_range
        return 2 / (hi - lo), f"per unit of {name}"
    found = column_of(features, name)
    if found is None:
        return None
    column, encoding = found
    if encoding in (ONE_HOT, REDUCED):
        return Fraction(1), f"when it is {name}"
    if name != column.name:
        return (Fraction(1), f"when {name}") if name.endswith("is missing") else None
    if column.size == 2:
        low, high = _two_values(column, encoding)
        return Fraction(2), f"when {name} is {high} and not {low}"
    step = _spacing(column, encoding)
    return (step[0], f"per {'level' if step[1] else 'unit'} of {name}") if step else None


def _spacing(column: Column, encoding: str) -> tuple[Fraction, str] | None:
    """How much the feature rises per unit of the column's number, or per level; the words say if it is per level."""
    numbers, count = column.numbers, column.value_count
    if encoding not in (LINEAR, VALUE) or count < 2:
        return None
    if numbers is not None and encoding == VALUE:
        return 2 / (max(numbers) - min(numbers)), ""
    if numbers is not None and len({b - a for a, b in pairwise(numbers)}) == 1 and numbers[0] != numbers[-1]:
        return 2 / (numbers[-1] - numbers[0]), ""
    return Fraction(2, count - 1), _IN_LEVELS


def _two_values(column: Column, encoding: str) -> tuple[str, str]:
    """The values of a column of two that are -1 and 1."""
    first, second = block_of(column, encoding, 1)
    low, high = column.texts[0], column.texts[-1]
    return (low, high) if first < second else (high, low)
