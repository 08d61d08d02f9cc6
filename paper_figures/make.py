"""Make a figure from data that a worker computed: as JSON, and the picture as PNG and SVG, all three or none."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bounds.shown import Shown
from paper_figures import style
from paper_figures.figure import Figure, NotRun
from paper_figures.registry import all_figures
from release.files.outputs import Outputs

_DATED = {"svg": "Date", "png": "Software", "pdf": "CreationDate"}
"""The metadata that would make two pictures of the same data differ, by format."""
FOLDER = Path("paper_figures") / "output"
"""Where figures go, below the current folder, unless another folder is named."""


@dataclass(frozen=True)
class Made(Shown):
    """The files of one figure, or why there are none."""

    name: str
    title: str
    files: tuple[str, ...]
    not_run: str = ""


def data_of(name: str) -> dict[str, Any] | str:
    """The data of a figure, or why they cannot be computed here; for a worker, which gets only the name."""
    return computed(all_figures()[name])


def computed(figure: Figure) -> dict[str, Any] | str:
    try:
        return figure.compute()
    except NotRun as reason:
        return str(reason)


def make(figure: Figure, data: dict[str, Any] | str, folder: Path) -> Made:
    """Draw one figure from its data; existing files are replaced."""
    if isinstance(data, str):
        return Made(figure.name, figure.title, (), data)
    folder.mkdir(parents=True, exist_ok=True)
    contents = {"json": data_text(figure, data).encode(), **pictures(figure, data)}
    with Outputs(force=True) as outputs:
        for suffix, content in contents.items():
            outputs.add(folder / f"{figure.name}.{suffix}", content, name="output")
    return Made(figure.name, figure.title, tuple(str(folder / f"{figure.name}.{suffix}") for suffix in contents))


def data_text(figure: Figure, data: dict[str, Any]) -> str:
    """The data shown in the picture, as JSON."""
    body = {"figure": figure.name, "title": figure.title, "source": figure.source, "caption": figure.caption}
    return json.dumps(body | {"data": data}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def pictures(figure: Figure, data: dict[str, Any], suffixes: tuple[str, ...] = ("png", "svg")) -> dict[str, bytes]:
    """The picture in these formats; the same data give the same bytes."""
    import matplotlib

    found: dict[str, bytes] = {}
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **style.SETTINGS, "backend": "agg"}):
        drawing = style.new_figure(figure.size)
        figure.draw(data, drawing.subfigures())  # so that a legend outside the axes stays clear of the title
        style.frame(drawing, title=figure.title, caption=f"{figure.caption} ({figure.source})")
        for suffix in suffixes:
            target = io.BytesIO()
            drawing.savefig(target, format=suffix, dpi=style.DPI, metadata={_DATED[suffix]: None})
            found[suffix] = target.getvalue()
    return found
