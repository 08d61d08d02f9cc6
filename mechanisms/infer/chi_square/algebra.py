"""Contrasts, projection to nonnegative shares, and covariances: linear algebra of noisy tables, for many at once."""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats


@cache
def contrasts(levels: int) -> Floats:
    """Helmert's: the columns are orthonormal and orthogonal to the vector of ones."""
    found = np.zeros((levels, levels - 1))
    for j in range(1, levels):
        found[:j, j - 1] = 1 / sqrt(j * (j + 1))
        found[j, j - 1] = -j / sqrt(j * (j + 1))
    found.flags.writeable = False
    return found


def nearest_shares(values: Floats) -> Floats:
    """The nearest vector of shares: nonnegative and adding up to 1. Shares stay unchanged."""
    falling = -np.sort(-values, axis=-1)
    places = np.arange(1, values.shape[-1] + 1)
    above = (np.cumsum(falling, axis=-1) - 1) / places
    last = (falling > above).sum(axis=-1, keepdims=True) - 1
    found: Floats = np.maximum(values - np.take_along_axis(above, last, axis=-1), 0)
    return found


def spread(shares: Floats, basis: Floats) -> Floats:
    """B'(diag a - aa')B: the covariance of one record's indicators in contrasts."""
    mean = shares @ basis
    second: Floats = (basis.T * shares[..., None, :]) @ basis
    return second - outer(mean)


def outer(vectors: Floats) -> Floats:
    return vectors[..., :, None] * vectors[..., None, :]


def kronecker(first: Floats, second: Floats) -> Floats:
    """The Kronecker product of the last two axes."""
    product: Floats = np.einsum("...ij,...kl->...ikjl", first, second)
    rows, columns = first.shape[-2] * second.shape[-2], first.shape[-1] * second.shape[-1]
    return product.reshape(*product.shape[:-4], rows, columns)
