"""A uniform number of which only a prefix of the bits has been drawn: the start of every exact sampler here.

The samplers do the same work whatever the result: a fixed number of bits and of functions of balls, once. If a ball
does not decide, more bits are drawn; the probability of this is about 2 to the minus `SPARE_BITS`. So the time says
next to nothing about the size of the noise, or about what it decides. Measured: python -m benchmarks.noise_timing.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from flint import arb

BitSource: TypeAlias = Callable[[int], int]
"""A number of independent fair bits, as an integer."""

SPARE_BITS = 64
"""First prefixes are longer by this than required."""
_FAR = 64


class LazyUniform:
    """A uniform number in [0, 1] known to lie in [numerator, numerator + 1] / 2^bits."""

    __slots__ = ("_draw", "bits", "numerator")

    def __init__(self, draw: BitSource) -> None:
        self._draw = draw
        self.numerator, self.bits = 0, 0

    def extend(self, bits: int) -> None:
        """Draw bits until there are this many; those already drawn stay."""
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

    def minus_log(self) -> arb:
        """A ball for minus the logarithm, which has the exponential distribution.

        Near 1 a logarithm would be computed with more digits. Far from it, none is treated differently.
        """
        far = arb((2 * self.numerator + 1, -self.bits - 1 - _FAR), (1, -self.bits - 1 - _FAR))
        return -far.log() - _FAR * arb.const_log2()


def common_floor(z: arb, *, width: int) -> int | None:
    """The largest integer below every number of a ball, or None if they do not share it or the ball has no end.

    Numbers below 2^width in size, which is public, become whole at the same length, as near 0 it would be
    faster.
    """
    whole = (z + (1 << width)).floor().unique_fmpz()
    return None if whole is None else int(whole) - (1 << width)


def width_of(scale: Fraction) -> int:
    """Enough for all but very rare multiples of a Gaussian or exponential number."""
    return int(scale + 1).bit_length() + 5
