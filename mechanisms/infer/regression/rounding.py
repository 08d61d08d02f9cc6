"""Rounding of a release in intervals of one coefficient: half steps that are added, and their cost.

A rounded Gaussian number with a uniform half step added is Gaussian up to 0.2 lattice steps over its deviation, in
total variation. The half steps are pseudo-random numbers, seeded by the digest of the release so that answers do not
change. Proof: docs/proofs/synthbounds.noisy-regression.md, (d).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.infer.noisy_matrix import NoisyMatrix
from mechanisms.infer.regression.float_pivot import FloatPivot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

VARIATION = Fraction(1, 5)
"""Bound on the total variation between a Gaussian number of deviation one step and itself rounded plus half a step."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Rounding:
    """How far each number of noisy equations may be off, and the cost of treating it as Gaussian."""

    matrix: Floats
    right: Floats
    variation: Fraction
    """Total variation between the release with half steps added and Gaussian numbers, at most."""
    seed: int

    @classmethod
    def of(cls, matrix: NoisyMatrix, *, response: int, regressors: Sequence[int]) -> Rounding:
        inner = [[matrix.entry(i, j) for j in regressors] for i in regressors]
        outer = [matrix.entry(i, response) for i in regressors]
        apart = [inner[i][j] for i in range(len(regressors)) for j in range(i, len(regressors))] + outer
        # a step is twice the largest rounding error
        steps = (2 * one.rounding / one.deviation for one in apart if not one.is_exact)
        return cls(
            matrix=np.array([[float(one.rounding) for one in row] for row in inner]),
            right=np.array([float(one.rounding) for one in outer]),
            variation=VARIATION * sum(steps, Fraction(0)),
            seed=int(matrix.digest, 16),
        )

    def added(self, pivot: FloatPivot) -> FloatPivot:
        """The equations with a uniform half step on every noisy number, an entry and its mirror image alike."""
        size = len(self.right)
        shares = np.random.Generator(np.random.Philox(self.seed)).uniform(-1, 1, (size + 1, size))
        inner = np.triu(shares[:size]) + np.triu(shares[:size], 1).T
        return replace(pivot, matrix=pivot.matrix + inner * self.matrix, right=pivot.right + shares[size] * self.right)
