"""Bars of the columns of a table, as released and as synthetic."""

from __future__ import annotations

from synthbounds.report.markup import Markup, element
from synthbounds.report.sheet import Bars


def draw_bars(part: Bars) -> Markup:
    return element("section", element("h2", part.title), element("p", part.note), class_="bars")
