"""A figure: a computation that gives plain data, and a drawing that shows these data and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bounds.shown import Shown


class NotRun(Exception):
    """A figure needs something that is missing, such as a table of an experiment; the text says what."""


@dataclass(frozen=True)
class Figure(Shown):
    """One figure or table, found by `paper_figures.registry` as FIGURE of its module."""

    name: str
    """The name of the module, with dashes."""
    title: str
    source: str
    """Where the figure is in the paper, and whose numbers are drawn."""
    caption: str
    """One or two sentences under the picture: what it shows and where every number comes from."""
    compute: Callable[[], dict[str, Any]]
    """Gives plain data that JSON can represent. Raises NotRun if something is missing."""
    draw: Callable[[dict[str, Any], Any], None]
    """Draws the data into a matplotlib (sub)figure; the title and the caption are added around it."""
    size: tuple[float, float] = (7.0, 4.6)
    """Inches."""
