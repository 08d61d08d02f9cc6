"""The error of every pair of columns as a map of shades."""

from __future__ import annotations

from synthbounds.report.markup import Markup, element
from synthbounds.report.sheet import HeatMap


def draw_heat_map(part: HeatMap) -> Markup:
    return element("section", element("h2", part.title), element("p", part.note), class_="heat-map")
