"""How far a model is from the records on a set of columns, in whole numbers that one record moves by a known amount.

Counts and the model's shares times the total are put on the lattice of `RECORD_STEPS` steps a record, so distances are
exact integers: the model is the same whoever is compared, and one record moves one count by one record, hence a
distance by `RECORD_STEPS` at most. From it goes the distance that noise alone would leave, and the rest is multiplied
by the weight. Nothing here is private: scores are for `OpenLog.choose` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import pi, prod, sqrt
from typing import TYPE_CHECKING

import numpy as np

from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.select.workload import Columns

    Shares = Mapping[Columns, NDArray[np.float64]]

_AT_ONCE = 2**20
"""Cells whose shares are held at the same time."""


def noise_distance(rho: Fraction, squared_sensitivity: int) -> float:
    """The mean size of a count's noise, in records: sqrt(2/pi) deviations, for a table that costs rho."""
    return sqrt(squared_sensitivity / (pi * float(rho)))


def in_steps(records: float) -> int:
    """The nearest number of steps."""
    return round(records * RECORD_STEPS)


class Distances:
    """Distances of a growing number of tables from model after model; their counts are held, four bytes a cell."""

    def __init__(self, sizes: Sequence[int], total: float) -> None:
        self._sizes, self._total = tuple(sizes), total
        self._counts: dict[Columns, NDArray[np.int32]] = {}

    def without_counts(self, sets: Sequence[Columns]) -> list[Columns]:
        return [columns for columns in sets if columns not in self._counts]

    def hold(self, counts: Mapping[Columns, NDArray[np.int64]]) -> None:
        """Counts of these tables, for all distances to come."""
        self._counts |= {columns: found.astype(np.int32).ravel() for columns, found in counts.items()}

    def of(self, sets: Sequence[Columns], marginals: Callable[[Sequence[Columns]], Shares]) -> list[int]:
        """Of the records from the model whose shares `marginals` gives, in steps, for every set."""
        found: list[int] = []
        for batch in _batches(sets, self._sizes):
            shares = marginals(batch)
            model = np.concatenate([shares[columns].ravel() for columns in batch])
            model *= self._total * RECORD_STEPS
            np.rint(model, out=model)
            model -= np.concatenate([self._counts[columns] for columns in batch]) * float(RECORD_STEPS)
            np.abs(model, out=model)
            ends = np.cumsum([shares[columns].size for columns in batch])
            starts = np.concatenate([[0], ends[:-1]])
            found += [int(distance) for distance in np.add.reduceat(model, starts)]  # whole numbers below 2^53: exact
        return found


def scores(distances: Sequence[int], weights: Sequence[int], penalties: Sequence[int]) -> list[int]:
    """What a choice goes by; one record moves a score by at most its weight times `RECORD_STEPS`."""
    return [
        weight * (distance - penalty)
        for distance, weight, penalty in zip(distances, weights, penalties, strict=True)
    ]


def _batches(sets: Sequence[Columns], sizes: Sequence[int]) -> list[list[Columns]]:
    batches: list[list[Columns]] = []
    room = 0
    for columns in sets:
        cells = prod(sizes[j] for j in columns)
        if cells > room:
            batches.append([])
            room = max(_AT_ONCE, cells)
        batches[-1].append(columns)
        room -= cells
    return batches
