"""The least sum of losses of a class on a table, enclosed: above by a model of the class, below by straight lines.

Every loss lies above a line at the margins of a candidate. The least that a model of the class loses on lines is a
single norm. A candidate may come from anywhere: both ends are valid for every one, and meet at the best. Proof, with
the errors of floating point: docs/proofs/synthbounds.excess-query.md, part (f).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from release.statistics.distinct import distinct_records
from release.statistics.fixed_losses import (
    SLOPE_ERROR,
    exact_sum,
    exponentials,
    losses_at,
    margin_and_value_error,
    value_error,
)
from release.statistics.fixed_margins import MARGIN_BITS, FixedMargins, margin_error
from release.statistics.linear_class import LinearClass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Floats = NDArray[np.float64]

HINGE_WIDTHS = (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
"""Slopes of the hinge loss rise over a width like these before its kink, one try after the other."""
_VALUE_BITS = 40
_LARGEST = 1e6
"""No coefficient of a class is larger."""
_BLOCK = 2**14
_SUM_ERROR = Fraction(1, 2**38)
"""Of a sum of products over a block, relative to the sum of their sizes, whatever the order of additions."""


@dataclass(frozen=True)
class Ends:
    """The least sum of losses is between them."""

    lower: Fraction
    upper: Fraction

    def and_also(self, other: Ends) -> Ends:
        """The better of both on each side: all are valid."""
        return Ends(max(self.lower, other.lower), min(self.upper, other.upper))


def numbers(candidate: Floats) -> Floats:
    """A solver that diverged is ignored: nothing that is not a number gets further."""
    found: Floats = np.clip(np.nan_to_num(candidate, nan=0.0, posinf=0.0, neginf=0.0), -_LARGEST, _LARGEST)
    return found


def record_error(compared: LinearClass) -> Fraction:
    """For every record: how far apart rounding alone can make the ends, at most, whatever the candidate."""
    return _line_error(compared) + _upper_error(compared, compared.reach)


def _line_error(compared: LinearClass) -> Fraction:
    """How far lines may be above the loss, and sums of lines from their exact values."""
    reach = compared.reach + 1
    if compared.loss == "logistic":
        above = value_error("logistic", reach) + reach * Fraction(1, 2**51) + SLOPE_ERROR * 2 * reach
        height, slope = Fraction(1), Fraction(1)
    elif compared.loss == "hinge":
        above, height, slope = Fraction(0), Fraction(1), Fraction(1)
    else:
        slope = 1 + reach
        height = slope**2
        above = Fraction(1, 2**52) * height
    return above + _SUM_ERROR * (height + slope * compared.reach)


def _upper_error(compared: LinearClass, reach: Fraction) -> Fraction:
    """How far the value of a model of these scores is from the one that was computed."""
    rounding = Fraction(1, 2 ** (_VALUE_BITS + 1))
    return margin_and_value_error(compared.loss, reach, margin_error(compared.feature_map)) + rounding


@dataclass(frozen=True, eq=False)
class EnclosedLeast:
    """A class and a table of at least one record."""

    compared: LinearClass
    codes: Codes
    most: int | None = None
    """Of more records than this only the first ones are taken, in the order of their codes."""

    @property
    def n(self) -> int:
        """Of the whole table: the penalty is this many times the ridge."""
        return len(self.codes)

    @cached_property
    def _distinct(self) -> tuple[Codes, NDArray[np.int64]]:
        features = self.compared.feature_map
        used = [place for place, block in zip(features.places, features.blocks, strict=True) if len(block[0])]
        label = features.schema.names.index(features.label)
        return distinct_records(self.codes, features.schema.domain.sizes, [*used, label])

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many records equal each row of `signed`."""
        counts = self._distinct[1]
        if self.most is None or self.n <= self.most:
            return counts
        return np.diff(np.minimum(np.cumsum(counts), self.most), prepend=0)

    @cached_property
    def signed(self) -> Floats:
        """y f of distinct records, exactly."""
        features, rows = self.compared.feature_map, self._distinct[0]
        found = features.features(rows).astype(np.float64)
        found *= (features.labels(rows) / features.one)[:, None]
        return found

    def enclose(self, candidate: Floats, *, width: float | None = None, touching: Floats | None = None) -> Ends:
        """Both ends by one candidate, coefficients on f; lines touch at its margins, or at those that are given."""
        compared = self.compared
        coefficients = compared.inside(numbers(candidate).tolist())
        fixed = FixedMargins(compared.feature_map, coefficients)
        margins = fixed.of(self._distinct[0])
        values = losses_at(compared.loss, margins)
        scaled = np.rint(values * 2.0**_VALUE_BITS).astype(np.int64)
        records = int(self.counts.sum())
        upper = Fraction(exact_sum(scaled, self.counts), 2**_VALUE_BITS)
        upper += records * _upper_error(compared, fixed.reach) + compared.penalty(coefficients, self.n)
        if touching is not None:
            reach, width = float(compared.reach), 1.0
            margins = np.rint(np.clip(touching, -reach, reach) * 2.0**MARGIN_BITS).astype(np.int64)
            values = losses_at(compared.loss, margins)
        total, pull = self._line_sums(*_lines(compared.loss, margins / 2.0**MARGIN_BITS, values, width))
        return Ends(total - compared.most(pull, self.n) - records * _line_error(compared), upper)

    def _line_sums(self, heights: Floats, slopes: Floats) -> tuple[Fraction, list[Fraction]]:
        """The sum of heights, and of slopes times y f: blocks in floating point, added exactly."""
        total, pull = Fraction(0), [Fraction(0)] * self.signed.shape[1]
        for start in range(0, len(heights), _BLOCK):
            part = slice(start, start + _BLOCK)
            counts = self.counts[part].astype(np.float64)
            total += Fraction(float(counts @ heights[part]))
            block = ((counts * slopes[part]) @ self.signed[part]).tolist()
            pull = [sofar + Fraction(more) for sofar, more in zip(pull, block, strict=True)]
        return total, pull


def _lines(loss: str, m: Floats, values: Floats, width: float | None) -> tuple[Floats, Floats]:
    """Lines height - slope t below the loss at t, up to the error above, that touch it near m."""
    if loss == "logistic":
        part = exponentials(np.abs(m))
        slopes = np.where(m > 0, part, 1.0) / (1 + part)
        return values + slopes * m, slopes
    if loss == "hinge":
        slopes = np.clip((1 - m) / (width or HINGE_WIDTHS[0]), 0.0, 1.0)
        return slopes, slopes
    slopes = 1 - m
    return slopes - slopes * slopes / 2, slopes
