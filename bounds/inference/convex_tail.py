"""A bound on P(mean of n records + noise >= x) that holds for every number of records from a least one on.

The mean of more records is smaller in the convex order, and (y - h)+ / (x - h) is convex in y and at least 1 from x
on; so its mean at the least number bounds the tail at every larger one, for every h < x. An h is chosen that makes it
small.
Proof: docs/proofs/synthbounds.noisy-proportion.md (c).
"""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, pi, sqrt

from flint import arb, fmpq

from bounds.enclosure import Enclosure, as_fmpq, with_growing_precision
from bounds.errors import NotApplicable
from bounds.inference.noise_laws import Gaussian, NoiseLaw
from bounds.inference.noisy_tail import at_least, band, enclosed, sum_over

_BITS = 80


def mean_excess_bound(*, n: int, p: Fraction, x: Fraction, noise: NoiseLaw) -> Enclosure:
    """At least P(n S/m + Z >= x) for S ~ Bin(m, p) and every m >= n, Z Gaussian; grows with p."""
    if not isinstance(noise, Gaussian):
        raise NotApplicable("an interval for the population with a private number of records needs Gaussian noise")
    h = _threshold(n, float(p), float(x), noise.deviation_est)

    def bound() -> arb:
        value = _mean_excess(n, as_fmpq(p), as_fmpq(h), noise) / as_fmpq(x - h)
        return value.min(arb(1))

    return with_growing_precision(lambda: enclosed(bound()), start=_BITS)[0]


def _mean_excess(n: int, p: fmpq, h: fmpq, noise: Gaussian) -> arb:
    """E(N + Z - h)+ from above, sharp but for what lies outside a band."""
    deviation = arb(as_fmpq(noise.variance)).sqrt()

    def excess(j: int) -> arb:
        u = (h - j) / deviation
        return deviation * (-u * u / 2).exp() / (2 * arb.pi()).sqrt() - (h - j) * noise.at_least(h - j)

    if p == 0 or p == 1:
        return excess(int(n * p))
    first, last = band(n, _float(p), _float(h), noise)
    below = (1 - at_least(n, p, first)) * excess(first)
    # From the band's end on, excess(j) is j - h and a rest that falls; j P(N = j) is n p times the law of n - 1.
    more = at_least(n, p, last + 1)
    above = n * p * at_least(n - 1, p, last) - more * arb(h) + more * (excess(last) - (last - h))
    return sum_over(n, p, first, last, excess) + below + (above if last < n else 0)


def _float(value: fmpq) -> float:
    return float(Fraction(int(value.p), int(value.q)))


def _threshold(n: int, p: float, x: float, noise: float) -> Fraction:
    """The h at which the bound for a Gaussian number of the same variance is least, about: any h below x is valid."""
    mean, deviation = n * p, sqrt(n * p * (1 - p) + noise**2)
    score = (x - mean) / deviation

    def bound(t: float) -> float:
        density, tail = exp(-t * t / 2) / sqrt(2 * pi), erfc(t / sqrt(2)) / 2
        return (density - t * tail) / (score - t)

    low, high = score - 8.0, score - 1e-3
    for _ in range(60):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if bound(a) < bound(b) else (a, high)
    return min(Fraction(mean + deviation * low), x_below(x))


def x_below(x: float) -> Fraction:
    """A little below x, where the division is safe."""
    return Fraction(x) - Fraction(abs(x) + 1) / 10**9
