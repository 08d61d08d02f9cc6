"""A folder of Parquet files as one table: streamed one by one, by the order of their names, and watched for changes."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bounds.errors import DataError
from release.data.rows import Rows
from release.data.table_parquet import ParquetRows
from release.data.tables import printable
from release.lake.address import Address

_SUFFIXES = (".parquet", ".pq")


class ParquetFiles(Rows):
    """All Parquet files of a folder and its folders, or all that match a pattern; with the same columns and types.

    Names that begin with a dot or an underscore are those of unfinished or other files, and left out of a folder.
    """

    def __init__(self, address: Address) -> None:
        self.where = address.where
        self._paths = _paths(address.place, self.where)
        self._before = [_facts(path) for path in self._paths]
        self._files = [ParquetRows(path, f"table {printable(path.name)}") for path in self._paths]
        self.columns = self._files[0].columns
        for file in self._files[1:]:
            if sorted(file.columns, key=_by_name) != sorted(self.columns, key=_by_name):
                raise DataError(f"{file.where}: has other columns, or other types, than {self._files[0].where}")

    def batches(self, names: Sequence[str]) -> Iterator[list[Any]]:
        for path, before, file in zip(self._paths, self._before, self._files, strict=True):
            yield from file.batches(names)
            if _facts(path) != before:
                raise DataError(f"{file.where}: has changed while it was read")

    @property
    def are_in_order(self) -> bool:  # type: ignore[override]
        """A row has no number by which it could be found."""
        return len(self._files) == 1


def _by_name(column: tuple[str, Any]) -> str:
    return column[0]


def _paths(place: str, where: str) -> list[Path]:
    folder = Path(place)
    try:
        if folder.is_dir():
            found = [path for suffix in _SUFFIXES for path in folder.rglob(f"*{suffix}")]
            found = [path for path in found if not any(p[0] in "._" for p in path.relative_to(folder).parts)]
        else:
            found = [Path(path) for path in glob.glob(place, recursive=True)]
        files = sorted({path for path in found if path.is_file()})
    except (OSError, ValueError) as error:
        raise DataError(f"{where}: cannot be read ({type(error).__name__})") from None
    if not files:
        raise DataError(f"{where}: there is no Parquet file")
    return files


def _facts(path: Path) -> tuple[int, int, int]:
    """What changes when a file is written."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise DataError(f"table {printable(path.name)}: cannot be read ({error.strerror})") from None
    return found.st_size, found.st_mtime_ns, found.st_ino
