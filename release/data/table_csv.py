"""CSV files in batches of Arrow arrays: UTF-8, commas, a header, quotes and line ends as in RFC 4180.

Things that the parser would accept silently are refused here: NUL bytes, other encodings, rows of another length, an
opening quote that is never closed. Cells are bytes; what they mean is decided in release.data.coding.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError
from release.data.rows import Rows

if TYPE_CHECKING:
    from typing import BinaryIO

BLOCK_BYTES = 2**21
"""Memory is a few times this; a row may not be longer."""
_HEADER_BYTES = 2**20
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
_UTF8_MARK = b"\xef\xbb\xbf"


class _CheckedStream(io.RawIOBase):
    """The bytes of a file, checked on the way to the parser."""

    def __init__(self, stream: BinaryIO, where: str) -> None:
        self._stream, self._where = stream, where
        self.quotes = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        if b"\0" in data:
            raise DataError(f"{self._where}: contains NUL bytes; it must be UTF-8 text (is it UTF-16, or not a table?)")
        self.quotes += data.count(b'"')
        return data


def csv_header(path: Path, where: str) -> list[str]:
    """The names of the columns, from the first line."""
    with path.open("rb") as stream:
        head = stream.read(_HEADER_BYTES)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"{where}: is UTF-16 text; save it as UTF-8")
    if head[:2] == b"\x1f\x8b":
        raise DataError(f"{where}: is compressed; unpack it first")
    if b"\0" in head:
        raise DataError(f"{where}: contains NUL bytes; it must be UTF-8 text (is it UTF-16, or not a table?)")
    text = head.removeprefix(_UTF8_MARK).decode("utf-8", "surrogateescape")
    if not text:
        raise DataError(f"{where}: is empty")
    lines = io.StringIO(text, newline="")
    try:
        header = next(csv.reader(lines, strict=False))
    except csv.Error:
        raise DataError(f"{where}: the header cannot be read") from None
    if len(head) == _HEADER_BYTES and not lines.read(1):
        raise DataError(f"{where}: the header is longer than {_HEADER_BYTES // 2**20} MiB")
    if not header:
        raise DataError(f"{where}: the first line is empty; it must name the columns")
    for place, name in enumerate(header, start=1):
        if any("\ud800" <= c <= "\udfff" for c in name):
            raise DataError(f"{where}: the header, column {place}, is not UTF-8 text")
    return header


class CsvRows(Rows):
    """The rows of a CSV file."""

    def __init__(self, path: Path, where: str) -> None:
        self._path, self.where = path, where
        self.columns = [(name, None) for name in csv_header(path, where)]

    def batches(self, names: Sequence[str]) -> Iterator[list[Any]]:
        return _batches(self._path, names, [name for name, _ in self.columns], self.where)


def _batches(path: Path, names: Sequence[str], header: Sequence[str], where: str) -> Iterator[list[Any]]:
    """The named columns, a list of arrays of equal length at a time."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    rows = 0
    with path.open("rb") as raw:
        stream = _CheckedStream(raw, where)
        try:
            reader = arrow_csv.open_csv(
                pa.PythonFile(stream, mode="r"),
                read_options=arrow_csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES),
                parse_options=arrow_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
                convert_options=arrow_csv.ConvertOptions(
                    column_types={name: pa.dictionary(pa.int32(), pa.binary()) for name in header},
                    include_columns=list(names),
                    null_values=[],
                    strings_can_be_null=False,
                    check_utf8=False,
                ),
            )
            for batch in reader:
                rows += len(batch)
                if len(batch):
                    yield batch.columns
        except pa.ArrowInvalid as error:
            if rows == 0 and "Empty CSV" in str(error):
                return
            raise DataError(f"{where}: {_explained(str(error), rows)}") from None
    if stream.quotes % 2:
        raise DataError(f"{where}: the number of quotes is odd: a quoted cell is never closed; is the file cut off?")


def _explained(message: str, rows: int) -> str:
    """The parser's error message without the text that it quotes from the table."""
    ragged = _RAGGED.search(message)
    if ragged is not None:  # its first row is the header
        return f"row {int(ragged[1]) - 1} has {ragged[3]} cells, the header has {ragged[2]}"
    if "straddl" in message:
        return f"after row {rows} a row is longer than {BLOCK_BYTES // 2**20} MiB, or a quote is never closed"
    return f"cannot be read as CSV after row {rows}"
