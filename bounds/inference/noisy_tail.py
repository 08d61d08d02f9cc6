"""P(N + Z >= x) for a binomial N and independent noise Z, enclosed: a sum over a band of counts, the rest by two tails.

Counts above the band succeed with nearly all noise, those below with nearly none; the incomplete beta function gives
their probability. A wide band is summed in blocks, on which the tail of Gaussian noise is a line with a proved error.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor, log, sqrt

from flint import arb, ctx, fmpq

from bounds.enclosure import Enclosure, Undecided, as_fmpq, precision, with_growing_precision
from bounds.inference.noise_laws import Gaussian, NoiseLaw, NoNoise

_BITS = 80
_BAND = 1e-16
"""About the probability left outside the band."""
_LONG_BAND, _BLOCK = 6000, Fraction(1, 150)
"""A longer band is summed in blocks of this many deviations of the noise."""
_NOTHING = arb(2) ** -900
_CURVATURE = Fraction(121, 500)
"""At least the largest |u| phi(u), which is phi(1) = 0.24197: the second derivative of a Gaussian tail."""


def binomial_noise_tail(*, n: int, p: Fraction, x: Fraction, noise: NoiseLaw) -> Enclosure:
    """P(N + Z >= x), N ~ Bin(n, p)."""
    return with_growing_precision(lambda: enclosed(_tail(n, as_fmpq(p), as_fmpq(x), noise)), start=_BITS)[0]


def enclosed(probability: arb) -> Enclosure:
    """Exact ends; those of a number like exp(-10^7) would be too long to be written down."""
    return Enclosure.of(arb(0, 2.0**-900) if abs(probability) < _NOTHING else probability)


def _tail(n: int, p: fmpq, x: fmpq, noise: NoiseLaw) -> arb:
    if p == 0 or p == 1:
        return noise.at_least(x - n * p)
    if isinstance(noise, NoNoise):
        return at_least(n, p, int(-((-x.numer()) // x.denom())))
    first, last = band(n, float(p), float(Fraction(int(x.numer()), int(x.denom()))), noise)
    below, above = 1 - at_least(n, p, first), at_least(n, p, last + 1)
    outside = _between(arb(0), noise.at_least(x - first) * below) + _between(noise.at_least(x - last) * above, above)
    if last - first > _LONG_BAND and isinstance(noise, Gaussian):
        return outside + _sum_of_blocks(n, p, x, noise, first, last)
    return outside + sum_over(n, p, first, last, lambda j: noise.at_least(x - j))


def band(n: int, p: float, x: float, noise: NoiseLaw) -> tuple[int, int]:
    """Counts that matter and for which noise matters: any band is valid, this one leaves almost nothing outside."""
    reach, spread = noise.reach(_BAND), sqrt(-2 * log(_BAND) * max(n * p * (1 - p), 1)) - log(_BAND)
    first = min(n, max(0, floor(max(x - reach, n * p - spread))))
    last = min(n, max(first, ceil(min(x + reach, n * p + spread))))
    return first, last


def at_least(n: int, p: fmpq, k: int) -> arb:
    """P(N >= k)."""
    if k <= 0:
        return arb(1)
    if k > n:
        return arb(0)
    value = arb(p).beta_lower(arb(k), arb(n - k + 1), regularized=1)
    if not value.is_finite() or value.rad() > arb(2) ** (-ctx.prec // 2):
        raise Undecided
    return value


def point(n: int, p: fmpq, k: int) -> arb:
    """P(N = k)."""
    bits = ctx.prec
    with precision(bits + 2 * n.bit_length() + 16):
        chosen = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
        value = (chosen + k * arb(p).log() + (n - k) * arb(1 - p).log()).exp()
    return +value


def sum_over(n: int, p: fmpq, first: int, last: int, weight: Callable[[int], arb]) -> arb:
    """The sum of P(N = j) weight(j) from `first` to `last`."""
    here, odds, total = point(n, p, first), arb(p / (1 - p)), arb(0)
    for j in range(first, last + 1):
        total += here * weight(j)
        here = here * odds * (n - j) / (j + 1)
    return total


def _sum_of_blocks(n: int, p: fmpq, x: fmpq, noise: Gaussian, first: int, last: int) -> arb:
    """The same with the tail of the noise a line on each block: Taylor's remainder is in the ball."""
    deviation = arb(as_fmpq(noise.variance)).sqrt()
    half = max(1, int(float(noise.deviation_est) * float(_BLOCK) / 2))
    here, odds, total = point(n, p, first), arb(p / (1 - p)), arb(0)
    for start in range(first, last + 1, 2 * half + 1):
        end, centre = min(last, start + 2 * half), start + half
        mass, masses = arb(0), arb(0)
        for j in range(start, end + 1):
            mass += here
            masses += mass
            here = here * odds * (n - j) / (j + 1)
        moment = (end + 1 - centre) * mass - masses  # of j - centre
        u = (x - centre) / deviation
        slope = (-u * u / 2).exp() / (2 * arb.pi()).sqrt() / deviation
        error = as_fmpq(_CURVATURE) * (half / deviation) ** 2 / 2
        total += (noise.at_least(x - centre) + arb(0, error.upper())) * mass + slope * moment
    return total


def _between(low: arb, high: arb) -> arb:
    found: arb = low.union(high)
    return found
