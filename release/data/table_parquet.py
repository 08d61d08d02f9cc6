"""Parquet files in batches of Arrow arrays, a bounded number of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bounds.errors import DataError

MAGIC = b"PAR1"
_BATCH_ROWS = 2**16


def parquet_types(path: Path, where: str) -> list[tuple[str, Any]]:
    """Names and Arrow types of the columns."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            return [(field.name, field.type) for field in file.schema_arrow]
    except (pa.ArrowException, OSError, ValueError, TypeError):
        raise DataError(f"{where}: is not a readable Parquet file") from None


def parquet_batches(path: Path, names: Sequence[str], few: Sequence[str], where: str) -> Iterator[list[Any]]:
    """The named columns, a list of arrays of equal length at a time; those in `few` as dictionaries."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = 0
    texts = [name for name, kind in parquet_types(path, where) if pa.types.is_string(kind) and name in few]
    try:
        with parquet.ParquetFile(path, read_dictionary=texts, pre_buffer=False, buffer_size=2**20) as file:
            for batch in file.iter_batches(_BATCH_ROWS, columns=list(names), use_threads=False):
                columns = {field.name: batch.column(i) for i, field in enumerate(batch.schema)}
                yield [columns[name] for name in names]
                rows += len(batch)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError):
        raise DataError(f"{where}: cannot be read as Parquet after row {rows}; is the file damaged?") from None
