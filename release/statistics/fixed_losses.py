"""Losses and their slopes at margins in fixed point, by basic operations of floating point, with proved errors.

The exponential and the logarithm are our own: a machine's library promises no error bound. Every value is a function of
the margin alone. Proof of the errors: docs/proofs/synthbounds.excess-query.md, part (e).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from bounds.certify.loss_ranges import infimum, oscillation, steepest
from release.statistics.fixed_margins import MARGIN_BITS, FixedMargins

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

STEP_BITS = 30
STEP = Fraction(1, 2**STEP_BITS)
"""Sums of losses are requested in this step."""
_RANGE_ERROR = Fraction(1, 2**39)
"""Of the ends of the public range, which are decimals of 12 digits."""
_ROUNDING = Fraction(1, 2**53)
_VALUE_ERROR = Fraction(1, 2**44)
SLOPE_ERROR = Fraction(1, 2**45)
_HIGH = 762123384785 / 2**40
_LOW = 7.371002565167799e-13
"""Both together are log 2: the first is a multiple of 2^-40, so multiples of it are exact."""
_PER_UNIT = 1.4426950408889634
_POWERS = np.array([2.0**-k for k in range(1500)])
_EXPONENTIAL = tuple((-1) ** k / factorial(k) for k in range(13, -1, -1))
_LOGARITHM = tuple(2 / (2 * k + 1) for k in range(16, -1, -1))


def exponentials(sizes: Floats) -> Floats:
    """exp(-t) for multiples t of 2^-40 from 0 to 1025, off by at most 2^-46 of it."""
    halvings = np.rint(sizes * _PER_UNIT)
    rest = (sizes - halvings * _HIGH) - halvings * _LOW
    found: Floats = _polynomial(_EXPONENTIAL, rest) * _POWERS[halvings.astype(np.int64)]
    return found


def logarithms(parts: Floats) -> Floats:
    """log(1 + e) for 0 <= e <= 1, off by at most 2^-47 in addition to the error of e."""
    ratio = parts / (2 + parts)
    return ratio * _polynomial(_LOGARITHM, ratio * ratio)


def _polynomial(coefficients: tuple[float, ...], x: Floats) -> Floats:
    found = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        found *= x
        found += coefficient
    return found


def value_error(loss: str, reach: Fraction) -> Fraction:
    """How far the values of `losses_at` are from the losses at the same margins."""
    if loss == "hinge":
        return Fraction(0)
    size = 2 + reach
    return _VALUE_ERROR + _ROUNDING * size if loss == "logistic" else _ROUNDING * size**2


def losses_at(loss: str, margins: Integers) -> Floats:
    """The loss at margins over 2^MARGIN_BITS."""
    m = margins / 2.0**MARGIN_BITS
    if loss == "logistic":
        return np.maximum(-m, 0.0) + logarithms(exponentials(np.abs(m)))
    short = 1 - m
    return np.maximum(short, 0.0) if loss == "hinge" else short * short / 2


@dataclass(frozen=True)
class FixedLosses:
    """The loss of one model on every record, in whole steps within a public range."""

    margins: FixedMargins
    loss: str

    @property
    def reach(self) -> Fraction:
        return self.margins.reach

    @cached_property
    def least(self) -> int:
        return round(infimum(self.loss, self.reach) / STEP)

    @cached_property
    def most(self) -> int:
        return self.least - (-oscillation(self.loss, self.reach) // STEP)

    @property
    def error(self) -> Fraction:
        """How far a step's worth is from the true loss, for every record."""
        return STEP / 2 + _RANGE_ERROR + margin_and_value_error(self.loss, self.reach, self.margins.error)

    def of(self, codes: Codes) -> Integers:
        """Clipped, so that two integers bound how far one record moves the sum, whatever went before."""
        steps = np.rint(losses_at(self.loss, self.margins.of(codes)) * 2.0**STEP_BITS).astype(np.int64)
        return np.clip(steps, self.least, self.most)


def margin_and_value_error(loss: str, reach: Fraction, error: Fraction) -> Fraction:
    """How far a loss at a margin in fixed point, off by that error, is from the loss at the true margin."""
    near = reach + error
    return steepest(loss, near) * error + value_error(loss, near)


def exact_sum(values: Integers, counts: Integers | None = None) -> int:
    """The sum of values below 2^62 in size, each `counts` times; no partial sum leaves 64 bits below 2^31 records."""
    high, low = values >> 32, values & 0xFFFFFFFF
    if counts is None:
        return (int(high.sum()) << 32) + int(low.sum())
    return (int(high @ counts) << 32) + int(low @ counts)
