"""Rows drawn from a density whose answers are nearly those of the density: far nearer than independent draws.

Systematic sampling gives every point the whole part of its expected number of rows, or one more. The remaining error of
the answers is then corrected: the rows' weights are tilted by the least change that corrects the answers, and
systematic sampling makes whole rows of them again. Each time only as many rows change as the error requires, so it
shrinks until few rows are left to decide. That rows this near exist is proved in docs/proofs/synthbounds.rows.md;
nothing relies on this search, and its result is measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from lp.programme.matrices import build_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

    Vector = NDArray[np.float64]

_MOST_STARTS = 5
_MOST_CORRECTIONS = 12
"""Two are usual; if a start needs more than this many, another one is drawn."""
_RIDGE = 1e-9
"""Queries may depend on each other: this share of their mean variance keeps the system solvable."""


def balanced_rows(
    matrix: QueryMatrix, density: Vector, *, k: int, error: float, generator: np.random.Generator
) -> tuple[NDArray[np.int64], list[int]] | None:
    """Columns and how many of k rows each gets, with answers within `error` of the density's; None if not found."""
    scale = 1 / matrix.family.denominator
    share = density / density.sum()
    wanted = matrix.apply(share) * scale
    covariance = matrix.gram(share) * scale**2 - np.multiply.outer(wanted, wanted)
    covariance[np.diag_indices_from(covariance)] += _RIDGE * float(np.trace(covariance)) / len(covariance) + 1e-300
    try:
        system = cho_factor(covariance, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    for _ in range(_MOST_STARTS):
        counts = systematic(share, k, generator)
        numbers = np.flatnonzero(counts)
        counts = counts[numbers]
        part = build_matrix(matrix.family, matrix.points_at(numbers))
        for _ in range(_MOST_CORRECTIONS):
            off = part.apply(counts) * (scale / k) - wanted
            if float(np.abs(off).max()) <= error:
                drawn = np.flatnonzero(counts)
                return numbers[drawn], [int(count) for count in counts[drawn]]
            tilt = cho_solve(system, off, check_finite=False)
            weights = np.maximum(counts * (1 + tilt @ wanted - part.price(tilt * scale)), 0)
            total = float(weights.sum())
            if not 0 < total < np.inf:  # a handful of rows, all of them in the way
                break
            counts = systematic(weights / total, k, generator)
    return None


def systematic(share: Vector, k: int, generator: np.random.Generator) -> Vector:
    """Whole numbers that add up to k, each k * share rounded down or up, and on average k * share."""
    expected = share * k
    counts = np.floor(expected)
    left = k - int(counts.sum())
    if left <= 0:  # all are whole, but for rounding
        counts[int(np.argmax(counts))] += left
        return counts
    reached = np.cumsum(expected - counts)
    reached *= left / reached[-1]
    reached[-1] = left
    reached += generator.random()
    np.floor(reached, out=reached)
    counts += np.diff(reached, prepend=0.0)
    return counts
