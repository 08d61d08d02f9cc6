"""Noisy tables of counts, and answers of public queries, as statistics of rows: releases of marginals, and logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from mechanisms.improve.wanted import Wanted
from mechanisms.pgm.from_log import measured_table
from mechanisms.pgm.measured import MeasuredTable, pool
from mechanisms.projection.kinds import AnswerStatistics, CellStatistics, MatrixStatistics, cells_of
from mechanisms.projection.statistics import JoinedStatistics, Statistics
from mechanisms.projection.tilting import LEAST_SD
from release.statistics.conditional_counts import ConditionalCounts
from release.statistics.distinct import distinct_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from mechanisms.projection.statistics import Floats, Places
    from release.data.domain import Codes
    from release.data.schema import Schema
    from release.log.file import MarginalLog
    from release.log.steps import AnswersStep, Columns
    from release.marginals.file import Marginals, MarginalTable
    from release.statistics.public_queries import PublicQueries

_MOST_ENTRIES = 5 * 10**7
"""Most entries of a matrix of answers by rows."""


@dataclass(frozen=True, eq=False)
class _Part:
    """Statistics of one kind, with what is known about them."""

    statistics: Statistics
    targets: Floats
    sds: Floats
    name: Callable[[int], str]


def wanted_marginals(release: Marginals, rows: Codes) -> Wanted:
    """The cells of all tables, as shares."""
    tables = share_tables(release)
    return _joined([cells_part(release.schema, tables, rows)], _tables_text(tables))


def share_tables(release: Marginals) -> list[MeasuredTable]:
    """Tables of shares, one for each set of columns, with deviations: from the noise distribution, else from radii."""
    sizes = release.schema.domain.sizes
    return _pooled(
        MeasuredTable(
            columns=table.columns,
            counts=np.array([float(cell) for cell in table.cells]).reshape([sizes[u] for u in table.columns]),
            sd=max(_deviation(table, float(release.beta)), LEAST_SD),
        )
        for table in release.tables
    )


def wanted_log(log: MarginalLog, rows: Codes) -> Wanted:
    """The cells of all tables that were measured, and the answers that were asked, as shares."""
    total = log.total_est
    shares = _pooled(
        MeasuredTable(columns=table.columns, counts=table.counts / total, sd=table.deviations / total)
        for table in (measured_table(step, log.shape) for step in log.tables)
    )
    parts = [cells_part(log.schema, shares, rows, groups=log.groups)] if shares else []
    parts += [_answers_part(log.queries[step.workload], step, rows, total) for step in log.answers]
    asked = sum(len(step.queries) for step in log.answers)
    texts = [_tables_text(shares)] * bool(shares) + [f"answers of {asked:,} queries"] * bool(asked)
    return _joined(parts, " and ".join(texts))


def cells_part(
    schema: Schema, tables: Sequence[MeasuredTable], rows: Codes, *, groups: Sequence[Sequence[int]] | None = None
) -> _Part:
    """Indicators of cells; if codes were merged, tables of two or more columns are of merged codes."""
    starts = np.cumsum([0, *(table.counts.size for table in tables)])
    cells = np.empty((len(tables), len(rows)), dtype=np.int32)
    for line, table in enumerate(tables):
        merged = groups is not None and len(table.columns) > 1
        codes = [np.array(groups[u])[rows[:, u]] if merged and groups else rows[:, u] for u in table.columns]
        cells[line] = cells_of(codes, table.counts.shape) + starts[line]

    def name(place: int) -> str:
        line = int(np.searchsorted(starts, place, side="right")) - 1
        table = tables[line]
        codes = np.unravel_index(place - int(starts[line]), table.counts.shape)
        merged = groups if len(table.columns) > 1 else None
        said = (_code_text(schema, u, int(code), merged) for u, code in zip(table.columns, codes, strict=True))
        return ", ".join(said)

    targets = np.concatenate([table.counts.ravel() for table in tables])
    sds = np.concatenate([table.deviations.ravel() for table in tables])
    return _Part(CellStatistics(cells, int(starts[-1])), targets, sds, name)


def _code_text(schema: Schema, u: int, code: int, groups: Sequence[Sequence[int]] | None) -> str:
    column = schema.columns[u]
    codes = [code] if groups is None else [other for other, group in enumerate(groups[u]) if group == code]
    return f"{column.name}={column.texts[codes[0]]}" + (" or others" if len(codes) > 1 else "")


def _pooled(tables: Iterable[MeasuredTable]) -> list[MeasuredTable]:
    """Tables of the same columns combined into one."""
    found: dict[Columns, list[MeasuredTable]] = {}
    for table in tables:
        found.setdefault(table.columns, []).append(table)
    return [pool(same) for same in found.values()]


def _deviation(table: MarginalTable, beta: float) -> float:
    """About the deviation of a cell's noise; if no distribution is stated, the one that fits the joint radius."""
    if table.noise is not None:
        return sqrt(float(table.noise.sd) ** 2 + float(table.noise.rounding) ** 2 / 3)
    return float(table.radius) / sqrt(2 * log(2 * len(table.counts) / beta))


