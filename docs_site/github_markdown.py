"""Converts pages written for the repository's own viewer to Python-Markdown, which reads lists more strictly.

A list may follow a paragraph without a blank line, and the content of an item may be indented as far as its text:
here a blank line is inserted before the list, and the indentation becomes four spaces per level.
"""

from __future__ import annotations

import re

from docs_site.text import inside_code, outside_fences

_ITEM = re.compile(r"^( *)([-*+]|\d+\.)( +)(?=\S)")
_STEP = 4


def for_python_markdown(text: str) -> str:
    """The same page for Python-Markdown."""
    return _lists(outside_fences(text, _strokes_in_code))


def _strokes_in_code(line: str) -> str:
    """In a row of a table a vertical bar in code is escaped on repository pages, and is not here."""
    if not line.lstrip().startswith("|"):
        return line
    return inside_code(line, lambda code: code.replace(r"\|", "|"))


def _lists(text: str) -> str:
    out: list[str] = []
    offsets: list[int] = []  # where the text of each open item begins
    fence = ""
    after_blank = True
    for line in text.split("\n"):
        stripped = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if fence:
            out.append(_shifted(line, offsets))
            if stripped == fence:
                fence = ""
            continue
        if not stripped:
            out.append("")
            after_blank = True
            continue
        item = _ITEM.match(line)
        if item and not (not offsets and indent >= _STEP):
            while offsets and indent < offsets[-1]:
                offsets.pop()
            continues = bool(out) and _ITEM.match(out[-1].lstrip(" ")) is not None
            if not offsets and not after_blank and not continues and not _in_list(out):
                out.append("")
            out.append(" " * (_STEP * len(offsets)) + line[indent:])
            offsets.append(item.end())
        elif offsets and (indent >= offsets[0] or not after_blank):
            if after_blank:
                while indent < offsets[-1]:
                    offsets.pop()
            out.append(_shifted(line, offsets))
        else:
            offsets.clear()
            out.append(line)
        if mark := re.match(r"(```+|~~~+)", stripped):
            fence = mark.group(1)
        after_blank = False
    return "\n".join(out)


def _shifted(line: str, offsets: list[int]) -> str:
    if not offsets or not line.strip():
        return line
    kept = max(0, len(line) - len(line.lstrip(" ")) - offsets[-1])
    return " " * (_STEP * len(offsets) + kept) + line.lstrip(" ")


def _in_list(out: list[str]) -> bool:
    """Whether the paragraph at the end belongs to an item."""
    for line in reversed(out):
        if not line.strip():
            return False
        if _ITEM.match(line):
            return True
    return False
