"""The one place where noise is drawn, for releases and for simulations: values in, noisy values out, once.

This module only chooses; exact noise is in release.noise.exact, that of simulations in release.noise.simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from bounds.errors import DataError, UsageError
from release.noise.kinds import Noise
from release.noise.randomness import Randomness

Finer: TypeAlias = Callable[[int], list[int]]
"""Numbers that are drawn once: of `bits`, the nearest multiples of 2^-bits to them, in these multiples."""


def draw(noise: Noise, values: Sequence[int], randomness: Randomness) -> tuple[int, ...] | tuple[float, ...]:
    """The values with noise: integers, or floats for simulated noise of kinds other than `rounded-gaussian`."""
    require_fitting(noise, values, randomness)
    if randomness.is_simulated:
        from release.noise.simulated import with_simulated_noise

        return with_simulated_noise(noise, values, randomness)
    from release.noise.exact import with_exact_noise

    return with_exact_noise(noise, values)


def draw_geometric(rate: Fraction, count: int, randomness: Randomness) -> list[int]:
    """Whole numbers X with P(X >= k) = exp(-k rate) for every k >= 0, for choices."""
    if randomness.is_simulated:
        from release.noise.simulated import simulated_geometric

        return simulated_geometric(rate, count, randomness)
    from release.noise.geometric import geometric

    return geometric(rate, count)


def draw_exponential(
    rate: Fraction, scores: Sequence[int], randomness: Randomness, *, count: int = 1
) -> tuple[int, ...]:
    """Different places, each among those left with probability proportional to exp(rate score)."""
    if randomness.is_simulated:
        from release.noise.simulated import simulated_exponential

        return simulated_exponential(rate, scores, randomness, count=count)
    from release.noise.exponential import exponential

    return exponential(rate, scores, count=count)


def draw_gaussians(sd: Fraction, count: int, randomness: Randomness) -> Finer:
    """Gaussian numbers with mean 0 and this standard deviation, to any number of bits: noise added to nothing."""
    if randomness.is_simulated:
        from release.noise.simulated import simulated_gaussians

        exact = [Fraction(z) * sd for z in simulated_gaussians(count, randomness)]
        return lambda bits: [round(z * 2**bits) for z in exact]
    from release.noise.rounded_gaussian import lazy_gaussians

    lazy = lazy_gaussians(count)
    return lambda bits: [z.rounded(sd * 2**bits) for z in lazy]


def require_fitting(noise: Noise, values: Sequence[int], randomness: Randomness) -> None:
    """Refuse noise for another number of values, or for the other mode."""
    if len(values) != noise.count:
        raise DataError(f"values: {len(values)} numbers for noise on {noise.count}")
    if noise.mode != randomness.mode:
        raise UsageError(f"mode = {noise.mode}: this noise is not for mode = {randomness.mode}")
