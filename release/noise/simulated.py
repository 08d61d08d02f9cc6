"""Continuous noise from numpy, for simulations only: its low bits betray the data, so nothing here may be released.

Streams are Philox generators, keyed by the seed and counted by the run, so that neither order nor workers matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import UsageError
from bounds.exact import require_range
from release.noise.kinds import NoisePlan, NoisyAnswers
from release.noise.lattice import lattice_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray


def run_generator(*, seed: int, run: int) -> np.random.Generator:
    """The stream of one run; streams of different runs do not overlap."""
    require_range("seed", seed, seed, least=0, below=2**128)
    require_range("run", run, run, least=0, below=2**64)
    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, run]))


def standard_gaussian(count: int, *, seed: int, run: int) -> list[float]:
    """That many independent standard Gaussian numbers of one run."""
    found: list[float] = run_generator(seed=seed, run=run).standard_normal(count).tolist()
    return found


def continuous_laplace(sums: Sequence[int], *, scale: Fraction, generator: np.random.Generator) -> NDArray[np.float64]:
    """Sums with independent Laplace noise of that scale."""
    exact = np.array([float(value) for value in sums])
    return exact + generator.laplace(scale=float(scale), size=exact.size)


def simulate_answers(
    plan: NoisePlan, sums: Sequence[int], *, n: int, seed: int, run: int, anchor: Sequence[int] | None = None
) -> NoisyAnswers:
    """Noisy answers of one run; the plan must be one for simulations."""
    if plan.mode != "simulate":
        raise UsageError("mode = release: a release must not use simulated noise; draw it with release.noise.exact")
    exact = np.array([float(value) for value in lattice_sums(plan, sums, n=n, anchor=anchor)])
    noisy = exact + draw_noise(plan, run_generator(seed=seed, run=run))
    return NoisyAnswers(noisy=tuple(noisy.tolist()), plan=plan, simulated=True, spent=None)


def draw_noise(plan: NoisePlan, generator: np.random.Generator) -> NDArray[np.float64]:
    """Continuous noise of the plan, in lattice steps."""
    scale, count = float(plan.scale), plan.count
    if plan.mechanism == "laplace":
        return generator.laplace(scale=scale, size=count)
    if plan.mechanism == "gaussian":
        return generator.normal(scale=scale, size=count)
    radius = scale * generator.gamma(count + 1)
    return radius * generator.uniform(-1, 1, size=count)
