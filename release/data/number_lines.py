"""A file of one number per row below a header: goes with a table, in the order of its rows."""

from __future__ import annotations

from pathlib import Path

from bounds.errors import DataError, OutputError
from release.data.decimals import parse_decimal
from release.files.strict_json import read_bytes

_MARK = b"\xef\xbb\xbf"


def number_lines(path: str | Path, where: str) -> list[str]:
    """The text of every row; the caller interprets it."""
    try:
        text = read_bytes(path, where, OutputError).removeprefix(_MARK).decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{where}: is not UTF-8 text with one number per row") from None
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        raise DataError(f"{where}: is empty; it must have a header and one number per row")
    if _unquoted(lines[0]) == "" or parse_decimal(_unquoted(lines[0])) is not None:
        raise DataError(f"{where}: the first line must name the column; it is empty or a number")
    return [_unquoted(line) for line in lines[1:]]


def _unquoted(line: str) -> str:
    line = line.strip()
    return line[1:-1] if len(line) > 1 and line[0] == line[-1] == '"' else line
