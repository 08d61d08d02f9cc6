"""Rows of cells in lines of limited width: narrow columns first, then rows of several lines, and no cell is lost."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

_NARROWEST = 16
"""A column of text is not made narrower than this, nor than its longest word."""
_BETWEEN, _FURTHER = "  ", "    "


@dataclass(frozen=True)
class Layout:
    """Widths of the columns, and which of them share a line of a row."""

    widths: tuple[int, ...]
    lines: tuple[tuple[int, ...], ...]
    right: frozenset[int]

    def row(self, cells: Sequence[str]) -> list[str]:
        """One row; lines after the first are indented."""
        said: list[str] = []
        for number, columns in enumerate(self.lines):
            wrapped = [_wrapped(cells[i], self.widths[i]) for i in columns]
            indent = _FURTHER if number else ""
            for height in range(max(len(lines) for lines in wrapped)):
                parts = [
                    self._placed(lines[height] if height < len(lines) else "", column)
                    for column, lines in zip(columns, wrapped, strict=True)
                ]
                said.append((indent + _BETWEEN.join(parts)).rstrip())
        return [said[0], *(line for line in said[1:] if line)]

    def _placed(self, text: str, column: int) -> str:
        return text.rjust(self.widths[column]) if column in self.right else text.ljust(self.widths[column])


def layout(rows: Sequence[Sequence[str]], right: frozenset[int], most: int) -> Layout:
    """How these rows, the names of the columns among them, are set in lines of at most this many characters."""
    columns = range(len(rows[0]))
    natural = [max(len(row[i]) for row in rows) for i in columns]
    least = [
        width if i in right else max(min(width, _NARROWEST), *(len(word) for row in rows for word in row[i].split()), 0)
        for i, width in enumerate(natural)
    ]
    room = most - len(_BETWEEN) * (len(natural) - 1)
    if sum(natural) <= room:
        return Layout(tuple(natural), (tuple(columns),), right)
    folded = _folded(natural, least, right, most)
    if sum(least) > room:
        return folded
    narrow = Layout(_shared_out(natural, least, room), (tuple(columns),), right)
    return min(narrow, folded, key=lambda one: sum(len(one.row(row)) for row in rows))


def _folded(natural: Sequence[int], least: Sequence[int], right: frozenset[int], most: int) -> Layout:
    """Rows of several lines, each with as many columns as it holds."""
    columns = range(len(natural))
    room = most - len(_FURTHER)
    widths = [min(width, max(room // 2, narrow)) for width, narrow in zip(natural, least, strict=True)]
    lines: list[list[int]] = [[]]
    for i in columns:
        if lines[-1] and sum(widths[j] + len(_BETWEEN) for j in lines[-1]) + widths[i] > (room if lines[1:] else most):
            lines.append([])
        lines[-1].append(i)
    for line in lines:  # what a line leaves free goes to its widest column of text
        free = room - sum(widths[i] for i in line) - len(_BETWEEN) * (len(line) - 1)
        for i in sorted(line, key=lambda i: widths[i] - natural[i]):
            more = max(0, min(free, natural[i] - widths[i]))
            widths[i], free = widths[i] + more, free - more
    return Layout(tuple(widths), tuple(tuple(line) for line in lines), right)


def _shared_out(natural: Sequence[int], least: Sequence[int], room: int) -> tuple[int, ...]:
    """Every column as wide as it wants, or as one common limit allows."""
    limit = max(natural)
    while sum(widths := [max(low, min(wide, limit)) for wide, low in zip(natural, least, strict=True)]) > room:
        limit -= 1
    return tuple(widths)


def _wrapped(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
