"""JSON read strictly: no key twice, no NaN, numbers kept as they were written, every error one line with its place.

The reader of an object decides what it may contain; here are the parts that all files have in common.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bounds.errors import FILES, DataError, SynthboundsError

MOST_FILE_BYTES = 2**26
_SHORT = 3
_MOST_DEPTH = 60
"""Far more than any file of ours has, and far less than the recursion that reads one can bear."""


class Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


class _Numbers(dict[str, Number]):
    """Short ones are made once: a file may hold millions of them, and an object takes more memory than its digits."""

    def __missing__(self, text: str) -> Number:
        found = Number(text)
        if len(text) <= _SHORT:
            self[text] = found
        return found


def read_json_file(path: str | Path, kind: str) -> tuple[str, str]:
    """The text of a file of this kind, and how error messages about it begin."""
    where = f"{kind} {shown(Path(path).name or str(path))}"
    data = read_bytes(path, where, DataError)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"{where}: is UTF-16 text; save it as UTF-8")
    try:
        return data.decode("utf-8-sig"), where
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: is not UTF-8 text (byte {error.start})") from None


def read_bytes(path: str | Path, where: str, unreadable: type[SynthboundsError]) -> bytes:
    """The contents of a regular file of bounded size; a device or a pipe may never end."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise DataError(f"{where}: is not a regular file")
        with open(path, "rb") as stream:
            data = stream.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise unreadable(f"{where}: cannot be read ({error.strerror})") from None
    except ValueError as error:  # a name with NUL
        raise unreadable(f"{where}: is not a usable name ({error})") from None
    if len(data) > MOST_FILE_BYTES:
        raise DataError(f"{where}: is larger than {MOST_FILE_BYTES // 2**20} MiB")
    return data


def parse_json(text: str, where: str) -> object:
    """The value that the text denotes, its numbers as Number; `where` begins every error message."""

    def constant(name: str) -> object:
        raise DataError(f"{where}: {name} is not a number of JSON")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
            raise DataError(f"{where}: the key {shown(twice)} is given twice in one object")
        return found

    number = _Numbers().__getitem__
    try:
        found: object = json.loads(
            text, parse_float=number, parse_int=number, parse_constant=constant, object_pairs_hook=unique
        )
    except json.JSONDecodeError as error:
        if not text.strip():
            raise DataError(f"{where}: is empty") from None
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            raise DataError(f"{where}: ends early, line {_lines(text)}") from None
        raise DataError(f"{where}: is not JSON (line {error.lineno}, column {error.colno}: {error.msg})") from None
    except RecursionError:
        raise DataError(f"{where}: is nested too deeply") from None
    level = [found]
    for _ in range(_MOST_DEPTH):
        level = [part for whole in level for part in _parts(whole) if isinstance(part, dict | list)]
    if level:
        raise DataError(f"{where}: is nested too deeply")
    return found


def _lines(text: str) -> int:
    return text.rstrip().count("\n") + 1


def _parts(body: object) -> Iterable[object]:
    return body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()


def require_object(body: object, where: str, needed: set[str], allowed: set[str] | None = None) -> dict[str, Any]:
    """An object with every required field, perhaps some allowed ones, and no others."""
    known = needed | (allowed or set())
    if not isinstance(body, dict):
        raise DataError(f"{where}: must be an object with " + ", ".join(sorted(needed)))
    for key in body:
        if key not in known and key in FILES:
            raise DataError(f"{where}: is the file of {FILES[key]}; give the right one, or give the files in order")
        if key not in known:
            raise DataError(f"{where}: {shown(key)} is not a field; known are {', '.join(sorted(known))}")
    for key in sorted(needed):
        if key not in body:
            raise DataError(f"{where}: {key} is missing")
    return body


def is_text(body: object) -> bool:
    """Text in quotes that a UTF-8 file can contain."""
    if not isinstance(body, str) or isinstance(body, Number):
        return False
    try:
        body.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(value: object) -> str:
    """A value on one short line."""
    if isinstance(value, Number):
        text = str(value)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            text = type(value).__name__
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 60 else f"{text[:48]}... ({len(text)} characters)"
