"""How near discrete Gaussian noise is to continuous Gaussian noise, by a coupling of the two.

They can be drawn together, never further apart than a little more than half a step, except with a stated probability.
So a sum of noise on a lattice is a Gaussian number plus a bounded error, whatever the steps are multiplied by. Proof:
docs/proofs/synthbounds.noisy-proportion.md (d, e).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt

from flint import arb

from bounds.certify.inputs import rounded_up
from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.special import theta

_BITS = 160
_FEW, _MANY, _LARGE = 8, 12, 10**10
"""Deviations at which both distributions are cut off, with 1e-15 and 1e-32 beyond; many if the variance is large."""
_LEAST_EXCESS, _MOST_EXCESS, _STEP = Fraction(1, 20), Fraction(19, 10), Fraction(1, 200)


@dataclass(frozen=True, kw_only=True)
class Coupling:
    """Except with probability `failure`, the two numbers are at most `distance` apart, in steps."""

    distance: Fraction
    failure: Fraction


@lru_cache(maxsize=4096)
def gaussian_coupling(variance: Fraction) -> Coupling:
    """Of D with P(D = k) in proportion to exp(-k^2/(2 variance)) on the integers, and G, Gaussian of that variance."""
    deviations = _FEW if variance < _LARGE else _MANY
    cut = isqrt(ceil(deviations**2 * variance)) + 1
    excess = max(_LEAST_EXCESS, _on_grid(Fraction(cut + 1, 24) / variance))
    with precision(_BITS):
        v = arb(as_fmpq(variance))
        beyond = (cut / (2 * v).sqrt()).erfc()
        failure = rounded_up(Enclosure.of(2 * beyond).hi)
        while excess <= _MOST_EXCESS:
            if _is_proved(v, beyond, cut, excess):
                return Coupling(distance=Fraction(1, 2) + excess, failure=failure)
            excess += _STEP
    # so little noise that neither of them is further from 0 than this
    return Coupling(distance=Fraction(2 * cut), failure=failure)


def _is_proved(v: arb, beyond: arb, cut: int, excess: Fraction) -> bool:
    """The two conditions of (d), each at the integers where it is hardest to meet."""
    delta = arb(as_fmpq(excess))
    # sums of the two laws, cut off, have a ratio from 1 - beyond to `most`
    most = theta(2 * arb.pi() ** 2 * v) / (1 - beyond)
    inner = (2 * delta - arb(1) / 12 - delta**2) / (2 * v)
    outer = [k * delta / v - arb(k) ** 2 / (24 * v**2) for k in (1, cut)]
    return bool(inner >= -(1 - beyond).log()) and all(bool(value >= most.log()) for value in outer)


@lru_cache(maxsize=4096)
def distance_of_sum(variance: Fraction, count: int) -> Fraction:
    """Of the sum of this many discrete Gaussian numbers from a single one of the same variance, in total variation."""
    if count == 1:
        return Fraction(0)
    with precision(_BITS):
        ripple = theta(arb.pi() ** 2 * arb(as_fmpq(variance))) - 1
        if not ripple < 1:
            return Fraction(1)
        return min(Fraction(1), rounded_up(Enclosure.of((count - 1) * 2 * ripple / (1 - ripple)).hi))


def _on_grid(value: Fraction) -> Fraction:
    """The next multiple of a step."""
    return -(-value // _STEP) * _STEP
