"""Continuous noise from numpy, for simulations only: its low bits betray the data, so nothing here may be released.

Streams are Philox generators, keyed by the seed and counted by the run, so that neither order nor workers matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def run_generator(*, seed: int, run: int) -> np.random.Generator:
    """The stream of one run; streams of different runs do not overlap."""
    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, run]))


def continuous_laplace(sums: Sequence[int], *, scale: Fraction, generator: np.random.Generator) -> NDArray[np.float64]:
    """Sums with independent Laplace noise of that scale."""
    exact = np.array([float(value) for value in sums])
    return exact + generator.laplace(scale=float(scale), size=exact.size)
