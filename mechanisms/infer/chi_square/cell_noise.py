"""The distribution of the noise of one cell, in records, and sums of such noise from a counted numpy stream.

A release has discrete noise on a lattice, a simulation continuous noise. These draws are used as noise in the simulated
tables of a test; they protect no one, and no release may use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp, expm1, sqrt
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from release.noise.kinds import NoisePlan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LawKind: TypeAlias = Literal["gaussian", "discrete-gaussian", "laplace", "discrete-laplace"]
_COARSE = 1000
"""From this deviation on, in steps, rounding continuous noise changes its variance by less than a ten-millionth."""
_ADDS_UP = 2
"""From this deviation on, in steps, sums of discrete Gaussian noise are discrete Gaussian but for 2e-17."""
_NEARLY_NORMAL = 2
"""From this deviation on, in steps, a sum of four cells leaves an interval of level 95 % in at most 6.5 % of cases."""
_TAIL = 9
"""Deviations beyond which discrete Gaussian noise has a weight of less than 1e-18."""


@dataclass(frozen=True, kw_only=True)
class CellNoise:
    """Independent noise of every cell: `scale` is the deviation of Gaussian and b of Laplace noise, in steps."""

    kind: LawKind
    scale: float
    step: float
    """The lattice step, in records."""
    is_whole: bool = True
    """Whether this noise is the only error of a cell: there is no rounding of unknown distribution, for example."""

    @property
    def variance(self) -> float:
        """The variance, in squared records."""
        return self.step**2 * self._variance_in_steps()

    @property
    def deviation(self) -> float:
        return sqrt(self.variance)

    @property
    def is_nearly_normal(self) -> bool:
        return self.kind == "gaussian" or (self.kind == "discrete-gaussian" and self.scale >= _NEARLY_NORMAL)

    def _variance_in_steps(self) -> float:
        b = self.scale
        if self.kind == "laplace":
            return 2 * b * b
        if self.kind == "discrete-laplace":
            return 2 * exp(-1 / b) / expm1(-1 / b) ** 2
        if self.kind == "discrete-gaussian" and b < _ADDS_UP:
            values, weights = _discrete_gaussian(b)
            return float(values**2 @ weights)
        return b * b

    def sums(self, cells: int, shape: tuple[int, ...], stream: np.random.Generator) -> Floats:
        """Independent sums, each of the noise of this many cells."""
        found: Floats = self.step * self._in_steps(cells, shape, stream)
        return found

    def _in_steps(self, cells: int, shape: tuple[int, ...], stream: np.random.Generator) -> Any:
        b = self.scale
        if self.kind == "gaussian":
            return stream.normal(scale=b * sqrt(cells), size=shape)
        if self.kind == "laplace":
            # a Laplace variable is the difference of two exponential ones
            return b * (stream.gamma(cells, size=shape) - stream.gamma(cells, size=shape))
        if self.kind == "discrete-laplace":
            success = -expm1(-1 / b)
            drawn = [stream.negative_binomial(cells, success, size=shape).astype(np.float64) for _ in range(2)]
            return drawn[0] - drawn[1]
        if b < _ADDS_UP and cells > 1:
            return sum(self._in_steps(1, shape, stream) for _ in range(cells))
        spread = b * sqrt(cells)
        if spread >= _COARSE:
            return np.rint(stream.normal(scale=spread, size=shape))
        values, weights = _discrete_gaussian(spread)
        ends = np.cumsum(weights)
        found: Floats = values[np.minimum(np.searchsorted(ends, stream.random(shape)), len(values) - 1)]
        return found


@cache
def _discrete_gaussian(spread: float) -> tuple[Floats, Floats]:
    """The whole numbers with their weights, which are proportional to exp(-k^2 / (2 spread^2))."""
    most = int(_TAIL * spread) + 2
    values = np.arange(-most, most + 1, dtype=np.float64)
    weights = np.exp(-(values**2) / (2 * spread**2))
    return values, weights / weights.sum()


def planned_noise(plan: NoisePlan) -> CellNoise | None:
    """The distribution of planned noise: discrete in releases, continuous in simulations; None if cells share it."""
    if plan.mechanism not in ("gaussian", "laplace"):
        return None
    continuous: LawKind = "gaussian" if plan.mechanism == "gaussian" else "laplace"
    discrete: LawKind = "discrete-gaussian" if plan.mechanism == "gaussian" else "discrete-laplace"
    return CellNoise(
        kind=continuous if plan.mode == "simulate" else discrete,
        scale=float(plan.scale),
        step=float(plan.unit * plan.size),
    )
