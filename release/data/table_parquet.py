"""Parquet files in batches of Arrow arrays, a bounded number of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bounds.errors import DataError
from release.data.coding import is_text
from release.data.rows import Rows

MAGIC = b"PAR1"
_BATCH_ROWS = 2**16
_BATCH_CELLS = 2**22
_BUFFER_BYTES, _ALL_BUFFERS = 2**20, 2**26
"""Of one column, and of all columns together."""
ROWS, ROWS_A_BYTE = 2**24, 16
BYTES, BYTES_A_BYTE = 2**28, 100
"""What any file may say that it holds, and how much more for each of its bytes: a few can stand for anything."""


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

    A text that stands in the file once may stand in all its rows, which then have no room.
    """
    import pyarrow as pa
    from pyarrow import parquet

    rows = 0
    texts = [name for name, kind in _types(path, where) if is_text(kind)]
    count, buffer = max(1, len(names)), min(_BUFFER_BYTES, _ALL_BUFFERS // max(1, len(names)))
    try:
        with parquet.ParquetFile(path, read_dictionary=texts, pre_buffer=False, buffer_size=buffer) as file:
            _require_room(file.metadata, path.stat().st_size, where)
            size = min(_BATCH_ROWS, 1 + _BATCH_CELLS // count)
            for batch in file.iter_batches(size, columns=list(names), use_threads=False):
                columns = {field.name: batch.column(i) for i, field in enumerate(batch.schema)}
                yield [columns[name] for name in names]
                rows += len(batch)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError):
        raise DataError(f"{where}: cannot be read as Parquet after row {rows}; is the file damaged?") from None


def _require_room(metadata: Any, size: int, where: str) -> None:
    """Refuse a file that would be far larger unpacked; how large is not said, since rows may be nobody's business."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    if metadata.num_rows > ROWS + ROWS_A_BYTE * size:
        raise DataError(
            f"{where}: has more rows than a Parquet file of its size may have; write it without compression"
        )
    if sum(group.total_byte_size for group in groups) > BYTES + BYTES_A_BYTE * size:
        raise DataError(f"{where}: would be more than {BYTES_A_BYTE} times as large unpacked; write it less compressed")
