"""Exact counts and answers of the records behind a log: for scores and measurements. Nothing is published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from release.data.counting import counts
from release.data.source import Source
from release.log.steps import Columns, Groups, Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.public_queries import PublicQueries

_MOST_KEPT = 2**23
"""Cells of exact tables that are kept for another round."""


class ExactCounts:
    """Tables of all codes, or of merged ones in two columns and more, and answers of queries; some are kept.

    The records are in memory, or in a source that can be read repeatedly.
    """

    def __init__(self, records: Codes | Source, shape: Shape, queries: Sequence[PublicQueries]) -> None:
        self._records: Codes | Source = records
        self._merged: Codes | Source = records
        self.shape, self._queries = shape, queries
        self._kept: dict[Columns, NDArray[np.int64]] = {}
        self._kept_cells = 0
        self._answers: dict[int, NDArray[np.int64]] = {}

    @property
    def n(self) -> int:
        return len(self._records)

    def tables(self, sets: Iterable[Sequence[int]]) -> dict[Columns, NDArray[np.int64]]:
        """Many exact tables at once, one axis per column, in few passes over the records."""
        asked = [tuple(columns) for columns in sets]
        found: dict[Columns, NDArray[np.int64]] = {}
        for records, sizes, is_narrow in (
            (self._records, self.shape.sizes, True),
            (self._merged, self.shape.merged, False),
        ):
            new = [s for s in asked if s not in self._kept and (len(s) == 1) is is_narrow]
            if new and isinstance(records, Source):
                tables = records.counts(new)
                found |= tables if is_narrow else {s: self._summed(s, table) for s, table in tables.items()}
            elif new:
                found |= counts(records, sizes, new)  # type: ignore[arg-type]
        for columns, table in found.items():
            table.flags.writeable = False
            if self._kept_cells + table.size <= _MOST_KEPT:
                self._kept[columns] = table
                self._kept_cells += table.size
        return {columns: found[columns] if columns in found else self._kept[columns] for columns in asked}

    def answers(self, workload: int) -> NDArray[np.int64]:
        """The exact answers of all queries of a workload, one query after the other."""
        if workload not in self._answers:
            records, queries = self._records, self._queries[workload]
            held = records.batches() if isinstance(records, Source) else [records]
            found = np.sum([queries.sums(batch) for batch in held], axis=0)
            found.flags.writeable = False
            self._answers[workload] = found
        return self._answers[workload]

    def merge(self, groups: Groups) -> None:
        """From now on tables of two columns and more have merged codes."""
        self.shape = Shape(self.shape.sizes, groups)
        self._kept = {columns: table for columns, table in self._kept.items() if len(columns) == 1}
        self._kept_cells = sum(table.size for table in self._kept.values())
        if isinstance(self._records, Source):
            return
        merged = np.empty(self._records.shape, dtype=self._records.dtype, order="F")
        for place, group in enumerate(groups):
            merged[:, place] = np.array(group, dtype=merged.dtype)[self._records[:, place]]
        self._merged = merged

    def _summed(self, columns: Columns, table: NDArray[np.int64]) -> NDArray[np.int64]:
        """A table of all codes as one of merged ones."""
        for axis, group in enumerate([] if self.shape.groups is None else [self.shape.groups[u] for u in columns]):
            merged = np.zeros((max(group) + 1, *np.delete(table.shape, axis)), dtype=np.int64)
            np.add.at(merged, np.array(group), np.moveaxis(table, axis, 0))
            table = np.moveaxis(merged, 0, axis)
        return np.ascontiguousarray(table)
