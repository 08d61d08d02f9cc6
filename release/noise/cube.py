"""Exact sampler of l_inf noise rounded to integers, from the randomness of the operating system.

The noise is round(r u) with r Gamma distributed and u uniform on a cube. Every uniform number behind it is an infinite
sequence of bits of which only a prefix has been drawn: an interval. Balls decide the rounded values from the intervals;
if they do not, more bits are drawn, and none is ever redrawn. So the result has exactly the distribution of the rounded
real vector. Floating point decides nothing. Proof: docs/proofs/synthbounds.lattice-noise.md.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from fractions import Fraction

from flint import arb, fmpq

from bounds.enclosure import as_fmpq, precision
from release.noise.uniform import SPARE_BITS, LazyUniform, common_floor


def sample_cube(count: int, *, scale: Fraction) -> list[int]:
    """Integers distributed as round(z), z of density proportional to exp(-|z|_inf / scale) in `count` dimensions.

    There is no parameter for the randomness: it comes from the operating system.
    """
    radius = [LazyUniform(secrets.randbits) for _ in range(count + 1)]
    direction = [LazyUniform(secrets.randbits) for _ in range(count)]
    # Values reach about scale * count, and the errors of count + 1 logarithms add up.
    size = int(scale * count + count + 2).bit_length() + (count + 1).bit_length()
    return _round_cube(radius, direction, as_fmpq(scale), first_bits=SPARE_BITS + 2 * size)


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
                    found[i] = common_floor(r * direction[i].signed_ball() + fmpq(1, 2), width=0)
        open_ones = [i for i in open_ones if found[i] is None]
        bits *= 2
    return [value for value in found if value is not None]


def _gamma(uniforms: Sequence[LazyUniform], scale: fmpq) -> arb | None:
    """A ball for scale times a sum of exponential variables; None while a uniform number may still be 0."""
    if any(uniform.numerator == 0 for uniform in uniforms):
        return None
    total = arb(0)
    for uniform in uniforms:
        total += uniform.minus_log()
    return total * scale
