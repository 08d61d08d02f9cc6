"""Columns with few values, by which a certificate may split records into groups, with a polynomial for each.

A column that is linear in its code has one group for each code; a feature of a one-hot column has two, the records with
that value and the others. The scores of a model on a group are those that the public domain allows there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bounds.certify.problem import Group, Split
from release.statistics.features import FeatureMap

MOST_VALUES = 4
"""Most values of a linear column; every value costs time and, beyond a few, gains little."""
SPLITS, THOROUGH_SPLITS = 2, 12
"""How many features certificates try, one after the other; the first ones move the score most."""


def splits(feature_map: FeatureMap, coefficients: Sequence[Fraction]) -> tuple[Split, ...]:
    """All features that can split the records, beginning with those that move the model's score most."""
    found: list[tuple[Fraction, Split]] = []
    lo, hi = feature_map.margin_range(coefficients)
    start = 0
    for block in feature_map.blocks:
        width = len(block[0])
        weights = coefficients[start : start + width]
        scores = [
            sum((w * Fraction(x, feature_map.one) for w, x in zip(weights, values, strict=True)), Fraction(0))
            for values in block
        ]
        rest = lo - min(scores), hi - max(scores)
        for feature in range(width):
            values = [Fraction(code[feature], feature_map.one) for code in block]
            if len(set(values)) > MOST_VALUES:
                continue
            groups = []
            for value in sorted(set(values)):
                here = [score for score, other in zip(scores, values, strict=True) if other == value]
                groups.append(Group(value, (rest[0] + min(here), rest[1] + max(here))))
            place = start + feature
            direction = tuple(Fraction(int(k == place)) for k in range(feature_map.size))
            moved = abs(weights[feature]) * (max(values) - min(values))
            found.append((moved, Split(feature_map.names[place], direction, tuple(groups))))
        start += width
    return tuple(split for _, split in sorted(found, key=lambda entry: -entry[0]))
