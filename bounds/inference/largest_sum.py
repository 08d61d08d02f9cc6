"""The mean of the sum of the largest eigenvalues of a symmetric Gaussian matrix, bounded from above.

W is as in `bounds.certify.goe`. For every x the k largest eigenvalues add up to at most k x plus the excess of all
eigenvalues above x. The mean of that excess is the integral of their expected number beyond; left sums bound it, since
the number falls. Proof: docs/proofs/synthbounds.noisy-spectrum.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from flint import arb

from bounds.certify.goe import eigenvalues_above
from bounds.certify.inputs import positive_dimension, rounded_up
from bounds.enclosure import Enclosure, Undecided, precision, with_growing_precision
from bounds.errors import ParameterError

LARGEST_ORDER = 100
"""Above it the mean of the largest eigenvalue, at most sqrt(2p), is taken as often."""
_STEPS = 32
"""Of the sums, in a unit."""
_BEYOND = 9
"""How far above sqrt(2p) sums go; from there on the tail of the largest eigenvalue bounds the rest."""
_START_BITS = 96


def mean_of_largest(dimension: int, rank: int) -> Fraction:
    """A bound on the mean of the sum of this many largest eigenvalues of W, rounded up to 12 digits.

    >>> 4.7 < float(mean_of_largest(14, 1)) < 4.8
    True
    """
    p = positive_dimension(dimension)
    if not 1 <= rank <= p:
        raise ParameterError("rank", rank, f"from 1 to {p}")
    few = min(rank, p - rank)  # the mean of all eigenvalues is zero, and -W has the law of W
    return _mean_cached(p, few) if few else Fraction(0)


@lru_cache(maxsize=256)
def _mean_cached(p: int, rank: int) -> Fraction:
    with precision(_START_BITS):
        crude = rounded_up(Enclosure.of(rank * arb(2 * p).sqrt()).hi)
    if p > LARGEST_ORDER:
        return crude
    found, _ = with_growing_precision(lambda: _by_sums(p, rank), start=_START_BITS)
    return min(crude, rounded_up(found))


def _by_sums(p: int, rank: int) -> Fraction:
    """From the right: sums grow until more than `rank` eigenvalues are expected beyond."""
    edge = arb(2 * p).sqrt()
    place = (isqrt(2 * p) + 1 + _BEYOND) * _STEPS
    far = arb(place) / _STEPS - edge
    total = p * (-far * far / 2).exp() / far
    best = total + rank * arb(place) / _STEPS
    while place > -_STEPS * _BEYOND:
        place -= 1
        x = arb(place) / _STEPS
        beyond = eigenvalues_above(p, x)
        if not beyond.rad() < arb(2) ** -20:
            raise Undecided
        total += beyond / _STEPS
        candidate = total + rank * x
        if not candidate < best:
            break
        best = candidate
    return Enclosure.of(best).hi
