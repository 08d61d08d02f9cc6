"""Geometric noise for exact choices: P(X >= k) = exp(-k rate) for every whole k >= 0, and the rate is rational.

Canonne, Kamath and Steinke's sampler: only whole random numbers below a bound are drawn, so nothing is rounded.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

Below: TypeAlias = Callable[[int], int]
"""A uniform whole number from 0 to below its argument."""


def geometric(rate: Fraction, count: int) -> list[int]:
    """Independent numbers. There is no parameter for the randomness: it comes from the operating system."""
    return [_draw(rate, secrets.randbelow) for _ in range(count)]


def _draw(rate: Fraction, below: Below) -> int:
    while True:
        low = below(rate.denominator)
        if happens_exp(low, rate.denominator, below):
            break
    high = 0
    while happens_exp(1, 1, below):
        high += 1
    # low + denominator high is at least k with probability exp(-k/denominator)
    return (low + rate.denominator * high) // rate.numerator


def happens_exp(numerator: int, denominator: int, below: Below) -> bool:
    """With probability exp(-numerator/denominator), for a number of at most 1: von Neumann's alternating series."""
    k = 1
    while below(denominator * k) < numerator:
        k += 1
    return k % 2 == 1
