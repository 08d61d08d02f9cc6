"""How far the share in a sample is from that in the population, for every number of records from a least one on.

Chernoff's bound P(share >= s) <= exp(-n kl(s, p)) for p <= s only gets smaller with n.
Proof: docs/proofs/synthbounds.noisy-proportion.md (g).
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.certify.inputs import probability
from bounds.enclosure import as_fmpq, precision

_BITS = 96
_DIGITS = 10**12


def kl_interval(*, least: Fraction, most: Fraction, n: int, failure: Fraction) -> tuple[Fraction, Fraction]:
    """Around p if the share in a sample of n records or more is in [least, most]; each end fails with `failure`."""
    chance = probability("failure", failure)
    return _lower(least, n, chance), 1 - _lower(1 - most, n, chance)


def _lower(share: Fraction, n: int, failure: Fraction) -> Fraction:
    """The largest multiple of 1e-12 at which n kl(share, p) >= log(1/failure) is proved, or 0."""
    with precision(_BITS):
        goal = -arb(as_fmpq(failure)).log()
        low, high = 0, int(share * _DIGITS)
        while high - low > 1:
            middle = (low + high) // 2
            far = n * _kl(share, Fraction(middle, _DIGITS)) >= goal
            low, high = (middle, high) if far else (low, middle)
        return Fraction(low, _DIGITS)


def _kl(s: Fraction, p: Fraction) -> arb:
    """s log(s/p) + (1 - s) log((1 - s)/(1 - p)), for 0 < p < s <= 1."""
    first = arb(as_fmpq(s)) * arb(as_fmpq(s / p)).log()
    return first if s == 1 else first + arb(as_fmpq(1 - s)) * arb(as_fmpq((1 - s) / (1 - p))).log()
