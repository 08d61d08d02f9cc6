"""Synthetic tables written as CSV or Parquet, by the suffix of the file, such that the same schema reads them back.

Labels are written as they are, never changed: a label such as `=1+1` stays what the schema says, and a spreadsheet may
take it for a formula; `formula_labels` finds them, so that a caller can warn. Numbers are the middle of their bin or
the point of their grid. Whole files or none: see release.files.outputs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from bounds.errors import OutputError
from release.data.columns import Column, LevelColumn
from release.data.schema import Schema
from release.data.tables import require_pyarrow
from release.files.outputs import Outputs

if TYPE_CHECKING:
    from release.data.domain import Codes

SUFFIXES = (".csv", ".parquet")
_BLOCK_ROWS = 2**16
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def require_suffix(target: str | Path, *, name: str = "output") -> str:
    """The format that the name of the file asks for."""
    suffix = Path(target).suffix.lower()
    if suffix not in SUFFIXES:
        raise OutputError(f"{name} = {target}: must end in {' or '.join(SUFFIXES)}")
    return suffix


def write_table(
    outputs: Outputs,
    target: str | Path,
    codes: Codes | Iterable[Codes],
    schema: Schema,
    *,
    name: str = "output",
    stamp: str | None = None,
) -> None:
    """Stage a table, given as codes or blocks of codes; it appears when `outputs` places its files.

    A stamp goes into the metadata of a Parquet file; CSV has no place for one that the schema would read back.
    """
    require_pyarrow()
    suffix = require_suffix(target, name=name)
    with outputs.stream(target, name=name) as stream:
        if suffix == ".csv":
            _write_csv(stream, _blocks(codes), schema)
        else:
            _write_parquet(stream, _blocks(codes), schema, stamp)


def formula_labels(schema: Schema) -> tuple[tuple[str, str], ...]:
    """Columns with names or labels that a spreadsheet would take for a formula."""
    return tuple(
        (column.name, text)
        for column in schema.columns
        for text in (column.name, *(column.levels if isinstance(column, LevelColumn) else ()))
        if text.startswith(_FORMULA_STARTS)
    )


def csv_cell(text: str) -> str:
    """A cell of RFC 4180. Quoted, too, is what a reader could take for the byte order mark of the file."""
    if any(c in text for c in ',"\r\n') or text.startswith("\ufeff"):
        return '"' + text.replace('"', '""') + '"'
    return text


def _blocks(codes: Codes | Iterable[Codes]) -> Iterator[Codes]:
    for batch in [codes] if isinstance(codes, np.ndarray) else codes:
        for start in range(0, len(batch), _BLOCK_ROWS):
            yield batch[start : start + _BLOCK_ROWS]


def _write_csv(stream: BinaryIO, blocks: Iterable[Codes], schema: Schema) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = [pa.array([csv_cell(text) for text in column.texts], pa.large_string()) for column in schema.columns]
    stream.write((",".join(csv_cell(name) for name in schema.names) + "\n").encode())
    comma = pa.scalar(",", pa.large_string())
    for block in blocks:
        columns = [texts.take(pa.array(np.ascontiguousarray(block[:, j]))) for j, texts in enumerate(cells)]
        lines = pc.binary_join_element_wise(*columns, comma) if len(columns) > 1 else columns[0]
        stream.write("\n".join(lines.to_pylist()).encode())
        stream.write(b"\n")


def _write_parquet(stream: BinaryIO, blocks: Iterable[Codes], schema: Schema, stamp: str | None) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    meanings = [_arrow_values(column) for column in schema.columns]
    fields = []
    for column, values in zip(schema.columns, meanings, strict=True):
        kind = pa.dictionary(pa.int32(), values.type) if isinstance(column, LevelColumn) else values.type
        fields.append(pa.field(column.name, kind, nullable=False))
    layout = pa.schema(fields, metadata=None if stamp is None else {"synthbounds": stamp})
    writer = parquet.ParquetWriter(stream, layout, store_schema=True)
    try:
        for block in blocks:
            arrays = []
            for j, (column, values) in enumerate(zip(schema.columns, meanings, strict=True)):
                places = pa.array(block[:, j].astype(np.int32))
                if isinstance(column, LevelColumn):
                    arrays.append(pa.DictionaryArray.from_arrays(places, values))
                else:
                    arrays.append(values.take(places))
            writer.write_batch(pa.record_batch(arrays, schema=layout))
    except BaseException:
        with contextlib.suppress(Exception):  # the first failure is the one that is reported
            writer.close()
        raise
    writer.close()


def _arrow_values(column: Column) -> Any:
    """What each code is in Parquet: a label, an integer or a float if that reads back as the code, else a decimal."""
    import pyarrow as pa

    from release.data.coding import coder_for

    if isinstance(column, LevelColumn):
        return pa.array(column.levels, pa.string())
    candidates = []
    if all("." not in text and abs(int(text)) < 2**63 for text in column.texts):
        candidates.append(pa.array([int(text) for text in column.texts], pa.int64()))
    candidates.append(pa.array([float(text) for text in column.texts], pa.float64()))
    coder = coder_for(column)
    codes = np.arange(column.size)
    for values in candidates:
        if np.array_equal(coder.marked(values), codes):
            return values
    return pa.array(column.texts, pa.string())
