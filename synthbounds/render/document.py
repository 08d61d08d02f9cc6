"""The small document model that every text-like format is rendered from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Title:
    text: str
    subtitle: str = ""


@dataclass(frozen=True)
class Answer:
    """The numbers asked for: symbol, value, what it counts."""

    rows: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Vacuous:
    """Something the reader must not miss."""

    text: str


@dataclass(frozen=True)
class Stamp:
    """What the thing itself must not be taken for."""

    text: str


@dataclass(frozen=True)
class Facts:
    """Labelled sentences."""

    rows: tuple[tuple[str, str], ...]
    title: str = ""


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    """Columns that are aligned to the right."""
    marked: frozenset[int] = frozenset()
    """Rows that stand out, such as the binding term."""
    legend: str = ""
    """What standing out means."""


@dataclass(frozen=True)
class Bullets:
    title: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """Lines to be shown as they are: commands, BibTeX."""

    lines: tuple[str, ...]
    language: str = ""


@dataclass(frozen=True)
class Formulas:
    """Named formulas: name, plain form, LaTeX."""

    title: str
    rows: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Glossary:
    """Symbols: plain name, LaTeX, meaning."""

    title: str
    rows: tuple[tuple[str, str, str], ...]


Block: TypeAlias = Title | Answer | Vacuous | Stamp | Facts | Table | Bullets | Code | Formulas | Glossary
Document: TypeAlias = tuple[Block, ...]
