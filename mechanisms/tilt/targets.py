"""The targets of a fit, in floating point: noisy shares and means of products, their noise, and the price of terms.

Noisy one-way tables are first projected to the simplex. A quadratic price, scaled by the noise, keeps mere noise out of
the distribution, so that no moments have to be selected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from release.cross_moments.file import CrossMoments
from release.statistics.cross_moments import BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PRICE = 1 / 50
"""The price of the square of a term is this times n and the variance of the noise."""
LEAST_DEVIATION = 0.0008
"""Smaller noise is priced as if it were this large, since the points themselves are not more exact."""
_LEAST_SHARE = 0.02
"""Least share in deviations of the noise: a code with a noisy count of 0 or less may still occur."""


@dataclass(frozen=True, eq=False)
class Targets:
    """Shares of every code of every column, then means of all cross moments, in one row."""

    shares: tuple[Floats, ...]
    """The one-way tables, each on the simplex and nowhere 0: the base of the distribution."""
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    """The two features of each cross moment."""
    wanted: Floats
    deviations: Floats
    price: Floats
    size: float
    """The number of records, or an estimate of it."""
    scale: Floats
    """About one over the root of the curvature of each term, for scaling steps."""

    @property
    def codes(self) -> int:
        """How many of the targets are shares."""
        return sum(len(share) for share in self.shares)

    @classmethod
    def of(cls, release: CrossMoments) -> Targets:
        size, encoding = float(release.size), release.encoding
        noise = float(release.one_way_deviation) / size
        shares = tuple(positive_shares(np.array(table, float) / size, noise) for table in release.one_way)
        left, right = encoding.pairs
        by_weight = {weight: float(sd) / 4**BITS / size for weight, sd in release.cross_deviations.items()}
        cross_noise = np.array([by_weight[int(weight)] for weight in encoding.pair_weights])
        tables = [table / encoding.one for table in encoding.arrays]
        return cls.made(shares, noise, tables, (left, right), release.means()[left, right], cross_noise, size=size)

    @classmethod
    def made(
        cls,
        shares: tuple[Floats, ...],
        noise: float,
        tables: Sequence[Floats],
        places: tuple[NDArray[np.intp], NDArray[np.intp]],
        means: Floats,
        cross_noise: Floats,
        *,
        size: float,
        least: float = LEAST_DEVIATION,
    ) -> Targets:
        """Targets from shares, the features of every code in tables, and means of products of features at `places`."""
        left, right = places
        first = np.concatenate([share @ table for share, table in zip(shares, tables, strict=True)])
        second = np.concatenate([share @ table**2 for share, table in zip(shares, tables, strict=True)])
        one_way = np.concatenate(shares)
        wanted = np.concatenate([one_way, means])
        deviations = np.concatenate([np.full(len(one_way), noise), cross_noise])
        price = PRICE * size * np.maximum(deviations, least) ** 2
        spread = second[left] * second[right] - (first[left] * first[right]) ** 2
        curvature = np.concatenate([np.maximum(one_way, noise), np.maximum(spread, 1e-4)])
        return cls(shares, left, right, wanted, deviations, price, size, 1 / np.sqrt(curvature + price))


def positive_shares(noisy: Floats, deviation: float) -> Floats:
    """The shares nearest to noisy ones, then made positive."""
    found = np.maximum(nearest_shares(noisy), _LEAST_SHARE * deviation)
    shares: Floats = found / found.sum()
    return shares


def nearest_shares(noisy: Floats) -> Floats:
    """The Euclidean projection to the simplex.

    >>> nearest_shares(np.array([0.5, 0.7, -0.1]))
    array([0.4, 0.6, 0. ])
    """
    ordered = np.sort(noisy)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(noisy) + 1)
    cut = excess[np.flatnonzero(ordered > excess)[-1]]
    found: Floats = np.maximum(noisy - cut, 0)
    return found
