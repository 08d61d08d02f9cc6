"""Parquet files in batches of Arrow arrays, a bounded number of rows at a time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError
from release.data.coding import is_text
from release.data.parquet_pages import footer, pages
from release.data.rows import Rows

if TYPE_CHECKING:
    from typing import BinaryIO

MAGIC = b"PAR1"
_BATCH_ROWS = 2**16
_BATCH_CELLS = 2**22
_BUFFER_BYTES, _ALL_BUFFERS = 2**20, 2**26
"""Of one column, and of all columns together."""
ROWS, ROWS_A_BYTE = 2**24, 16
CELLS, CELLS_A_BYTE = 2**27, 64
BYTES, BYTES_A_BYTE = 2**28, 100
PAGE, PAGE_A_BYTE = 2**26, 4
"""The size that any file may state, and how much more per byte of the file: a few bytes can stand for anything."""


class ParquetRows(Rows):
    """The rows of a Parquet file."""

    def __init__(self, path: Path, where: str) -> None:
        self._path, self.where = path, where
        self.columns = _types(path, where)

    def batches(self, names: Sequence[str]) -> Iterator[list[Any]]:
        return _batches(self._path, names, self.where)


def _types(path: Path, where: str) -> list[tuple[str, Any]]:
    """Names and Arrow types of the columns."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            return [(field.name, field.type) for field in file.schema_arrow]
    except (pa.ArrowException, OSError, ValueError, TypeError):
        raise DataError(f"{where}: is not a readable Parquet file") from None


def _batches(path: Path, names: Sequence[str], where: str) -> Iterator[list[Any]]:
    """The named columns, a list of arrays of equal length at a time; texts as dictionaries.

    A text stored once in the file may be in all its rows, which may then not fit into memory.
    """
    for batch in record_batches(path, names, where):
        columns = {field.name: batch.column(i) for i, field in enumerate(batch.schema)}
        yield [columns[name] for name in names]


def record_batches(path: Path, names: Sequence[str], where: str) -> Iterator[Any]:
    """The same as batches of records."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = 0
    texts = [name for name, kind in _types(path, where) if is_text(kind)]
    count, buffer = max(1, len(names)), min(_BUFFER_BYTES, _ALL_BUFFERS // max(1, len(names)))
    try:
        with parquet.ParquetFile(path, read_dictionary=texts, pre_buffer=False, buffer_size=buffer) as file:
            with path.open("rb") as stream:
                _require_room(stream, len(names), where)
            size = min(_BATCH_ROWS, 1 + _BATCH_CELLS // count)
            for batch in file.iter_batches(size, columns=list(names), use_threads=False):
                _require_places(batch)
                yield batch
                rows += len(batch)
    except (pa.ArrowException, OSError, EOFError, ValueError, TypeError, KeyError):
        raise DataError(f"{where}: cannot be read as Parquet after row {rows}; is the file damaged?") from None


def _require_places(batch: Any) -> None:
    """For a damaged file the library gives places that are not in the dictionary."""
    import pyarrow.compute as pc
    import pyarrow.types as t

    for column in batch.columns:
        if t.is_dictionary(column.type):
            ends = pc.min_max(column.indices).as_py()
            if ends["min"] is not None and not 0 <= ends["min"] <= ends["max"] < len(column.dictionary):
                raise ValueError("a place that is none")


def _require_room(stream: BinaryIO, columns: int, where: str) -> None:
    """Refuse a file that would be far larger unpacked; how large is not said, since the number of rows may be private.

    The sizes in the footer and in the pages must both be in proportion: the library believes each somewhere.
    """
    size, said = os.fstat(stream.fileno()).st_size, footer(stream)
    unpacked, values = 0, Counter[int]()
    for page in pages(stream, said):
        unpacked += page.unpacked
        values[page.column] += page.values
        if page.unpacked > PAGE + PAGE_A_BYTE * page.packed or unpacked > BYTES + BYTES_A_BYTE * size:
            raise DataError(
                f"{where}: would be more than {BYTES_A_BYTE} times as large unpacked; write it less compressed"
            )
    rows = max(said.rows, *values.values(), 0)
    if rows > ROWS + ROWS_A_BYTE * size or rows * columns > CELLS + CELLS_A_BYTE * size:
        raise DataError(
            f"{where}: has more rows than a Parquet file of its size may have; write it without compression"
        )
