"""Noise scales: the exact one for a privacy budget, and the double above it that an exact sampler is given.

The samplers of OpenDP take a double and state the privacy spent rounded upwards. The scale is therefore rounded up
with a little room, so that their statement is within the budget, too. Proof: docs/proofs/synthbounds.lattice-noise.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

from bounds.errors import ParameterError

_ROOM = Fraction(1, 2**46)
"""Relative room for the few upward roundings, of 2^-52 each, by which a sampler's own statement is larger."""
LARGEST_SUM = 2**62
"""Sums must fit into 64 bits. The samplers saturate there, which only brings a noisy sum nearer to the true one."""
LARGEST_SCALE = Fraction(2) ** 80


def double_at_least(value: Fraction) -> float:
    """The smallest double that is not below a positive number."""
    found = float(value)  # correctly rounded
    return found if Fraction(found) >= value else math.nextafter(found, math.inf)


def sampler_scale(exact: Fraction) -> Fraction:
    """A double, written exactly, that is above the scale by a relative 2^-46 or a little more."""
    if not 0 < exact <= LARGEST_SCALE:
        raise ParameterError("scale", "sensitivity / epsilon", "above 0 and at most 2^80")
    return Fraction(double_at_least(exact * (1 + _ROOM)))
