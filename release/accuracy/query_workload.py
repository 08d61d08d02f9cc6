"""Public queries of numbers as a workload for a table's errors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bounds.privacy.adjacency import Adjacency
from release.accuracy.workload import Workload
from release.data.schema import Schema
from release.statistics.public_queries import NumberQueries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.source import Source


@dataclass(frozen=True)
class QueryWorkload(Workload):
    """Public queries of numbers, drawn by a seed or listed by columns; every answer counts as a query here."""

    queries: NumberQueries

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        return self.queries.schema

    @property
    def denominator(self) -> int:  # type: ignore[override]
        return self.queries.denominator

    @property
    def count(self) -> int:
        return int(self.queries.starts[-1])

    @property
    def text(self) -> str:
        return self.queries.text

    def sums(self, source: Source) -> list[NDArray[Any]]:
        import numpy as np

        total = np.zeros(self.count, dtype=np.int64)
        for batch in source.batches():
            total += self.queries.sums(batch)
        return [total if self.denominator == 1 else total.astype(object)]

    def mean_moved(self, adjacency: Adjacency) -> Fraction:
        return self.queries.mean_moved(adjacency)

    def to_json(self) -> dict[str, Any]:
        return self.queries.to_json()
