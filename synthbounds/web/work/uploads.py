"""Files that are uploaded: streamed to the private folder under names of ours, and checked on the way.

What is no table and no file of ours is refused in one sentence, and none of it is kept.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bounds.errors import DataError, OutputError, UsageError

MOST_BYTES = 10**9
MOST_UPLOADS = 50
CSV, PARQUET, JSON = "csv", "parquet", "json"
_PARQUET = b"PAR1"
_MOST_NAME = 80
_FOREIGN = (
    ((b"PK\x03\x04", b"PK\x05\x06"), "is a ZIP archive or a spreadsheet; unpack it, or save the table as CSV"),
    ((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf"), "is compressed; unpack it first"),
    ((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "is UTF-16 text; save it as UTF-8"),
    (
        (b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"\x7fELF", b"MZ", b"\xd0\xcf\x11\xe0"),
        "is not a table; choose a CSV or Parquet file",
    ),
    ((b"SQLite format 3",), "is a database; save the table as CSV"),
)
"""How files begin that are uploaded by mistake, and what to do."""
_OWN_NAMES = {"schema.json", "synthetic.csv", "answer.json", "said.txt", "order.json", "outcome.json", "report.html"}


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file in the private folder."""

    id: str
    name: str
    """Its own name, made harmless as a file name."""
    kind: str
    size: int
    path: Path
    digest: str
    """SHA-256 of its bytes, which is never shown: it would tell whether a guess of the table is right."""
    public: bool = False
    schema: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"id": self.id, "name": self.name, "kind": self.kind, "bytes": self.size}
        return found | {"public": self.public} | ({} if self.schema is None else {"schema": self.schema})


class Uploads:
    """All of them, in one folder."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self._found: dict[str, Upload] = {}
        self._count = 0

    def __iter__(self) -> Any:
        return iter(self._found.values())

    def named(self, number: object) -> Upload:
        found = self._found.get(number) if isinstance(number, str) else None
        if found is None:
            raise UsageError("there is no such upload: it may be from an earlier start; upload the file again")
        return found

    def forget(self, number: object) -> None:
        """Remove one, with its file."""
        found = self.named(number)
        del self._found[found.id]
        found.path.unlink(missing_ok=True)

    async def receive(self, name: str, parts: AsyncIterator[bytes], size: int) -> Upload:
        """The file as it arrives; one that is wrong is refused as soon as that is known."""
        if len(self._found) >= MOST_UPLOADS:
            raise UsageError(f"there are {MOST_UPLOADS} uploads already: remove one that you no longer need")
        require_room(self._folder, size)
        self._count += 1
        number = f"t{self._count}"
        path, look = self._folder / f"{number}.part", _Look(name)
        try:
            with open(path, "xb", opener=_private) as stream:
                async for part in parts:
                    look.at(part)
                    stream.write(part)
            if look.size != size:
                raise DataError(f"{shown_name(name)}: did not arrive completely; upload it again")
            kind = look.kind()
        except TimeoutError:
            raise
        except OSError as error:
            raise OutputError(f"the file cannot be kept ({error.strerror})") from None
        finally:
            if not look.is_fine:
                path.unlink(missing_ok=True)
        return self._keep(number, name, look, path, kind)

    def copy(self, source: Path, *, schema: dict[str, Any]) -> Upload:
        """A public table of ours, as if it had been uploaded."""
        self._count += 1
        number = f"t{self._count}"
        path, look = self._folder / f"{number}.part", _Look(source.name)
        with source.open("rb") as read, open(path, "xb", opener=_private) as stream:
            while part := read.read(2**20):
                look.at(part)
                stream.write(part)
        return self._keep(number, source.name, look, path, look.kind(), public=True, schema=schema)

    def _keep(self, number: str, name: str, look: _Look, path: Path, kind: str, **more: Any) -> Upload:
        place = path.with_suffix(f".{kind}")
        os.rename(path, place)
        found = Upload(
            id=number,
            name=file_name(name, kind),
            kind=kind,
            size=look.size,
            path=place,
            digest=look.digest.hexdigest(),
            **more,
        )
        self._found[number] = found
        return found


class _Look:
    """What is checked of a file while it arrives."""

    def __init__(self, name: str) -> None:
        self._where = shown_name(name)
        self._begins, self._ends = b"", b""
        self._text = codecs.getincrementaldecoder("utf-8")()
        self.size = 0
        self.digest = hashlib.sha256()
        self.is_fine = False

    def at(self, part: bytes) -> None:
        """The next bytes; DataError as soon as they cannot be right."""
        self.size += len(part)
        self.digest.update(part)
        known = len(self._begins) >= 16
        if not known:
            self._begins += part
            for starts, why in _FOREIGN:
                if self._begins.startswith(starts):
                    raise DataError(f"{self._where}: {why}")
        self._ends = (self._ends + part)[-4:]
        if not self._begins.startswith(_PARQUET):
            self._read(part)

    def _read(self, part: bytes, *, final: bool = False) -> None:
        if b"\0" in part:
            raise DataError(f"{self._where}: contains NUL bytes: it is UTF-16, or not a table; save it as CSV in UTF-8")
        try:
            self._text.decode(part, final)
        except UnicodeDecodeError:
            raise DataError(f"{self._where}: is not UTF-8 text; save it as UTF-8") from None

    def kind(self) -> str:
        """Which kind of file the whole is."""
        if not self.size:
            raise DataError(f"{self._where}: is empty")
        if self._begins.startswith(_PARQUET):
            if self.size < 12 or self._ends != _PARQUET:
                raise DataError(f"{self._where}: is not a readable Parquet file; is it cut off?")
            found = PARQUET
        else:
            self._read(b"", final=True)
            found = JSON if self._begins.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) else CSV
        self.is_fine = True
        return found


def require_room(folder: Path, size: int) -> None:
    """Refuse a file that the disk has no room for, before any of it is written."""
    if shutil.disk_usage(folder).free < size + 2**20:
        raise OutputError("the disk with the private folder has too little room for this file")


def file_name(name: str, kind: str) -> str:
    """A name for the file that a shell, a browser and every system take; its kind follows from its ending."""
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("._-")[:_MOST_NAME] or "table"
    ends = {CSV: (".csv", ".txt", ".tsv"), PARQUET: (".parquet", ".pq"), JSON: (".json",)}[kind]
    if not stem.lower().endswith(ends):
        stem += ends[0]
    return f"my-{stem}" if stem.lower() in _OWN_NAMES else stem


def shown_name(name: str) -> str:
    """The name as it was sent, without folders, for a message."""
    text = "".join(c if c.isprintable() else "?" for c in re.split(r"[/\\\\]", name)[-1])
    return text if len(text) <= _MOST_NAME else f"{text[:_MOST_NAME]}..."


def _private(path: str, flags: int) -> int:
    with contextlib.suppress(AttributeError):
        flags |= os.O_NOFOLLOW
    return os.open(path, flags, 0o600)
