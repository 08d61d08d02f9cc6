"""Geometric noise for exact choices: P(X >= k) = exp(-k rate) for every whole k >= 0, and the rate is rational.

X is the whole part of -log(u)/rate for a uniform number u, enclosed in a ball until that is known: exact, and in nearly
the same time for every X, unlike counting coin tosses until one fails. Proof: docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

import secrets
from fractions import Fraction

from flint import fmpq

from bounds.enclosure import as_fmpq, precision
from bounds.exact import require_range
from release.noise.uniform import SPARE_BITS, BitSource, LazyUniform, common_floor, width_of

_MORE_PRECISION = 32


def geometric(rate: Fraction, count: int) -> list[int]:
    """Independent numbers. There is no parameter for the randomness: it comes from the operating system."""
    require_range("rate", rate, rate, above=0, reason="of geometric noise")
    require_range("count", count, count, least=0, reason="numbers to draw")
    return [draw_geometric(rate, secrets.randbits) for _ in range(count)]


def draw_geometric(rate: Fraction, draw: BitSource) -> int:
    """One number, with a given source of fair bits."""
    uniform, scale, width = LazyUniform(draw), as_fmpq(1 / rate), width_of(1 / rate)
    bits = SPARE_BITS + width
    while True:
        uniform.extend(bits)
        with precision(bits + _MORE_PRECISION):
            found = whole_part(uniform, scale, width)
        if found is not None:
            return found
        bits *= 2


def whole_part(uniform: LazyUniform, scale: fmpq, width: int) -> int | None:
    """Of -scale log(u), for every u of the interval, or None if they do not share it."""
    return common_floor(scale * uniform.minus_log(), width=width)
