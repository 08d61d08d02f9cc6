"""Synthetic tables written as CSV or Parquet, by the suffix of the file, such that the same schema reads them back.

Labels are written unchanged: a label such as `=1+1` stays as in the schema, and a spreadsheet may take it for a
formula; `formula_labels` finds such labels, so that a caller can warn. release.data.meanings decides what stands for a
code. Files appear whole or not at all: see release.files.outputs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from bounds.errors import OutputError, ParameterError
from bounds.exact import require_range
from release.data.columns import INSIDE, MIDDLE, LevelColumn
from release.data.meanings import csv_cell, meanings_of
from release.data.schema import Schema
from release.data.tables import require_pyarrow
from release.files.outputs import Outputs

if TYPE_CHECKING:
    from release.data.domain import Codes

SUFFIXES = (".csv", ".parquet")
_BLOCK_ROWS = 2**16
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def require_suffix(target: str | Path, *, name: str = "output") -> str:
    """The format given by the name of the file."""
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
    values: str = MIDDLE,
    seed: int = 0,
) -> None:
    """Stage a table, given as codes or blocks of codes; it appears when `outputs` places its files.

    A stamp goes into the metadata of a Parquet file; CSV has no place for one that the schema would read back. With
    `values="inside"` a bin is shown by a value drawn inside it, by a public stream with this seed.
    """
    require_pyarrow()
    suffix = require_suffix(target, name=name)
    if values not in (MIDDLE, INSIDE):
        raise ParameterError("values", values, f"{MIDDLE} or {INSIDE}")
    require_range("seed", seed, seed, least=0, below=2**64)
    drawn = None if values == MIDDLE else seed
    with outputs.stream(target, name=name) as stream:
        if suffix == ".csv":
            _write_csv(stream, _blocks(codes), schema, drawn)
        else:
            _write_parquet(stream, _blocks(codes), schema, stamp, drawn)


def formula_labels(schema: Schema) -> tuple[tuple[str, str], ...]:
    """Columns with names, labels or spellings of gaps that a spreadsheet would take for a formula."""
    return tuple(
        (column.name, text)
        for column in schema.columns
        for text in (column.name, *(column.levels if isinstance(column, LevelColumn) else ()), *column.missing[:1])
        if text.startswith(_FORMULA_STARTS)
    )


def _blocks(codes: Codes | Iterable[Codes]) -> Iterator[Codes]:
    for batch in [codes] if isinstance(codes, np.ndarray) else codes:
        for start in range(0, len(batch), _BLOCK_ROWS):
            yield batch[start : start + _BLOCK_ROWS]


def _write_csv(stream: BinaryIO, blocks: Iterable[Codes], schema: Schema, seed: int | None) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    meanings = meanings_of(schema, seed, as_text=True)
    stream.write((",".join(csv_cell(name) for name in schema.names) + "\n").encode())
    comma = pa.scalar(",", pa.large_string())
    for block in blocks:
        columns = [meaning.cells(np.ascontiguousarray(block[:, j])) for j, meaning in enumerate(meanings)]
        lines = pc.binary_join_element_wise(*columns, comma) if len(columns) > 1 else columns[0]
        stream.write("\n".join(lines.to_pylist()).encode())
        stream.write(b"\n")


def _write_parquet(
    stream: BinaryIO, blocks: Iterable[Codes], schema: Schema, stamp: str | None, seed: int | None
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    meanings = meanings_of(schema, seed, as_text=False)
    fields = [
        pa.field(column.name, meaning.type, nullable=bool(column.missing))
        for column, meaning in zip(schema.columns, meanings, strict=True)
    ]
    layout = pa.schema(fields, metadata=None if stamp is None else {"synthbounds": stamp})
    writer = parquet.ParquetWriter(stream, layout, store_schema=True)
    try:
        for block in blocks:
            arrays = [meaning.cells(block[:, j]) for j, meaning in enumerate(meanings)]
            writer.write_batch(pa.record_batch(arrays, schema=layout))
    except BaseException:
        with contextlib.suppress(Exception):  # the first failure is the one that is reported
            writer.close()
        raise
    writer.close()
