"""The statistic of independence: how far a noisy table is from the product of its margins, in its own covariance.

Everything works on many tables at once; counts are combined ones (mechanisms.infer.chi_square.shown). Comparing the
statistic with chi-square or with simulated values is left to mechanisms.infer.chi_square.independence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.infer.chi_square.algebra import contrasts, kronecker, nearest_shares, outer, spread
from mechanisms.infer.chi_square.shown import ShownPair

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats


@dataclass(frozen=True, eq=False)
class Interaction:
    """Contrasts of a table minus the product of its margins, and how they vary if the columns are independent."""

    residual: Floats
    sampling: Floats
    """Covariance from drawing the records, at these margins."""
    noise: Floats
    """Covariance of the noise."""


def margins_of(counts: Floats) -> tuple[Floats, Floats]:
    """The shares of rows and columns, made nonnegative."""
    total = counts.sum(axis=(-2, -1))[..., None]
    return nearest_shares(counts.sum(-1) / total), nearest_shares(counts.sum(-2) / total)


def residual_of(counts: Floats, a: Floats, b: Floats, size: float) -> Floats:
    """Contrasts of T - n a b', as vectors."""
    r, c = counts.shape[-2:]
    apart: Floats = contrasts(r).T @ (counts - size * a[..., :, None] * b[..., None, :]) @ contrasts(c)
    return apart.reshape(*counts.shape[:-2], (r - 1) * (c - 1))


def sampling_covariance(a: Floats, b: Floats, size: float) -> Floats:
    return size * kronecker(spread(a, contrasts(a.shape[-1])), spread(b, contrasts(b.shape[-1])))


def noise_covariance(shown: ShownPair, a: Floats, b: Floats) -> Floats:
    """Covariance of contrasts of W - u b' - a v'; W is the noise of the cells, u and v that of the combined margins."""
    r, c = shown.levels
    across, along = np.eye(r - 1), np.eye(c - 1)
    first, second = outer(a @ contrasts(r)), outer(b @ contrasts(c))
    cells = shown.cell.variance * np.eye(shown.degrees)
    return cells + shown.rows.variance * kronecker(across, second) + shown.columns.variance * kronecker(first, along)


def interaction_of(shown: ShownPair, counts: Floats) -> Interaction:
    """The interaction of one combined table, or of many."""
    a, b = margins_of(counts)
    return Interaction(
        residual=residual_of(counts, a, b, shown.size),
        sampling=sampling_covariance(a, b, shown.size),
        noise=noise_covariance(shown, a, b),
    )


def statistics_of(shown: ShownPair, counts: Floats) -> Floats:
    """e' V^-1 e for every table."""
    found = interaction_of(shown, counts)
    return quadratic(found.residual, found.sampling + found.noise)


def quadratic(vectors: Floats, covariances: Floats) -> Floats:
    found: Floats = np.einsum("...i,...i->...", vectors, np.linalg.solve(covariances, vectors[..., None])[..., 0])
    return found


def pearson_of(counts: Floats) -> Floats:
    """Pearson's statistic of exact tables; a value that no record has is left out."""
    rows, columns = counts.sum(-1, keepdims=True), counts.sum(-2, keepdims=True)
    expected = rows * columns / counts.sum(axis=(-2, -1), keepdims=True)
    apart = np.divide((counts - expected) ** 2, expected, out=np.zeros_like(counts), where=expected > 0)
    found: Floats = apart.sum(axis=(-2, -1))
    return found
