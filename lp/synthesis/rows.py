"""Synthetic rows from a density: rounded from a vertex, or drawn from the density of most entropy.

Rounding adds at most R s/(4k) for a support of s points, and drawing is repeated until the rows are as near to the
density as asked (docs/proofs/synthbounds.rows.md). A large support is reduced in floating point first. How near the
rows are to the noisy answers is measured afterwards, exactly; nothing here has to be trusted for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotCertified
from lp.programme.rounding import round_rows
from lp.programme.support import reduced_support

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

MOST_BATCHES = 200
"""A batch fits with probability at least 1/2, so that so many failures do not happen."""


@dataclass(frozen=True, eq=False)
class Density:
    """Weights / total on numbered columns."""

    numbers: NDArray[np.int64]
    weights: Sequence[int] | NDArray[np.int64]
    total: int

    @property
    def support(self) -> int:
        return len(self.weights)


def vertex_rows(
    matrix: QueryMatrix, density: Density, *, k: int, most_support: int
) -> tuple[NDArray[np.int64], list[int]]:
    """Columns and how many of the k rows each gets, by rounding; a large support is first reduced."""
    numbers, weights = density.numbers, [int(weight) for weight in density.weights]
    if density.support > most_support:
        kept, floats = reduced_support(matrix.columns_at(numbers), np.array(weights, dtype=np.float64) / density.total)
        numbers, weights = numbers[kept], [round(float(w) * 2**60) for w in floats]
    counts = round_rows(weights, k)
    occupied = [i for i, count in enumerate(counts) if count]
    return numbers[occupied], [counts[i] for i in occupied]


def sampled_rows(
    matrix: QueryMatrix,
    density: NDArray[np.float64],
    *,
    k: int,
    error: Fraction,
    generator: np.random.Generator | None,
) -> tuple[NDArray[np.int64], list[int]]:
    """Columns and how many of k independent draws each got, in the first batch within `error` of the density."""
    stream = generator or np.random.Generator(np.random.Philox(np.random.SeedSequence()))
    share = density / density.sum()
    wanted = matrix.apply(share)
    allowed = float(error) * matrix.family.denominator
    for _ in range(MOST_BATCHES):
        counts = stream.multinomial(k, share)
        numbers = np.flatnonzero(counts).astype(np.int64)
        found = matrix.apply_at(numbers, counts[numbers].astype(np.float64)) / k
        if float(np.abs(found - wanted).max()) <= allowed:
            return numbers, [int(count) for count in counts[numbers]]
    raise NotCertified(f"rows: no batch of k = {k} draws was within {float(error):.3g} of the density")
