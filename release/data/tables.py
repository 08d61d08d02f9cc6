"""Tables of records, CSV or Parquet, read as codes of a public schema: strictly, in batches of bounded memory.

Columns are matched by name. A value that the schema does not allow stops the reading with its row (1 is the first row
of data) and column. With `echo_values=False` no message shows anything that was read from the table.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError, ParameterError, how_to_install
from release.data.column_reading import BLANKS
from release.data.rows import Rows
from release.data.rows_read import tell_rows
from release.data.schema import STRIP, Schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from release.data.columns import Column
    from release.data.domain import Codes

REFUSE, IGNORE = "refuse", "ignore"
_OTHER_SEPARATORS = {";": "';'", "\t": "tabs", "|": "'|'"}
"""What a table that is not separated by commas often has in its only header, and how it is called."""
_MOST_SHOWN = 40


def read_batches(
    path: str | Path | Rows, schema: Schema, *, extra: str = REFUSE, echo_values: bool = True, allow_empty: bool = False
) -> Iterator[Codes]:
    """Blocks of records as codes: one row per record, columns as in the schema, each contiguous in memory.

    The table is a file, or rows stored elsewhere. Its header is checked at once, its rows as they are read. A table
    without rows is refused unless `allow_empty` says otherwise, as it must if the number of records is private. Columns
    that are not in the schema are refused, or left out with `extra="ignore"`.
    """
    if extra not in (REFUSE, IGNORE):
        raise ParameterError("extra", extra, f"{REFUSE} or {IGNORE}")
    table = Table(path, echo_values=echo_values, strips=schema.spaces == STRIP)
    table.require_columns(schema, extra=extra)
    return _coded(table, schema, allow_empty=allow_empty)


def read_codes(path: str | Path | Rows, schema: Schema, *, extra: str = REFUSE, echo_values: bool = True) -> Codes:
    """The whole table as codes, one or two bytes per cell; columns are contiguous."""
    import numpy as np

    batches = deque(read_batches(path, schema, extra=extra, echo_values=echo_values))
    found = np.empty((sum(map(len, batches)), len(schema.columns)), dtype=schema.domain.code_type, order="F")
    start = 0
    while batches:
        batch = batches.popleft()  # so that its memory is free for what follows
        found[start : start + len(batch)] = batch
        start += len(batch)
    return found


class Table:
    """A table that has been opened: its rows, and the names of its columns.

    With `strips` spaces around the names do not count.
    """

    def __init__(self, rows: str | Path | Rows, *, echo_values: bool = True, strips: bool = False) -> None:
        require_pyarrow()
        self.rows = rows if isinstance(rows, Rows) else rows_of_file(Path(rows))
        self.where, self.echo_values, self.strips = self.rows.where, echo_values, strips
        self.header = [name.strip(BLANKS) if strips else name for name, _ in self.rows.columns]

    def require_columns(self, schema: Schema, *, extra: str) -> None:
        """Every column of the schema is present, and no other unless extra ones are ignored."""
        from release.data.coding import require_type

        wanted, left_out = set(schema.names), set(schema.ignored)
        places: dict[str, int] = {}
        for place, name in enumerate(self.header, start=1):
            if name in left_out:
                continue
            if not name:
                raise DataError(f"{self.where}: the header, column {place}, is empty")
            if name in places:
                said = f" {shown(name)}" if self.echo_values else ""
                raise DataError(f"{self.where}: the header names columns {places[name]} and {place} alike{said}")
            places[name] = place
        for name in schema.names:
            if name not in places:
                self.require_commas()
                raise DataError(f"{self.where}: the column {shown(name)} of the schema is missing")
        for name, place in places.items():
            if name not in wanted and extra == REFUSE:
                said = f" ({shown(name)})" if self.echo_values else ""
                raise DataError(
                    f"{self.where}: column {place}{said} is not in the schema; add it to the schema (as a column or as "
                    '"ignored"), or leave out such columns with --ignore-extra'
                )
        for column in schema.columns:
            kind = self.rows.columns[places[column.name] - 1][1]
            if kind is not None:
                where = f"{self.where}, column {shown(column.name)}"
                require_type(column, kind, where, echo=self.echo_values)

    def require_commas(self) -> None:
        """Refuse a header of one name that is probably several, with another separator between them."""
        (first, kind), *others = self.rows.columns
        found = max(_OTHER_SEPARATORS, key=first.count)
        if kind is None and not others and found in first:
            raise DataError(
                f"{self.where}: this file seems to be separated by {_OTHER_SEPARATORS[found]}; save it with commas"
            )

    def batches(self, names: Sequence[str], *, allow_empty: bool = False) -> Iterator[list[Any]]:
        """The named columns as Arrow arrays, some rows at a time; a table without rows is refused unless allowed."""
        rows = 0
        written = {name: original for name, (original, _) in zip(self.header, self.rows.columns, strict=True)}
        for arrays in self.rows.batches([written[name] for name in names]):
            rows += len(arrays[0])
            tell_rows(rows)
            yield arrays
        if rows == 0 and not allow_empty:
            raise DataError(f"{self.where}: has no rows")

    def bad_cell(self, *, row: int, column: Column, mark: int, cell: Any) -> DataError:
        """What is wrong with a cell, in one line; a release says nothing of it that the schema does not say."""
        from release.data.cell_hints import public_hint, spaces_hint
        from release.data.coding import MISSING, REASONS

        said = f" {shown(cell)}" if self.echo_values and mark != MISSING else ""
        place = f"row {row}, column" if self.rows.are_in_order else "column"
        hint = spaces_hint(column, cell) if self.echo_values else public_hint(column, mark, strips=self.strips)
        return DataError(f"{self.where}, {place} {shown(column.name)}: the value{said} {REASONS[mark]}{hint}")


def rows_of_file(path: Path) -> Rows:
    """The rows of a table file: Parquet if its first bytes say so, otherwise CSV."""
    from release.data.table_csv import CsvRows
    from release.data.table_parquet import MAGIC, ParquetRows

    where = f"table {printable(path.name or str(path))}"
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise DataError(f"{where}: is not a regular file")
        with path.open("rb") as stream:
            begins = stream.read(len(MAGIC))
    except OSError as error:
        raise DataError(f"{where}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise DataError(f"{where}: is not a usable name ({error})") from None
    if not begins:
        raise DataError(f"{where}: is empty")
    if begins == MAGIC:
        return ParquetRows(path, where)
    if path.suffix.lower() in (".parquet", ".pq"):
        raise DataError(f"{where}: is not a readable Parquet file")
    return CsvRows(path, where)


def _coded(table: Table, schema: Schema, *, allow_empty: bool) -> Iterator[Codes]:
    import numpy as np

    from release.data.coding import coder_for

    coders = [coder_for(column, strips=schema.spaces == STRIP) for column in schema.columns]
    done = 0
    for arrays in table.batches(schema.names, allow_empty=allow_empty):
        codes = np.empty((len(arrays[0]), len(coders)), dtype=schema.domain.code_type, order="F")
        bad: list[tuple[int, int, int]] = []
        for j, (coder, cells) in enumerate(zip(coders, arrays, strict=True)):
            marked = coder.marked(cells)
            if marked.size and marked.min() < 0:
                row = _first_negative(marked)
                bad.append((row, j, int(marked[row])))
            codes[:, j] = marked
        if bad:
            row, j, mark = min(bad)
            raise table.bad_cell(row=done + row + 1, column=schema.columns[j], mark=mark, cell=_said(arrays[j][row]))
        done += len(codes)
        yield codes


def _said(cell: Any) -> Any:
    """The value of a cell; the bytes of a text in Parquet that claims to be UTF-8 but is not."""
    try:
        return cell.as_py()
    except UnicodeDecodeError:
        return getattr(cell, "value", cell).as_buffer().to_pybytes()


def _first_negative(marked: NDArray[np.integer]) -> int:
    return int((marked < 0).argmax())


def require_pyarrow() -> None:
    if find_spec("pyarrow") is None:
        raise DataError(f"tables need pyarrow, which is not installed: {how_to_install('data')}")


def shown(value: object) -> str:
    """A value of the table or a name, in quotes, on one short line."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    text = printable(text)
    return f"'{text}'" if len(text) <= _MOST_SHOWN else f"'{text[:_MOST_SHOWN]}'... ({len(text)} characters)"


def printable(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text)
