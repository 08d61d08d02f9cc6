"""How far a model is from the records on sets of columns, in whole numbers that one record moves by a known amount.

Counts and the model's shares times the total are put on the lattice of `RECORD_STEPS` steps a record, so distances are
exact integers: the model is the same whoever is compared, and one record moves one count by one record, hence a
distance by `RECORD_STEPS` at most. From it goes the distance that noise alone would leave, and the rest is multiplied
by the weight. Nothing here is private: scores are for `OpenLog.choose` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import pi, prod, sqrt
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.cover import cover
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.select.workload import Columns

    Counts = NDArray[np.integer]
    Floats = NDArray[np.float64]

_AT_ONCE = 2**20
"""Cells of tables that are compared at the same time."""


def noise_distance(rho: Fraction, squared_sensitivity: int) -> float:
    """The mean size of a count's noise, in records: sqrt(2/pi) deviations, for a table that costs rho."""
    return sqrt(squared_sensitivity / (pi * float(rho)))


def in_steps(records: float) -> int:
    """The nearest number of steps."""
    return round(records * RECORD_STEPS)


def scores(distances: Sequence[int], weights: Sequence[int], penalties: Sequence[int]) -> list[int]:
    """What a choice goes by; one record moves a score by at most its weight times `RECORD_STEPS`."""
    parts = zip(distances, weights, penalties, strict=True)
    return [weight * (distance - penalty) for distance, weight, penalty in parts]


@dataclass(frozen=True)
class Sums:
    """Tables that are sums of one table: each of the whole, or of a smaller one before it, over some of its axes."""

    union: Columns
    tables: tuple[Columns, ...]
    steps: tuple[tuple[int, tuple[int, ...]], ...]
    """For each table the place of the one it is summed from, 0 for the union, and the axes."""

    def of(self, whole: Floats) -> list[Floats]:
        """All tables, in one line each."""
        found = [whole]
        for source, axes in self.steps:
            found.append(found[source].sum(axis=axes) if axes else found[source])
        return [table.ravel() for table in found[1:]]


def sums(sizes: Sequence[int], union: Columns, sets: Sequence[Columns]) -> Sums:
    """The larger sets first, each of the others from the smallest table that holds it."""
    ordered = sorted(sets, key=lambda columns: (-prod(sizes[j] for j in columns), columns))
    sources = [union, *ordered]
    steps = []
    for at, columns in enumerate(ordered, start=1):
        held = set(columns)
        source = next(k for k in range(at - 1, -1, -1) if held.issubset(sources[k]))
        steps.append((source, tuple(axis for axis, j in enumerate(sources[source]) if j not in held)))
    return Sums(union, tuple(ordered), tuple(steps))


class Comparison:
    """Exact counts of some sets of columns, to be compared with model after model; four bytes a cell are held."""

    def __init__(self, sizes: Sequence[int], sets: Sequence[Columns], counts: Mapping[Columns, Counts]) -> None:
        self.sets = tuple(sets)
        self._parts = [sums(sizes, union, inside) for union, inside in cover(sizes, sets)]
        self._batches = _batches([prod(sizes[j] for j in part.union) for part in self._parts])
        self._counts = [
            np.concatenate(
                [counts[columns].astype(np.int32).ravel() for i in batch for columns in self._parts[i].tables]
            )
            for batch in self._batches
        ]

    def distances(self, joint: Callable[[Columns], Floats], total: float) -> list[int]:
        """Of the records from the model with these shares and that total, in steps, for every set."""
        found: dict[Columns, int] = {}
        for batch, counts in zip(self._batches, self._counts, strict=True):
            tables = [table for i in batch for table in self._parts[i].of(joint(self._parts[i].union))]
            model = np.concatenate(tables)
            model *= total * RECORD_STEPS
            np.rint(model, out=model)
            model -= counts * float(RECORD_STEPS)
            np.abs(model, out=model)
            starts = np.cumsum([0, *(table.size for table in tables[:-1])])
            moved = np.add.reduceat(model, starts)  # whole numbers below 2^53: exact
            names = (columns for i in batch for columns in self._parts[i].tables)
            found |= {columns: int(distance) for columns, distance in zip(names, moved, strict=True)}
        return [found[columns] for columns in self.sets]


def _batches(cells: Sequence[int]) -> list[list[int]]:
    """Places of tables that are held together."""
    batches: list[list[int]] = []
    room = 0
    for place, size in enumerate(cells):
        if size > room:
            batches.append([])
            room = max(_AT_ONCE, size)
        batches[-1].append(place)
        room -= size
    return batches
