"""Noise from numpy, for simulations only: its low bits reveal the data, so nothing here may be released.

Streams are Philox generators, keyed by the seed and counted by run and step, so that neither order nor workers matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import expm1
from typing import TYPE_CHECKING

import numpy as np

from release.noise.kinds import Noise
from release.noise.randomness import Randomness, read_randomness

if TYPE_CHECKING:
    from numpy.typing import NDArray


def stream_of(randomness: Randomness) -> np.random.Generator:
    """The given stream, or that of one step of a run; those of different runs or steps do not overlap."""
    if randomness.stream is not None:
        return randomness.stream
    assert randomness.seed is not None
    return np.random.Generator(np.random.Philox(key=randomness.seed, counter=[0, 0, randomness.step, randomness.run]))


def standard_gaussian(count: int, *, seed: int) -> list[float]:
    """This many independent standard Gaussian numbers."""
    found: list[float] = stream_of(read_randomness("simulate", seed=seed)).standard_normal(count).tolist()
    return found


def simulated_gaussians(count: int, randomness: Randomness) -> list[float]:
    """The same from the stream of a run."""
    found: list[float] = stream_of(randomness).standard_normal(count).tolist()
    return found


def simulated_geometric(rate: Fraction, count: int, randomness: Randomness) -> list[int]:
    """Whole numbers X with approximately P(X >= k) = exp(-k rate); see release.noise.geometric."""
    found: list[int] = (stream_of(randomness).geometric(-expm1(-float(rate)), size=count) - 1).tolist()
    return found


def simulated_exponential(
    rate: Fraction, scores: Sequence[int], randomness: Randomness, *, count: int = 1
) -> tuple[int, ...]:
    """Different places, each among those left with probability approximately proportional to exp(rate score).

    The largest after Gumbel noise, in order, have this distribution.
    """
    best = max(scores)
    utilities = float(rate) * np.array([float(score - best) for score in scores])
    noisy = utilities + stream_of(randomness).gumbel(size=len(scores))
    return tuple(np.argsort(-noisy, kind="stable")[:count].tolist())


def with_simulated_noise(
    noise: Noise, values: Sequence[int], randomness: Randomness
) -> tuple[int, ...] | tuple[float, ...]:
    """The values with continuous noise, which is rounded only if the kind says so."""
    stream = stream_of(randomness)
    if noise.kind == "rounded-gaussian":
        scales = noise.scales if isinstance(noise.scales, tuple) else (noise.scales,) * noise.count
        standard = stream.standard_normal(noise.count).tolist()
        return tuple(int(value) + round(float(sd) * z) for value, sd, z in zip(values, scales, standard, strict=True))
    exact = np.array([float(value) for value in values])
    return tuple((exact + continuous_noise(noise, stream)).tolist())


def continuous_noise(noise: Noise, stream: np.random.Generator) -> NDArray[np.float64]:
    """Continuous noise of this kind, with the same scale everywhere."""
    assert not isinstance(noise.scales, tuple)
    scale, count = float(noise.scales), noise.count
    if noise.kind == "laplace":
        return stream.laplace(scale=scale, size=count)
    if noise.kind == "linf":
        radius = scale * stream.gamma(count + 1)
        return radius * stream.uniform(-1, 1, size=count)
    return stream.normal(scale=scale, size=count)
