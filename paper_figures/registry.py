"""Discovery: every module of this package that defines FIGURE is a figure. Nothing is listed by hand."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import MappingProxyType

import paper_figures
from paper_figures.figure import Figure

_NO_FIGURES = {"__main__", "figure", "make", "registry", "style"}


@cache
def all_figures() -> MappingProxyType[str, Figure]:
    """Every figure by name, in alphabetical order. Modules that begin with an underscore are shared by several."""
    found: dict[str, Figure] = {}
    for module in pkgutil.iter_modules(paper_figures.__path__):
        if module.name in _NO_FIGURES or module.name.startswith("_"):
            continue
        figure = getattr(importlib.import_module(f"paper_figures.{module.name}"), "FIGURE", None)
        if figure is None:
            raise RuntimeError(f"paper_figures/{module.name}.py defines no FIGURE")
        if figure.name != module.name.replace("_", "-"):
            raise RuntimeError(f"paper_figures/{module.name}.py defines the figure {figure.name}")
        found[figure.name] = figure
    return MappingProxyType(dict(sorted(found.items())))
