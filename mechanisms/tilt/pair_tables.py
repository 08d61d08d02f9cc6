"""The targets of a fit if all tables of pairs were measured: counts of cells are cross moments of indicators."""

from __future__ import annotations

from itertools import accumulate
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.tilt.law import Features
from mechanisms.tilt.targets import PRICE, Targets, positive_shares

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST_PRICE = 1 / 250
"""Least price of the square of a term: with so many cells, a lower one would fit the accidents of the few points."""


def targets_of_pairs(
    tables: Mapping[tuple[int, ...], Floats], *, deviation: float, total: float, least_price: float = LEAST_PRICE
) -> tuple[Targets, Features]:
    """Targets from noisy one-way and two-way tables of counts, all with that noise, and their number of records."""
    one_way = [counts for columns, counts in tables.items() if len(columns) == 1]
    pairs = {columns: counts for columns, counts in tables.items() if len(columns) == 2}
    noise = deviation / total
    shares = tuple(positive_shares(counts / total, noise) for counts in one_way)
    starts = tuple(accumulate((len(share) for share in shares), initial=0))
    places = [np.meshgrid(*(np.arange(starts[u], starts[u + 1]) for u in columns), indexing="ij") for columns in pairs]
    left, right = (np.concatenate([np.empty(0, np.intp), *(grid[side].ravel() for grid in places)]) for side in (0, 1))
    means = np.concatenate([np.empty(0), *(counts.ravel() for counts in pairs.values())]) / total
    indicators = [np.eye(len(share)) for share in shares]
    least = sqrt(least_price / (PRICE * total))
    targets = Targets.made(
        shares, noise, indicators, (left, right), means, np.full(len(means), noise), size=total, least=least
    )
    features = Features(tuple(one.astype(np.float32) for one in indicators), starts, (False,) * len(shares))
    return targets, features
