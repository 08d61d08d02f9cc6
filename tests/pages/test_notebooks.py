"""Notebooks run top to bottom, show what such a run shows, and use the public API alone."""

from __future__ import annotations

import ast
import base64
import io
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

from notebooks.build import SOURCES, cells, executed, notebook_path, unexecuted
from tests.paths import ROOT

PUBLIC = {"synthbounds", "synthbounds.data", "synthbounds.models", "synthbounds.privacy"}
SHORT = [pytest.param(source, id=source.stem) for source in SOURCES]


def _committed(source: Path) -> Any:
    return nbformat.read(notebook_path(source), as_version=4)


def _texts(cell: Any) -> list[str]:
    """What a cell prints and what it says of its pictures, in order."""
    return [output["text"] if "text" in output else output["data"]["text/plain"] for output in cell.get("outputs", ())]


def _pictures(cell: Any) -> list[Any]:
    from matplotlib.image import imread

    shown = (output.get("data", {}).get("image/png") for output in cell.get("outputs", ()))
    return [imread(io.BytesIO(base64.b64decode(png))) for png in shown if png]


def test_there_are_ten_and_each_has_its_notebook() -> None:
    assert [source.stem[:2] for source in SOURCES] == [f"{number:02}" for number in range(1, 11)]
    assert sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb")) == [source.stem for source in SOURCES]


def test_a_source_is_split_at_its_cells() -> None:
    text = "# %% [markdown]\n# # Title\n#\n# Text # here.\n\n# %%\nx = 1  # %%\n\n\n# %%\nx\n"
    assert list(cells(text)) == [("markdown", "# Title\n\nText # here."), ("code", "x = 1  # %%"), ("code", "x")]


@pytest.mark.parametrize("source", SHORT)
def test_the_public_api_alone(source: Path) -> None:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            whole = node.module == "synthbounds"
            names |= {f"synthbounds.{alias.name}" for alias in node.names} if whole else {node.module}
    for name in names:
        first = name.split(".")[0]
        assert name in PUBLIC or first in {"numpy", "matplotlib", "sklearn"} or first in sys.stdlib_module_names, name


@pytest.mark.parametrize("source", SHORT)
def test_links_lead_somewhere(source: Path) -> None:
    for kind, text in cells(source.read_text(encoding="utf-8")):
        if kind == "markdown":
            for target in re.findall(r"\]\(([^)#]+)\)", text):
                assert (ROOT / "notebooks" / target).is_file(), target


@pytest.mark.parametrize("source", SHORT)
def test_a_notebook_is_made_from_its_source(source: Path) -> None:
    assert [(c.cell_type, c.source) for c in _committed(source).cells] == [
        (c.cell_type, c.source) for c in unexecuted(source).cells
    ], "the source has changed: python -m notebooks.build"


@pytest.mark.slow
@pytest.mark.parametrize("source", SHORT)
def test_a_run_shows_what_is_committed(source: Path) -> None:
    committed, run = _committed(source), executed(source)
    assert sum(len(_pictures(cell)) for cell in run.cells) >= 2
    for ours, theirs in zip(run.cells, committed.cells, strict=True):
        assert not any(
            output["output_type"] == "error" or output.get("name") == "stderr" for output in ours.get("outputs", ())
        )
        assert _texts(ours) == _texts(theirs), "stale output: python -m notebooks.build"
        for mine, other in zip(_pictures(ours), _pictures(theirs), strict=True):
            # Fonts and last digits may move a few points of a picture, new data move many.
            assert mine.shape == other.shape, "stale picture: python -m notebooks.build"
            assert np.abs(mine - other).mean() < 0.002, "stale picture: python -m notebooks.build"
