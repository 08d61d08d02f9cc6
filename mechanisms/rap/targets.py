"""From what a log has published to what points are moved towards: smooth twins of its tables and answers.

Every squared error is divided by the variance of its noise. Of a number the one-way table says how many records are at
or below each of some codes; neighbours of these sums share their noise, so all sums of a number count like one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.base import base_shares
from mechanisms.pgm.from_log import measured_table, merged_table
from mechanisms.rap.table_twin import TableTwin, TargetTable
from mechanisms.rap.threshold_twin import TargetPlanes, ThresholdTwin
from release.log.steps import AnswersStep, TableStep
from release.statistics.thresholds import Thresholds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.rap.roles import Roles
    from mechanisms.rap.twin import Twin
    from release.log.steps import Step
    from release.statistics.public_queries import PublicQueries

    Doubles = NDArray[np.float64]

_LEVELS = 12
"""Of a number, at shares that follow each other evenly: sums up to these codes, and up to the codes before them."""
_DEVIATION = 0.25
"""Of a number in the public box that planes are drawn for: the unit of their distances."""


class Targets:
    """What was published so far, as twins."""

    def __init__(self, roles: Roles, queries: Sequence[PublicQueries], total: float) -> None:
        self._roles, self._queries, self._total = roles, tuple(queries), total
        self._tables: list[TargetTable] = []
        self._planes: defaultdict[int | None, list[TargetPlanes]] = defaultdict(list)
        self.one_way: dict[int, Doubles] = {}
        """Shares of the codes of each column, as it is in tables of several."""

    def add(self, steps: Iterable[Step]) -> None:
        for step in steps:
            if isinstance(step, TableStep):
                self._add_table(step)
            elif isinstance(step, AnswersStep):
                self._add_answers(step)

    def twins(self) -> list[Twin]:
        """Of everything, with weights of at most 1."""
        planes = {block: _together(block, parts) for block, parts in self._planes.items()}
        weights = [table.weight for table in self._tables]
        most = max([*weights, *(float(found.weights.max()) for found in planes.values())])
        layout = self._roles.layout
        tables = [TargetTable(table.blocks, table.shares, table.weight / most) for table in self._tables]
        found: list[Twin] = [TableTwin(layout, tables)]
        for part in planes.values():
            scaled = TargetPlanes(part.block, part.slopes, part.levels, part.shares, part.weights / most)
            found.append(ThresholdTwin(layout, scaled))
        return found

    def _add_table(self, step: TableStep) -> None:
        number = step.columns[0] in self._roles.numbers
        table = measured_table(step, self._roles.shape) if number else merged_table(step, self._roles.shape)
        if len(step.columns) == 1:
            self.one_way[step.columns[0]] = base_shares(table, table.counts.size, self._total)
        if number:
            self._planes[None].append(self._levels(step))
            return
        weight = self._total**2 / float(np.mean(np.square(table.sd)))
        self._tables.append(TargetTable(self._roles.blocks(step.columns), table.counts / self._total, weight))

    def _levels(self, step: TableStep) -> TargetPlanes:
        """Sums of a one-way table of a number, as planes that only that number has a slope in."""
        number = self._roles.numbers.index(step.columns[0])
        top, counts = self._roles.tops[number], np.array(step.counts, dtype=np.float64)
        even = (np.arange(_LEVELS) + 0.5) / _LEVELS
        at = np.searchsorted(np.cumsum(self.one_way[step.columns[0]]), even)
        codes = np.unique(np.clip(np.concatenate([at, at - 1]), 0, top - 1))
        slopes = np.zeros((len(codes), len(self._roles.numbers)))
        slopes[:, number] = 1 / _DEVIATION
        terms = np.minimum(codes + 1, top - codes)
        return TargetPlanes(
            block=None,
            slopes=slopes,
            levels=(codes + 0.5) / top / _DEVIATION,
            shares=(1 - np.cumsum(counts)[codes] / self._total)[:, None],
            weights=self._total**2 / (float(step.sd) ** 2 * terms * len(codes)),
        )

    def _add_answers(self, step: AnswersStep) -> None:
        queries = self._queries[step.workload]
        assert isinstance(queries, Thresholds)
        slopes, levels = queries.unit_planes
        at, sums = 0, np.array(step.sums, dtype=np.float64)
        by_block: defaultdict[int, list[tuple[int, Doubles]]] = defaultdict(list)
        for query in step.queries:
            column = int(queries.conditioned[query])
            width = int(queries.widths[query])
            (block,) = self._roles.blocks((queries.by[column],))
            by_block[block].append((query, sums[at : at + width]))
            at += width
        for block, found in by_block.items():
            asked = [query for query, _ in found]
            self._planes[block].append(
                TargetPlanes(
                    block=block,
                    slopes=slopes[:, asked].T,
                    levels=levels[asked],
                    shares=np.array([answers for _, answers in found]) / self._total,
                    weights=np.full(len(asked), (self._total / float(step.sd)) ** 2),
                )
            )


def _together(block: int | None, parts: Sequence[TargetPlanes]) -> TargetPlanes:
    names = ("slopes", "levels", "shares", "weights")
    return TargetPlanes(block, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))
