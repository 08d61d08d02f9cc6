"""Exact sampler of a Gaussian variable rounded to the nearest integer, from the randomness of the operating system.

The law is P(k) = Phi((k + 1/2)/sd) - Phi((k - 1/2)/sd) for every integer k, exactly. For a uniform number u and a fair
sign, z = sign * sd * sqrt(2) * erfcinv(u) is Gaussian, since P(|z| > t) = erfc(t / (sd sqrt 2)). Only a prefix of the
bits of u is drawn: u lies in an interval, a ball encloses z for every number of it, and where they do not all round to
the same integer more bits are drawn, none ever again. Ends of cells have probability 0. Floating point decides nothing.
`LazyGaussian` can be asked again for the same number, more finely: more bits of u are drawn, and the others stay.
Proof: docs/proofs/synthbounds.moment-release.md.
"""

from __future__ import annotations

import secrets
from fractions import Fraction

from flint import arb, fmpq

from bounds.enclosure import as_fmpq, precision
from bounds.errors import ParameterError
from release.noise.cube import BitSource, LazyUniform

_SPARE_BITS = 48
"""First prefixes are so long that a second round is needed with a probability of about 2 to the minus this."""
_MORE_PRECISION = 24


def rounded_gaussian(sd: Fraction, count: int) -> list[int]:
    """Independent integers with the law of round(z), z Gaussian with mean 0 and that standard deviation.

    There is no parameter for the randomness: it comes from the operating system.
    """
    return _draw_all(sd, count, secrets.randbits)


def lazy_gaussians(count: int) -> list[LazyGaussian]:
    """Independent Gaussian numbers of deviation 1, from the operating system, of which as much is drawn as is asked."""
    return [LazyGaussian(secrets.randbits) for _ in range(count)]


class LazyGaussian:
    """One Gaussian number of deviation 1, known to as many bits as were asked for."""

    __slots__ = ("_negative", "_uniform")

    def __init__(self, draw: BitSource) -> None:
        self._negative, self._uniform = draw(1), LazyUniform(draw)

    def rounded(self, sd: Fraction) -> int:
        """The nearest integer to `sd` times the number, which stays the same for every `sd`."""
        return self._nearest(as_fmpq(sd), _first_bits(sd))

    def _nearest(self, sd: fmpq, bits: int) -> int:
        while True:
            self._uniform.extend(bits)
            with precision(max(bits, self._uniform.bits) + _MORE_PRECISION):
                size = _rounded_size(self._uniform, sd)
            if size is not None:
                return -size if self._negative else size
            bits *= 2


def _draw_all(sd: Fraction, count: int, draw: BitSource) -> list[int]:
    if not isinstance(sd, Fraction) or sd <= 0:
        raise ParameterError("sd", sd, "a Fraction greater than 0")
    if count < 0:
        raise ParameterError("count", count, "at least 0")
    scale, first_bits = as_fmpq(sd), _first_bits(sd)
    return [_draw_one(scale, draw, first_bits) for _ in range(count)]


def _first_bits(sd: Fraction) -> int:
    return _SPARE_BITS + int(sd + 1).bit_length()


def _draw_one(sd: fmpq, draw: BitSource, first_bits: int) -> int:
    return LazyGaussian(draw)._nearest(sd, first_bits)


def _rounded_size(uniform: LazyUniform, sd: fmpq) -> int | None:
    """round(|z|) for every u of the interval, or None where they do not share it."""
    # At u = 0 the size is infinite, which no ball encloses: more bits decide.
    if uniform.numerator == 0:
        return None
    size = uniform.ball().erfcinv() * arb(2 * sd * sd).sqrt()
    whole = (size + fmpq(1, 2)).floor().unique_fmpz()
    return None if whole is None else int(whole)
