"""What rests on what in one paper, as a picture (SVG): premises on the left, what uses them to their right."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from verify.claim import Claim, Severity, Verdict
from verify.errata.layers import Edge, Layout, components, layout
from verify.graph import Graph

LEGEND = (
    "Arrows lead from a statement to those whose argument uses it. Red: the result or the proof falls. Orange: another "
    "constant or condition. Grey: rests on one that falls. White: everything else. Unconnected statements, and arrows "
    "that follow from others, are left out."
)
_FILLS = {"falls": "#f2b8a6", "condition": "#fbe0a8", "shadow": "#d4d4d4", "other": "#ffffff"}
_STROKES = {"falls": "#b3261e", "condition": "#b36b00", "shadow": "#5f5f5f", "other": "#8a8a8a"}
_HEIGHT, _ROW, _GAP, _MARGIN = 36, 46, 40, 16
_MOST_WIDTH = 2000
_LETTER, _SMALL = 7.2, 5.4
"""Largest widths of letters in pixels, for both sizes of text."""
_MOST_LETTERS, _MOST_SMALL = 24, 31
_HOLDS = {Verdict.CONFIRMED: "holds", Verdict.CONFIRMED_WITH_CONDITIONS: "with conditions"}


def picture(graph: Graph) -> str:
    """The graph of one paper as SVG; empty if nothing rests on anything."""
    names = graph.connected
    if not names:
        return ""
    edges = [(premise, name) for name in names for premise in graph.claims[name].depends_on if premise in graph.claims]
    width = max(_width(graph.claims[name]) for name in names)
    parts: list[str] = []
    x, y, shelf, right = _MARGIN, _MARGIN, 0.0, 0.0
    for members in components(names, edges):
        inside = set(members)
        found = layout(members, [edge for edge in edges if edge[0] in inside])
        wide = found.layers * width + (found.layers - 1) * _GAP
        high = found.rows * _ROW
        if x > _MARGIN and x + wide > _MOST_WIDTH:
            x, y, shelf = _MARGIN, round(y + shelf + _ROW / 2), 0.0
        parts.append(_drawn(graph, found, x, y, width))
        x, shelf, right = round(x + wide + _GAP), max(shelf, high), max(right, x + wide)
    size = f'width="{round(right + _MARGIN)}" height="{round(y + shelf + _MARGIN)}"'
    view = f'viewBox="0 0 {round(right + _MARGIN)} {round(y + shelf + _MARGIN)}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img" '
        'font-family="DejaVu Sans, Arial, sans-serif">\n'
        "<title>What rests on what</title>\n"
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,1 L7,4 L0,7 z" fill="#6b6b6b"/></marker></defs>\n'
        '<rect width="100%" height="100%" fill="#ffffff"/>\n'
    )
    return head + "".join(parts) + "</svg>\n"


def _drawn(graph: Graph, found: Layout, x: float, y: float, width: float) -> str:
    def left(layer: int) -> float:
        return x + layer * (width + _GAP)

    def middle(row: float) -> float:
        return round(y + row * _ROW + _HEIGHT / 2, 1)

    lines = [
        _line(graph, edge, [(left(a), middle(row)) for a, row in path], width) for edge, path in found.paths.items()
    ]
    boxes = [
        _box(graph, graph.claims[name], left(layer), middle(row) - _HEIGHT / 2, width)
        for name, (layer, row) in found.places.items()
    ]
    return "".join((*lines, *boxes))


def _line(graph: Graph, edge: Edge, points: Sequence[tuple[float, float]], width: float) -> str:
    """From the right side of a premise to the left side of what uses it, level where it passes other layers."""
    (start, row), *rest = points
    path = f"M{start + width},{row}"
    at = start + width
    for i, (column, level) in enumerate(rest):
        bend = (column - at) / 2
        path += f" C{at + bend:.0f},{row} {column - bend:.0f},{level} {column},{level}"
        at, row = column, level
        if i < len(rest) - 1:
            path += f" H{column + width}"
            at = column + width
    dark = {_look(graph, graph.claims[name]) for name in edge} <= {"falls", "shadow"}
    return f'<path d="{path}" fill="none" stroke="{"#5f5f5f" if dark else "#b0b0b0"}" marker-end="url(#arrow)"/>\n'


def _box(graph: Graph, claim: Claim, x: float, y: float, width: float) -> str:
    look = _look(graph, claim)
    shape = (
        f'<rect x="{x}" y="{y}" width="{width}" height="{_HEIGHT}" rx="4" fill="{_FILLS[look]}" '
        f'stroke="{_STROKES[look]}" stroke-width="{1 if look == "other" else 1.6}"/>'
    )
    name = f'<text x="{x + 8}" y="{y + 15}" font-size="12" font-weight="bold">{escape(_name(claim))}</text>'
    more = f'<text x="{x + 8}" y="{y + 29}" font-size="10" fill="#333333">{escape(_state(claim))}</text>'
    return f"<g><title>{escape(f'{claim.locator}: {claim.statement}')}</title>{shape}{name}{more}</g>\n"


def _look(graph: Graph, claim: Claim) -> str:
    if claim.severity in (Severity.RESULT_FALLS, Severity.PROOF_FALLS):
        return "falls"
    if claim.severity is Severity.CONDITION:
        return "condition"
    return "shadow" if claim.id in graph.shadow else "other"


def _name(claim: Claim) -> str:
    return _cut(claim.id.partition(".")[2], _MOST_LETTERS)


def _state(claim: Claim) -> str:
    """What the colour means, in words, and the place."""
    said = claim.severity.value if claim.is_against else _HOLDS.get(claim.expected, claim.expected.value)
    said = "condition" if claim.severity is Severity.CONDITION else said
    return _cut(f"{said}: {claim.locator}", _MOST_SMALL)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def _width(claim: Claim) -> int:
    return round(max(len(_name(claim)) * _LETTER, len(_state(claim)) * _SMALL)) + 18
