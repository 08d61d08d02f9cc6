"""Rows of a public table file taken by number and written unchanged, with all columns, in the same format."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import DataError, OutputError
from release.data.table_parquet import BYTES, BYTES_A_BYTE, ParquetRows, record_batches
from release.data.tables import Table, rows_of_file
from release.data.writing import require_suffix
from release.files.outputs import Outputs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    from numpy.typing import NDArray

_AT_ONCE = 2**25
"""Bytes of texts that are written together."""


def require_same_format(source: str | Path, target: str | Path, *, name: str) -> None:
    """Refuse a target whose name asks for another format than the table has."""
    wanted = require_suffix(target, name=name)
    has = ".parquet" if isinstance(rows_of_file(Path(source)), ParquetRows) else ".csv"
    if wanted != has:
        raise OutputError(f"{name} = {target}: rows are copied as they are, so it must end in {has}, like the table")


def copy_rows(outputs: Outputs, source: str | Path, target: str | Path, places: NDArray[np.intp], *, name: str) -> None:
    """Stage the rows at these places, which must not fall; a place given twice is written twice."""
    require_same_format(source, target, name=name)
    with outputs.stream(target, name=name) as stream:
        if isinstance(rows_of_file(Path(source)), ParquetRows):
            _copy_parquet(Path(source), stream, places)
        else:
            _copy_csv(Path(source), stream, places)


def _copy_csv(source: Path, stream: BinaryIO, places: NDArray[np.intp]) -> None:
    written, copies = 0, np.bincount(places)
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    with source.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.reader(lines, strict=True)
        try:
            writer.writerow(next(rows))
            for row, count in zip(rows, copies.tolist(), strict=False):
                writer.writerows([row] * count)
                written += count
        except csv.Error as error:
            raise DataError(f"table {source.name}: row {rows.line_num - 1} cannot be copied ({error})") from None
    text.detach()
    if written != len(places):
        raise DataError(f"table {source.name}: has changed while it was read")


def _copy_parquet(source: Path, stream: BinaryIO, places: NDArray[np.intp]) -> None:
    """Some rows at a time, of types as they are; texts are dictionaries until few enough of them are written."""
    import pyarrow as pa
    from pyarrow import parquet

    table = Table(source)
    most, start, written = BYTES + BYTES_A_BYTE * source.stat().st_size, 0, 0
    try:
        schema = parquet.read_schema(source)
        with parquet.ParquetWriter(stream, schema) as writer:
            for batch in record_batches(source, table.header, table.where):
                here = places[np.searchsorted(places, start) : np.searchsorted(places, start + len(batch))]
                rows, start, written = batch.take(pa.array(here - start)), start + len(batch), written + len(here)
                most -= _bytes(rows, schema)
                if most < 0:
                    raise DataError(f"{table.where}: its rows are more than {BYTES_A_BYTE} times as large as the file")
                for part in _parts(rows, schema):
                    writer.write_batch(part.cast(schema))
    except pa.ArrowException:
        raise DataError(f"{table.where}: its rows cannot be copied; is the file damaged?") from None
    if written != len(places):
        raise DataError(f"{table.where}: has changed while it was read")


def _parts(rows: Any, schema: Any) -> Iterator[Any]:
    """The rows in parts that stay small even if every text is written out in its row."""
    if len(rows) < 2 or _bytes(rows, schema) <= _AT_ONCE:
        yield rows
        return
    for part in (rows.slice(0, len(rows) // 2), rows.slice(len(rows) // 2)):
        yield from _parts(part, schema)


def _bytes(rows: Any, schema: Any) -> int:
    """Of the texts that are dictionaries here and are none in the file, each in its row."""
    import pyarrow.compute as pc

    found = 0
    for column, field in zip(rows.columns, schema, strict=True):
        if column.type != field.type:
            found += pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0
    return found
