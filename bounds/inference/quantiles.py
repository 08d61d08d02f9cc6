"""Quantiles of noise: numbers that it exceeds with at most a stated probability, rounded up."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.certify.inputs import probability, rounded_up
from bounds.certify.radii import normal_interval
from bounds.enclosure import Enclosure, as_fmpq, with_growing_precision
from bounds.errors import NotCertified
from bounds.exact import root_at_least
from bounds.inference.noise_laws import Gaussian, NoiseLaw, NoNoise
from bounds.inference.noisy_tail import enclosed

_BITS = 80
_STEPS = 60


def noise_quantile(noise: NoiseLaw, failure: Fraction) -> Fraction:
    """A q with P(noise > q) <= failure < 1/2, little above the least."""
    chance = probability("failure", failure)
    if isinstance(noise, NoNoise):
        return Fraction(0)
    if isinstance(noise, Gaussian):
        return rounded_up(normal_interval(2 * chance) * root_at_least(noise.variance))
    low, high = Fraction(0), rounded_up(Fraction(noise.reach(float(chance))))
    if not _is_rare(noise, high, chance):
        raise NotCertified(f"noise of deviation {noise.deviation_est:.4g}: no quantile was proved")
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if _is_rare(noise, middle, chance) else (middle, high)
        if high - low <= high / 10**10:
            break
    return rounded_up(high)


def sub_gaussian_quantile(variance: Fraction, failure: Fraction) -> Fraction:
    """A q with P(|Z| >= q) <= failure for every Z with E exp(h Z) <= exp(h^2 variance/2): q^2 = 2 variance log(2/f)."""
    chance = as_fmpq(probability("failure", failure))

    def root() -> Enclosure:
        return Enclosure.of((2 * arb(as_fmpq(variance)) * (2 / arb(chance)).log()).sqrt())

    return rounded_up(with_growing_precision(root, start=_BITS)[0].hi)


def _is_rare(noise: NoiseLaw, x: Fraction, failure: Fraction) -> bool:
    tail = with_growing_precision(lambda: enclosed(noise.at_least(as_fmpq(x))), start=_BITS)[0]
    return tail.hi <= failure
