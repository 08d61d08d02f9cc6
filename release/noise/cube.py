"""Exact sampler of l_inf noise rounded to integers, from the randomness of the operating system.

The noise is round(r u) with r Gamma distributed and u uniform on a cube. Every uniform number behind it is an infinite
sequence of bits of which only a prefix has been drawn: an interval. Balls decide the rounded values from the intervals;
where they do not, more bits are drawn, and none is ever drawn again. So the result has exactly the law of the rounded
real vector. Floating point decides nothing. Proof: docs/proofs/synthbounds.lattice-noise.md.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from flint import arb, fmpq

from bounds.enclosure import as_fmpq, precision

BitSource: TypeAlias = Callable[[int], int]
"""A number of independent fair bits, as an integer."""

_SPARE_BITS = 64
"""First prefixes are so long that a second round is needed with a probability of about 2 to the minus this."""


class LazyUniform:
    """A uniform number in [0, 1] known to lie in [numerator, numerator + 1] / 2^bits."""

    __slots__ = ("_draw", "bits", "numerator")

    def __init__(self, draw: BitSource) -> None:
        self._draw = draw
        self.numerator, self.bits = 0, 0

    def extend(self, bits: int) -> None:
        """Draw bits until there are as many; those already drawn stay."""
        more = bits - self.bits
        if more > 0:
            self.numerator = (self.numerator << more) | self._draw(more)
            self.bits = bits

    def ball(self) -> arb:
        """The interval, without loss."""
        return arb((2 * self.numerator + 1, -self.bits - 1), (1, -self.bits - 1))

    def signed_ball(self) -> arb:
        """The interval of twice the number minus one, which is uniform in [-1, 1]."""
        return arb((2 * self.numerator + 1 - (1 << self.bits), -self.bits), (1, -self.bits))


def sample_cube(count: int, *, scale: Fraction) -> list[int]:
    """Integers with the law of round(z), z of density proportional to exp(-|z|_inf / scale) in `count` dimensions.

    There is no parameter for the randomness: it comes from the operating system.
    """
    radius = [LazyUniform(secrets.randbits) for _ in range(count + 1)]
    direction = [LazyUniform(secrets.randbits) for _ in range(count)]
    # Values reach about scale * count, and the errors of count + 1 logarithms add up.
    size = int(scale * count + count + 2).bit_length() + (count + 1).bit_length()
    return _round_cube(radius, direction, as_fmpq(scale), first_bits=_SPARE_BITS + 2 * size)


def _round_cube(
    radius: Sequence[LazyUniform], direction: Sequence[LazyUniform], scale: fmpq, *, first_bits: int
) -> list[int]:
    """round(r u_i) for all i, with r = -scale * (sum of the logarithms of `radius`) and u_i = 2 direction_i - 1."""
    found: list[int | None] = [None] * len(direction)
    open_ones = list(range(len(direction)))
    bits = first_bits
    while open_ones:
        for uniform in radius:
            uniform.extend(bits)
        for i in open_ones:
            direction[i].extend(bits)
        with precision(bits + 32):
            r = _gamma(radius, scale)
            if r is not None:
                for i in open_ones:
                    found[i] = _rounded(r * direction[i].signed_ball())
        open_ones = [i for i in open_ones if found[i] is None]
        bits *= 2
    return [value for value in found if value is not None]


def _gamma(uniforms: Sequence[LazyUniform], scale: fmpq) -> arb | None:
    """A ball for scale times a sum of exponential variables; None while a uniform number may still be 0."""
    if any(uniform.numerator == 0 for uniform in uniforms):
        return None
    total = arb(0)
    for uniform in uniforms:
        total -= uniform.ball().log()
    return total * scale


def _rounded(z: arb) -> int | None:
    """The nearest integer to every number of a ball, or None if they do not share it."""
    whole = (z + fmpq(1, 2)).floor().unique_fmpz()
    return None if whole is None else int(whole)
