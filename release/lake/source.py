"""Records that live elsewhere, as a source: counted there if the engine can make their codes, otherwise streamed.

First of all one query looks for cells without a code. Counts come from one snapshot if the engine has snapshots; in any
case their totals and the tables of single columns must stay the same, or the table has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import DataError
from release.data.coding import REASONS
from release.data.counting import joint_plan, marginals_of, require_sets
from release.data.schema import STRIP, Schema
from release.data.source import Source
from release.data.tables import IGNORE, REFUSE, Table, read_batches, shown
from release.lake.address import PARQUET, Address
from release.lake.dialects import dialect_of
from release.lake.engines import Engine, open_engine
from release.lake.expressions import Coder, Coding
from release.lake.parquet_files import ParquetFiles
from release.lake.queries import check_query, count_query

if TYPE_CHECKING:
    from release.data.counting import Counts
    from release.data.domain import Codes
    from release.data.rows import Rows


def rows_at(address: Address) -> Rows:
    """The rows at the address, opened."""
    return ParquetFiles(address) if address.kind == PARQUET else open_engine(address)


def number_of_rows(address: Address) -> int:
    """The number of rows, by one query if possible."""
    from sqlglot import exp

    rows = rows_at(address)
    if isinstance(rows, Engine) and rows.dialect:
        ((n,),) = rows.ask(exp.select(exp.Count(this=exp.Star())).from_(rows.table))
        return int(n)
    return sum(len(arrays[0]) for arrays in rows.batches([name for name, _ in rows.columns[:1]]))


class LakeSource(Source):
    """Records of a folder of files, or of an engine; they are never kept, and may be read any number of times."""

    is_held = False

    def __init__(
        self,
        address: Address,
        schema: Schema,
        *,
        ignore_extra: bool = False,
        private: bool,
        size_is_public: bool = True,
    ) -> None:
        super().__init__(schema.domain)
        self._schema, self._is_private, self._may_be_empty = schema, private, not size_is_public
        self._rows, self._extra = rows_at(address), IGNORE if ignore_extra else REFUSE
        table = Table(self._rows, echo_values=not private, strips=schema.spaces == STRIP)
        table.require_columns(schema, extra=self._extra)
        self._written = dict(zip(table.header, (name for name, _ in self._rows.columns), strict=True))
        self._known: dict[int, Counts] = {}
        self._dialect = dialect_of(self._rows.address.kind) if isinstance(self._rows, Engine) else None

    @property
    def n(self) -> int:
        """The number of records; counted if they have not been read yet."""
        if self._n < 0:
            self.counts([(0,)])
        return self._n

    def close(self) -> None:
        """End the connection, if there is one."""
        if isinstance(self._rows, Engine):
            self._rows.close()

    def batches(self) -> Iterator[Codes]:
        before = self._n
        yield from super().batches()
        self._require_same(before, self._n)

    def counts(self, sets: Iterable[Sequence[int]]) -> dict[tuple[int, ...], Counts]:
        if self._codings is None:
            before = self._n
            found = super().counts(sets)
            self._require_same(before, self._n)
        else:
            found = self._counted(require_sets(self.domain.sizes, sets))
        self._require_agreement(found)
        return found

    @cached_property
    def _codings(self) -> list[Coding] | None:
        """How each column is coded in the engine; None if one of them cannot be, and rows are streamed."""
        from sqlglot import exp

        if self._dialect is None:
            return None
        coder, kinds = Coder(self._dialect, strips=self._schema.spaces == STRIP), dict(self._rows.columns)
        found: list[Coding] = []
        for column in self._schema.columns:
            written = self._written[column.name]
            cell = exp.column(written, quoted=True)
            coding = coder.coding(column, cell, kinds[written], prefix=f"v{len(found)}_")
            if coding is None:
                return None
            found.append(coding)
        return found

    def _counted(self, asked: list[tuple[int, ...]]) -> dict[tuple[int, ...], Counts]:
        engine, codings, sizes = self._rows, self._codings, self.domain.sizes
        assert isinstance(engine, Engine)
        assert codings is not None
        assert self._dialect is not None
        if self._n < 0:
            self._n = self._checked(engine, codings)
        plan = joint_plan(sizes, asked)
        sizes_of_tables = [int(np.prod([sizes[j] for j in part.columns])) for part in plan]
        ends = np.cumsum([0, *sizes_of_tables])
        cells = np.zeros(int(ends[-1]), dtype=np.int64)
        query = count_query(engine.table, codings, [part.columns for part in plan], sizes, ends.tolist(), self._dialect)
        for cell, count in engine.ask(query):
            if cell is None:  # a code that was none before
                raise self._changed()
            cells[int(cell)] = count
        tables = [cells[start:end] for start, end in pairwise(ends)]
        if any(int(table.sum()) != self._n for table in tables):
            raise self._changed()
        return marginals_of(sizes, asked, plan, tables)

    def _checked(self, engine: Engine, codings: Sequence[Coding]) -> int:
        """How many records there are, if every cell has a code."""
        assert self._dialect is not None
        marks = [(coding.name, mark) for coding in codings for mark in coding.marks]
        ((n, *found),) = engine.ask(check_query(engine.table, codings, self._dialect))
        bad = [(name, mark, int(count)) for (name, mark), count in zip(marks, found, strict=True) if count]
        if bad and self._is_private:
            names = ", ".join(dict.fromkeys(shown(name) for name, _, _ in bad))
            raise DataError(f"{engine.where}: does not fit the schema in column {names}")
        if bad:
            said = "; ".join(f"column {shown(name)}: the value {REASONS[mark]} ({n:,} times)" for name, mark, n in bad)
            raise DataError(f"{engine.where}: does not fit the schema: {said}")
        if not n and not self._may_be_empty:
            raise DataError(f"{engine.where}: has no rows")
        return int(n)

    def _require_agreement(self, found: dict[tuple[int, ...], Counts]) -> None:
        """Tables of single columns, counted alone or inside others, must equal those first seen."""
        for columns, table in found.items():
            for axis, place in enumerate(columns):
                alone = table.sum(axis=tuple(a for a in range(len(columns)) if a != axis))
                if not np.array_equal(self._known.setdefault(place, alone), alone):
                    raise self._changed()

    def _require_same(self, before: int, now: int) -> None:
        if before not in (-1, now):
            raise self._changed()

    def _changed(self) -> DataError:
        return DataError(f"{self._rows.where}: has changed while it was read")

    def _raw(self) -> Iterable[Codes]:
        return read_batches(
            self._rows,
            self._schema,
            extra=self._extra,
            echo_values=not self._is_private,
            allow_empty=self._may_be_empty,
        )