def _tables_text(tables: Sequence[MeasuredTable]) -> str:
    cells = sum(table.counts.size for table in tables)
    return f"{cells:,} cells of {len(tables):,} tables"


def _answers_part(queries: PublicQueries, step: AnswersStep, rows: Codes, total: float) -> _Part:
    one = float(queries.denominator)
    asked = np.array(step.queries, dtype=np.intp)
    starts = np.cumsum([0, *(queries.starts[asked + 1] - queries.starts[asked])]).astype(np.intp)
    if isinstance(queries, ConditionalCounts):
        statistics: Statistics = _conditional(queries, asked, starts, rows)
    else:
        statistics = MatrixStatistics(_answers_by_row(queries, asked, rows) / one)
    unit = total * one

    def name(place: int) -> str:
        return f"query {asked[int(np.searchsorted(starts, place, side='right')) - 1]} of {queries.text}"

    targets = np.array([float(value) for value in step.sums]) / unit
    return _Part(statistics, targets, np.full(len(targets), float(step.sd) / unit), name)


def _conditional(queries: ConditionalCounts, asked: Places, starts: Places, rows: Codes) -> Statistics:
    met = queries.met(queries.prepared(rows), asked)
    codes = np.stack([rows[:, place] for place in queries.by])
    return AnswerStatistics(met, codes, queries.conditioned[asked], starts)


def _answers_by_row(queries: PublicQueries, asked: Places, rows: Codes) -> NDArray[np.float64]:
    """The answers for each single row; rows that are alike are asked once."""
    places = queries.places(asked.tolist())
    used = sorted({*getattr(queries, "numbers", range(rows.shape[1])), *getattr(queries, "by", ())})
    first, which = distinct_places(rows, queries.schema.domain.sizes, used)
    if len(places) * len(rows) > _MOST_ENTRIES:
        raise NotApplicable(
            f"release: {len(places):,} answers of {queries.text} at {len(rows):,} different rows are too many to fit"
        )
    alone = np.array([queries.sums(rows[place : place + 1])[places] for place in first.tolist()], dtype=np.float64)
    found: NDArray[np.float64] = alone[which]
    return found


def _joined(parts: Sequence[_Part], text: str) -> Wanted:
    ends = np.cumsum([part.statistics.count for part in parts])

    def name(place: int) -> str:
        kind = int(np.searchsorted(ends, place, side="right"))
        return parts[kind].name(place - (int(ends[kind - 1]) if kind else 0))

    statistics = parts[0].statistics if len(parts) == 1 else JoinedStatistics([part.statistics for part in parts])
    targets, sds = (np.concatenate([getattr(part, key) for part in parts]) for key in ("targets", "sds"))
    return Wanted(statistics, targets, sds, name, text)
