"""The targets of points, from what a log has published: smooth twins of its tables and answers.

Every squared error is divided by the variance of its noise, in units of that of the first table. The one-way table of a
number gives the number of records at or below each of some codes; neighbouring sums share their noise, so all sums of a
number count like one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.base import base_shares
from mechanisms.pgm.from_log import measured_table, merged_table
from mechanisms.rap.answers import targets_of_answers
from mechanisms.rap.table_twin import TableTwin, TargetTable
from mechanisms.rap.threshold_twin import TargetPlanes
from mechanisms.rap.twin import together
from release.log.steps import AnswersStep, TableStep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.rap.roles import Roles
    from mechanisms.rap.twin import Target, Twin
    from release.log.steps import Step
    from release.statistics.public_queries import PublicQueries

    Doubles = NDArray[np.float64]

_LEVELS = 12
"""Number of levels at evenly spaced shares of a number, for sums up to these codes and up to the codes before them."""
_DEVIATION = 0.25
"""Deviation of a number in the public box for which planes are drawn: the unit of their distances."""


class Targets:
    """Everything published so far, as twins."""

    def __init__(self, roles: Roles, queries: Sequence[PublicQueries], total: float) -> None:
        self._roles, self._queries, self._total = roles, tuple(queries), total
        self._unit = 0.0
        self._tables: list[TargetTable] = []
        self._others: list[Target] = []
        self._count = 0
        self.one_way: dict[int, Doubles] = {}
        """Shares of the codes of each column, merged as in tables of several columns."""

    def add(self, steps: Iterable[Step]) -> None:
        for step in steps:
            if isinstance(step, TableStep):
                self._add_table(step)
            elif isinstance(step, AnswersStep):
                self._count += len(step.sums)
                queries, weight = self._queries[step.workload], (self._unit / float(step.sd)) ** 2
                self._others += targets_of_answers(step, queries, self._roles, total=self._total, weight=weight)

    def twins(self) -> list[Twin]:
        """Twins of everything."""
        layout = self._roles.layout
        return [TableTwin(layout, self._tables), *(target.twin(layout) for target in together(self._others))]

    def residual_est(self, value: float) -> float:
        """Root mean square of the residuals between points and answers, in deviations, from the sum that twins give."""
        return float((value / max(self._count, 1)) ** 0.5 * self._total / self._unit)

    def _add_table(self, step: TableStep) -> None:
        self._unit = self._unit or float(step.sd)
        self._count += len(step.counts)
        number = step.columns[0] in self._roles.numbers
        table = measured_table(step, self._roles.shape) if number else merged_table(step, self._roles.shape)
        if len(step.columns) == 1:
            self.one_way[step.columns[0]] = base_shares(table, table.counts.size, self._total)
        if number:
            self._others.append(self._levels(step))
            return
        weight = self._unit**2 / float(np.mean(np.square(table.sd)))
        self._tables.append(TargetTable(self._roles.blocks(step.columns), table.counts / self._total, weight))

    def _levels(self, step: TableStep) -> TargetPlanes:
        """Sums of the one-way table of a number, as planes in which only that number has a slope."""
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
            weights=(self._unit / float(step.sd)) ** 2 / (terms * len(codes)),
        )
