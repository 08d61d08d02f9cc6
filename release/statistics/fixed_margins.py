"""Scores of a linear model in fixed point: sums of rounded contributions, integers that depend only on the record."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

MARGIN_BITS = 40
LARGEST_REACH = 1024
LARGEST_COEFFICIENT = 2**17
"""Beyond this, what a code adds to the score could leave 64 bits, though blocks have norm at most 1."""


@dataclass(frozen=True)
class FixedMargins:
    """y times the score of one model, over 2^MARGIN_BITS, for every record of the public domain."""

    feature_map: FeatureMap
    coefficients: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        self.feature_map.require_two_values("a margin needs a label +1 or -1")
        if self.reach > LARGEST_REACH:
            raise ParameterError("coefficients", "this model", f"with scores of at most {LARGEST_REACH} in size")
        if max(map(abs, self.coefficients)) > LARGEST_COEFFICIENT:
            raise ParameterError("coefficients", "one that is larger", f"at most {LARGEST_COEFFICIENT} in size")

    @cached_property
    def reach(self) -> Fraction:
        """The largest |m| on the public domain."""
        lo, hi = self.feature_map.margin_range(self.coefficients)
        return max(abs(lo), abs(hi))

    @property
    def error(self) -> Fraction:
        return margin_error(self.feature_map)

    @cached_property
    def _contributions(self) -> tuple[list[NDArray[np.int64]], int]:
        """What every code of every column adds to the score, and the intercept, over 2^MARGIN_BITS, rounded."""
        found, start, one = [], 0, self.feature_map.one
        for block in self.feature_map.blocks:
            part = self.coefficients[start : start + len(block[0])]
            scores = [sum((c * f for c, f in zip(part, row, strict=True) if f), Fraction(0)) / one for row in block]
            found.append(np.array([round(score * 2**MARGIN_BITS) for score in scores], dtype=np.int64))
            start += len(part)
        return found, round(self.coefficients[-1] * 2**MARGIN_BITS)

    def of(self, codes: Codes) -> NDArray[np.int64]:
        """The margin of every record, over 2^MARGIN_BITS."""
        tables, intercept = self._contributions
        margins = np.full(len(codes), intercept, dtype=np.int64)
        for place, table in zip(self.feature_map.places, tables, strict=True):
            margins += table[codes[:, place]]
        margins *= self.feature_map.labels(codes)
        return margins


def margin_error(feature_map: FeatureMap) -> Fraction:
    """How far a margin in fixed point is from the true one: half a unit for every block and the intercept."""
    return Fraction(len(feature_map.blocks) + 1, 2 ** (MARGIN_BITS + 1))
