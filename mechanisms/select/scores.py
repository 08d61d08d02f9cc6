"""How far a model is from the records on sets of columns, in integers that one record changes by a known amount.

Counts and the model's shares times the total are put on the lattice of `RECORD_STEPS` steps a record, so distances are
exact integers: the model is the same for neighbouring tables, and one record changes one count by 1, and so a distance
by at most `RECORD_STEPS`. The distance that noise alone would leave is subtracted, and the rest is multiplied by the
weight. Nothing here is private: scores are only for `OpenLog.choose`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import pi, prod, sqrt
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.cover import cover
from release.data.counting import in_batches
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.select.workload import Columns

    Floats = NDArray[np.float64]

_AT_ONCE = 2**20
"""Cells of tables that are counted or compared at the same time."""


_SHRINKING, _SMALL, _FEW = 8, 64, 2
"""Sums go by way of unions that are this many times smaller, if these are not small and there are enough sets."""


def noise_distance(rho: Fraction, squared_sensitivity: int) -> float:
    """The mean size of a count's noise, in records: sqrt(2/pi) deviations, for a table that costs rho."""
    return sqrt(squared_sensitivity / (pi * float(rho)))


def in_steps(records: float) -> int:
    """The nearest number of steps."""
    return round(records * RECORD_STEPS)


def scores(distances: Sequence[int], weights: Sequence[int], penalties: Sequence[int]) -> list[int]:
    """The scores of a choice; one record changes a score by at most its weight times `RECORD_STEPS`."""
    parts = zip(distances, weights, penalties, strict=True)
    return [weight * (distance - penalty) for distance, weight, penalty in parts]


@dataclass(frozen=True)
class Sums:
    """Tables that are sums of one table, some of them as intermediate steps."""

    union: Columns
    tables: tuple[Columns, ...]
    steps: tuple[tuple[int, tuple[int, ...]], ...]
    """For each sum the place of the table that is summed (0 for that of the union), and the axes."""
    places: tuple[int, ...]
    """Places of the tables among the sums."""

    def of(self, whole: Floats) -> list[Floats]:
        """All tables, each flattened."""
        found = [whole]
        for source, axes in self.steps:
            found.append(np.add.reduce(found[source], axis=axes) if axes else found[source])
        return [found[place].ravel() for place in self.places]


def sums(sizes: Sequence[int], union: Columns, sets: Sequence[Columns]) -> Sums:
    """Sets that are not much smaller than the union are summed at once, the others by way of smaller unions."""
    made, steps = [union], []

    def summed(source: int, columns: Columns) -> int:
        if columns == made[source]:
            return source
        steps.append((source, tuple(axis for axis, j in enumerate(made[source]) if j not in columns)))
        made.append(columns)
        return len(made) - 1

    places: dict[Columns, int] = {}

    def divide(source: int, inside: Sequence[Columns]) -> None:
        if made[source] in inside:
            places[made[source]] = source
            inside = [columns for columns in inside if columns != made[source]]
        most_cells = prod(sizes[j] for j in made[source]) // _SHRINKING
        if len(inside) <= _FEW or most_cells < _SMALL:
            places.update((columns, summed(source, columns)) for columns in inside)
            return
        for part, within in cover(sizes, inside, most_cells=most_cells):
            divide(summed(source, part), within)

    divide(0, sets)
    return Sums(union, tuple(places), tuple(steps), tuple(places.values()))


class Comparison:
    """Sets of columns whose exact counts are compared with model after model."""

    def __init__(self, sizes: Sequence[int], sets: Sequence[Columns]) -> None:
        self.sets = tuple(sets)
        parts = [sums(sizes, union, inside) for union, inside in cover(sizes, sets)]
        cells = [prod(sizes[j] for j in part.union) for part in parts]
        self._batches = list(in_batches(parts, cells, at_once=_AT_ONCE))

    def distances(
        self, counts: Mapping[Columns, NDArray[np.int64]], joint: Callable[[Columns], Floats], total: float
    ) -> list[int]:
        """Distances of the records from the model with these shares and that total, in steps, for every set."""
        found: dict[Columns, int] = {}
        for batch in self._batches:
            names = [columns for part in batch for columns in part.tables]
            tables = [table for part in batch for table in part.of(joint(part.union))]
            model = np.concatenate(tables)
            model *= total * RECORD_STEPS
            np.rint(model, out=model)
            model -= np.concatenate([counts[columns] for columns in names]) * float(RECORD_STEPS)
            np.abs(model, out=model)
            starts = np.cumsum([0, *(table.size for table in tables[:-1])])
            # Whole numbers, below 2^53 since no total is above MOST_RECORDS: sums are exact.
            moved = np.add.reduceat(model, starts)
            found |= {columns: int(distance) for columns, distance in zip(names, moved, strict=True)}
        return [found[columns] for columns in self.sets]


def exact_counts(
    sizes: Sequence[int],
    sets: Sequence[Columns],
    count: Callable[[Sequence[Columns]], Mapping[Columns, NDArray[np.int64]]],
) -> dict[Columns, NDArray[np.int64]]:
    """Counts of these sets of columns, each flattened."""
    cells = [prod(sizes[j] for j in columns) for columns in sets]
    tables = (found for batch in in_batches(sets, cells, at_once=_AT_ONCE) for found in count(batch).items())
    return {columns: found.ravel() for columns, found in tables}
