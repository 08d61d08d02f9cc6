"""The figures of the papers, listed and made, as documents and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paper_figures.figure import Figure
from paper_figures.make import Made
from synthbounds.render.document import Block, Bullets, Document, Table, Title


def figures_document(figures: Sequence[Figure]) -> Document:
    rows = tuple((figure.name, figure.title, figure.source) for figure in figures)
    return (
        Title("Figures of the papers", "`synthbounds figures NAME` makes one; without a name, all are made"),
        Table("", ("name", "what", "where"), rows),
    )


def figures_payload(figures: Sequence[Figure]) -> dict[str, Any]:
    return {"figures": [{"name": f.name, "title": f.title, "source": f.source, "caption": f.caption} for f in figures]}


def made_document(made: Sequence[Made], folder: Path) -> Document:
    rows = tuple((m.name, m.title) for m in made if not m.not_run)
    blocks: list[Block] = [Title("Figures of the papers", f"data as .json, pictures as .png and .svg, in {folder}")]
    if rows:
        blocks.append(Table("", ("name", "what"), rows))
    missing = tuple(f"{m.name}: {m.not_run}" for m in made if m.not_run)
    if missing:
        blocks.append(Bullets("NOT RUN", missing))
    return tuple(blocks)


def made_payload(made: Sequence[Made]) -> dict[str, Any]:
    return {"figures": [{"name": m.name, "title": m.title, "files": list(m.files), "not_run": m.not_run} for m in made]}
