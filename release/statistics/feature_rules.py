"""The rules for a feature map: its label, its encodings and its size; each violation is refused in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.errors import ParameterError
from release.data.columns import Column
from release.statistics.blocks import FEATURE_ENCODINGS, REDUCED, VALUE, block_width, ordered_numbers

if TYPE_CHECKING:
    from release.statistics.features import FeatureMap

MOST_BITS = 20
MOST_FEATURES = 1000
"""There are about half the square of this many second moments."""


def check_features(found: FeatureMap) -> None:
    """Refuse an unusable label, an encoding that its column cannot have, and too many features."""
    column = next((column for column in found.schema.columns if column.name == found.label), None)
    if column is None:
        raise ParameterError("label", found.label, "a column of the schema")
    if column.size == 2 and found.positive not in column.texts:
        raise ParameterError("positive", found.positive, f"{column.texts[0]} or {column.texts[1]}")
    if column.size != 2:
        _check_number(column, found.positive)
    if not 1 <= found.bits <= MOST_BITS:
        raise ParameterError("bits", found.bits, f"between 1 and {MOST_BITS}")
    if not found.columns:
        raise ParameterError("schema", f"{found.label} alone", "the label and at least one other column")
    if len(found.encodings) != len(found.columns):
        raise ParameterError("encodings", f"{len(found.encodings)} of them", f"{len(found.columns)}, one per column")
    size = 1
    for name, place, encoding in zip(found.columns, found.places, found.encodings, strict=True):
        if encoding not in FEATURE_ENCODINGS:
            raise ParameterError("encodings", f"{encoding} for {name}", " or ".join(FEATURE_ENCODINGS))
        if encoding == REDUCED and found.schema.columns[place].size < 2:
            raise ParameterError("reduced", name, "a column with at least two values")
        if encoding == VALUE and ordered_numbers(found.schema.columns[place], VALUE) is None:
            raise ParameterError("by_value", name, "a column whose values are numbers, and not all the same")
        size += block_width(found.schema.columns[place], encoding)
    if size == 1:
        raise ParameterError("encodings", "none for every column", "features of at least one")
    if size > MOST_FEATURES:
        raise ParameterError("features", size, f"at most {MOST_FEATURES}", "every pair of them has a second moment")
    seen: set[str] = set()
    for name in found.names:
        if name in seen:
            raise ParameterError("features", name, "named differently", "two features have this name")
        seen.add(name)


def _check_number(column: Column, positive: str | None) -> None:
    """A label with more than two values is a number, and never missing."""
    if column.missing or ordered_numbers(column, VALUE) is None or column.size < 2:
        allowed = "a column with exactly two values, or of numbers none of which is missing"
        raise ParameterError("label", f"{column.name} with {column.size} values", allowed)
    if positive is not None:
        raise ParameterError("positive", positive, "left out", f"{column.name} is a number")
