"""A graph as a picture: names on a circle, lines for edges whose sign is certain, with a table of them next to it."""

from __future__ import annotations

import math
from fractions import Fraction

from synthbounds.render.numbers import down
from synthbounds.report.markup import Markup, element
from synthbounds.report.sheet import Graph, GraphEdge
from synthbounds.report.svg import boxes, fitting, frame, numbers_table, words

_WIDTH, _HEIGHT = 480.0, 380.0
_ACROSS, _DOWN = 135.0, 160.0
_LETTERS = 16
_THIN, _THICK = 0.8, 5.0


def draw_graph(part: Graph) -> Markup:
    inside = [element("h2", part.title)]
    if part.note:
        inside.append(element("p", part.note))
    inside += [_key(), element("figure", _picture(part)), _numbers(part)]
    return element("section", *inside, class_="pictures")


def _place(part: Graph, node: int, *, out: float = 1.0) -> tuple[float, float]:
    angle = 2 * math.pi * node / len(part.names) - math.pi / 2
    return _WIDTH / 2 + out * _ACROSS * math.cos(angle), _HEIGHT / 2 + out * _DOWN * math.sin(angle)


def _picture(part: Graph) -> Markup:
    drawn = [_line(part, edge) for edge in sorted(part.edges, key=lambda edge: float(edge.strength))]
    places = [_place(part, node) for node in range(len(part.names))]
    drawn.append(boxes([(x - 4, y - 4, 8, 8) for x, y in places], "point"))
    for node, name in enumerate(part.names):
        x, y = _place(part, node, out=1.06)
        side = x - _WIDTH / 2
        where = "middle" if abs(side) < 8 else "end" if side < 0 else None
        drawn.append(words(x, y + 4, fitting(name, _LETTERS), where))
    plus = sum(edge.sign > 0 for edge in part.edges)
    said = f"{len(part.names)} columns; {plus} edges are certainly positive, {len(part.edges) - plus} negative"
    return frame(part.title, said, *drawn, width=_WIDTH, height=_HEIGHT)


def _line(part: Graph, edge: GraphEdge) -> Markup:
    (x, y), (u, v) = (_place(part, node) for node in edge.ends)
    width = _THIN + (_THICK - _THIN) * min(max(float(edge.strength), 0.0), 1.0)
    path = f"M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}"
    return element("path", d=path, class_="plus" if edge.sign > 0 else "minus", stroke_width=f"{width:.1f}")


def _key() -> Markup:
    def swatch(kind: str) -> Markup:
        line = element("path", d="M0 5h26", class_=kind, stroke_width=2)
        return element("svg", line, width=26, height=10, viewBox="0 0 26 10", aria_hidden="true")

    kinds = (("plus", "certainly positive"), ("minus", "certainly negative"))
    return element("p", *(element("span", swatch(kind), text) for kind, text in kinds), class_="key")


def _numbers(part: Graph) -> Markup:
    rows = [
        [
            f"{part.names[edge.ends[0]]} and {part.names[edge.ends[1]]}",
            "positive" if edge.sign > 0 else "negative",
            down(Fraction(edge.strength)),
        ]
        for edge in part.edges
    ]
    return numbers_table(part.title, ["columns", "sign", "at least"], rows)
