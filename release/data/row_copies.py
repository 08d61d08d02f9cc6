"""Rows of a public table file taken by their numbers and written as they are, with all columns, in the same format."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import DataError, OutputError
from release.data.table_parquet import ParquetRows
from release.data.tables import rows_of_file
from release.data.writing import require_suffix
from release.files.outputs import Outputs

if TYPE_CHECKING:
    from typing import BinaryIO

    from numpy.typing import NDArray


def require_same_format(source: str | Path, target: str | Path, *, name: str) -> None:
    """Refuse a target whose name asks for another format than the table has."""
    wanted = require_suffix(target, name=name)
    has = ".parquet" if isinstance(rows_of_file(Path(source)), ParquetRows) else ".csv"
    if wanted != has:
        raise OutputError(f"{name} = {target}: rows are copied as they are, so it must end in {has}, like the table")


def copy_rows(outputs: Outputs, source: str | Path, target: str | Path, places: NDArray[np.intp], *, name: str) -> None:
    """Stage the rows at these places, which must rise; a place that stands twice is written twice."""
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
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.read_table(source, use_threads=False)
    if len(places) and int(places[-1]) >= table.num_rows:
        raise DataError(f"table {source.name}: has changed while it was read")
    parquet.write_table(table.take(pa.array(places)), stream)
