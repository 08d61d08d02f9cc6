"""Exact sampler of a Gaussian variable rounded to the nearest integer, from the randomness of the operating system.

The distribution is P(k) = Phi((k + 1/2)/sd) - Phi((k - 1/2)/sd) for every integer k, exactly. For two uniform numbers u
and v, z = sd sqrt(-2 log u) cos(2 pi v - 5 pi/4) is Gaussian (Box and Muller). Only prefixes of their bits are drawn:
they lie in intervals, a ball encloses z for all numbers of these, and if they do not all round to the same integer more
bits are drawn, none ever redrawn. Ends of cells have probability 0. Floating point decides nothing. The functions take
nearly the same time for all u and v, unlike the inverse of the error function. Angles near the axes are faster: they
give neither the largest nor the smallest numbers, as the cosine is turned by an eighth. `LazyGaussian` can be asked
again for the same number, more finely: more bits are drawn, and the others stay. Proof:
docs/proofs/synthbounds.moment-release.md.
"""

from __future__ import annotations

import secrets
from fractions import Fraction

from flint import fmpq

from bounds.enclosure import as_fmpq, precision
from bounds.errors import ParameterError
from release.noise.uniform import SPARE_BITS, BitSource, LazyUniform, common_floor, width_of

_MORE_PRECISION = 32


def rounded_gaussian(sd: Fraction, count: int) -> list[int]:
    """Independent integers distributed as round(z), z Gaussian with mean 0 and this standard deviation.

    There is no parameter for the randomness: it comes from the operating system.
    """
    return _draw_all(sd, count, secrets.randbits)


def lazy_gaussians(count: int) -> list[LazyGaussian]:
    """Independent Gaussian numbers of deviation 1, from the operating system, drawn only as far as requested."""
    return [LazyGaussian(secrets.randbits) for _ in range(count)]


class LazyGaussian:
    """One Gaussian number of deviation 1, known to as many bits as were requested."""

    __slots__ = ("_angle", "_radius")

    def __init__(self, draw: BitSource) -> None:
        self._radius, self._angle = LazyUniform(draw), LazyUniform(draw)

    def rounded(self, sd: Fraction) -> int:
        """The nearest integer to `sd` times the number, which stays the same for every `sd`."""
        return self._nearest(sd, _first_bits(sd))

    def _nearest(self, sd: Fraction, bits: int) -> int:
        scale, width = as_fmpq(sd), width_of(sd)
        while True:
            self._radius.extend(bits)
            self._angle.extend(bits)
            with precision(max(bits, self._radius.bits) + _MORE_PRECISION):
                found = _rounded(self._radius, self._angle, scale, width)
            if found is not None:
                return found
            bits *= 2


def _draw_all(sd: Fraction, count: int, draw: BitSource) -> list[int]:
    if not isinstance(sd, Fraction) or sd <= 0:
        raise ParameterError("sd", sd, "a Fraction greater than 0")
    if count < 0:
        raise ParameterError("count", count, "at least 0")
    first_bits = _first_bits(sd)
    return [_draw_one(sd, draw, first_bits) for _ in range(count)]


def _first_bits(sd: Fraction) -> int:
    return SPARE_BITS + int(sd + 1).bit_length()


def _draw_one(sd: Fraction, draw: BitSource, first_bits: int) -> int:
    return LazyGaussian(draw)._nearest(sd, first_bits)


def _rounded(radius: LazyUniform, angle: LazyUniform, sd: fmpq, width: int) -> int | None:
    """The nearest integer to z for all u and v of the intervals, or None if they do not share it."""
    # Balls of u that reach 0 or 1 have no logarithm, or no root of it: more bits decide.
    sine, cosine = angle.signed_ball().sin_cos_pi()
    # cosine + sine is sqrt 2 times the cosine of the angle less an eighth of a turn
    return common_floor(sd * radius.minus_log().sqrt() * (cosine + sine) + fmpq(1, 2), width=width)
