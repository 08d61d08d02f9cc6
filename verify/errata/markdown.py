"""Text for Markdown pages, in which dollar signs and vertical bars have a meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_GAP = "[...]"
_FORMULA = re.compile(r"\$+([^$]+)\$+")
_SPECIAL = "\\*_{}[]<>|#$"


def plain(text: str) -> str:
    """Text escaped so that Markdown shows it unchanged; pairs of backticks stay code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _escaped(text.replace("`", "'"))
    return "".join(f"`{part}`" if i % 2 else _escaped(part) for i, part in enumerate(parts))


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in _SPECIAL else c for c in text)


def sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def formula(text: str) -> str:
    """The formula as declared: LaTeX between dollar signs, or plain symbols, which are shown as code."""
    return text if text.startswith("$") and text.endswith("$") else f"`{text}`"


def quoted(text: str) -> str:
    """Words as extracted: formulas as code, since they may be damaged; printed emphasis is left out.

    >>> quoted("the fact that $u$ is **2-Lipschitz** [...] on $v")
    'the fact that `u` is 2-Lipschitz \\\\[...\\\\] `on $v`'
    """
    parts = text.replace("**", "").replace("`", "'").split(_GAP)
    return f" {plain(_GAP)} ".join(_part(part.strip()) for part in parts).strip()


def _part(words: str) -> str:
    """The words between two gaps; if dollar signs do not pair up, all of it is code."""
    if any(mark in _FORMULA.sub("", words) for mark in "$\\"):
        return f"`{words}`"
    return "".join(f"`{part.strip()}`" if i % 2 else plain(part) for i, part in enumerate(_FORMULA.split(words)))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of numbers, except for the first column."""
    rule = "|".join(["---", *["---:"] * (len(head) - 1)])
    return "\n".join([f"| {' | '.join(head)} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in rows)])
