"""Paths of the project. A folder that has moved is an error here, so that no rule passes by checking nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
"""Tables of the papers, where they are at hand."""

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = tuple(sorted({name.split(".")[0] for name in PROJECT["tool"]["setuptools"]["packages"]}))
"""Top-level packages that are installed."""


def sources(folder: str) -> list[Path]:
    """The modules of a folder and of those inside it: at least one."""
    found = sorted((ROOT / folder).rglob("*.py"))
    if not found:
        raise AssertionError(f"{folder}: there are no modules; where did they go?")
    return found


def source_of(module: str) -> Path | None:
    """The file of a module of ours, if it is one."""
    path = ROOT.joinpath(*module.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)
