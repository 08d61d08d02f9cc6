"""Small helpers for Markdown: literal text, prose told apart from code, tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from verify.errata.markdown import plain

__all__ = ["bullets", "demoted", "first_heading", "inside_code", "outside_fences", "plain", "table"]

_FENCE = re.compile(r"^ *(```+|~~~+)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """Every line that is not in a fenced block of code, changed."""
    fence = ""
    lines = []
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and line.strip() == mark.group(1):
                fence = ""
            lines.append(line)
        elif mark:
            fence = mark.group(1)
            lines.append(line)
        else:
            lines.append(change(line))
    return "\n".join(lines)


def inside_code(line: str, change: Callable[[str], str]) -> str:
    """The line with its parts in backticks changed; the backticks are passed to `change`, too."""
    return _CODE.sub(lambda code: change(code.group()), line)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """A table; the cells are Markdown already."""
    rule = "|".join("---:" if i in right else "---" for i in range(len(head)))
    lines = [f"| {' | '.join(head)} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines)


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def first_heading(text: str) -> str:
    """The title of a page, as plain text."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    if found is None:
        raise ValueError("a page has no title")
    return found.group(1).replace("`", "").replace("\\", "")


def demoted(text: str, by: int = 1) -> str:
    """All headings some levels lower."""
    return outside_fences(text, lambda line: "#" * by + line if re.match(r"#+ ", line) else line)
