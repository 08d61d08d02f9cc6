"""The error of every pair of columns as a map of shades: a triangle whose names stand on its edge.

Shades are steps with fixed ends, the same in every report, so that two reports can be compared; an error is compared
with the ends as the exact number it is.
"""

from __future__ import annotations

from fractions import Fraction

from synthbounds.report.markup import Markup, element, for_experts
from synthbounds.report.sheet import CellError, HeatMap
from synthbounds.report.svg import NARROW, boxes, fitting, frame, numbers_table, strokes, words

STEPS = tuple(Fraction(text) for text in ("0.005", "0.01", "0.02", "0.05", "0.1", "0.25"))
"""The first shade is for errors up to the first of these, the last for errors above all of them."""
FEW = 16
"""Up to this many columns leave room for numbers in the cells."""
_LETTERS = 24
STRONG = 4
"""Shades from this one on are dark on light pages and light on dark ones: their text is the other way round."""


def draw_heat_map(part: HeatMap) -> Markup:
    """The picture, its key and its numbers."""
    unknown = [cell is None for row, cells in enumerate(part.values) for cell in cells[: row + 1]]
    picture = element(
        "div", _picture(part), class_="scroll", tabindex=0, role="region", aria_label=f"{part.title}, picture"
    )
    return element(
        "section",
        element("h2", part.title),
        *([element("p", part.note)] if part.note else []),
        *for_experts(part.experts),
        _key(part, is_hatched=any(unknown)),
        picture,
        _numbers(part),
        class_="pictures heat-map",
    )


def step_of(value: Fraction | int | float) -> int:
    """The shade of an error."""
    return sum(value > end for end in STEPS)


def _ink(cell: CellError) -> str:
    """What can be seen on the shade of a cell."""
    return "strong" if step_of(cell.value) >= STRONG else "faint"


def _picture(part: HeatMap) -> Markup:
    count = len(part.names)
    side = 34.0 if count <= FEW else 20.0 if count <= 24 else 13.0
    drawn: list[Markup] = []
    cells = [(row, column) for row in range(count) for column in range(row + 1)]
    by_step: dict[int, list[tuple[float, float, float, float]]] = {}
    hatched = []
    for row, column in cells:
        cell = part.values[row][column]
        if cell is None:
            hatched.append((column * side, row * side))
        else:
            by_step.setdefault(step_of(cell.value), []).append((column * side, row * side, side - 1, side - 1))
    drawn += [boxes(found, f"e{step}") for step, found in sorted(by_step.items())]
    drawn.append(_hatch(hatched, side))
    for row, column in cells:
        cell = part.values[row][column]
        if cell is not None and count <= FEW:
            middle = (column + 0.5) * side, (row + 0.5) * side + 3.5
            drawn.append(words(*middle, cell.text, f"middle small {_ink(cell)}"))
    for kind in ("faint", "strong"):
        weak = [
            (column * side + 2, row * side + 2, 3.0, 3.0)
            for row, column in cells
            if (cell := part.values[row][column]) is not None and cell.is_weak and _ink(cell) == kind
        ]
        drawn.append(boxes(weak, f"mark {kind}"))
    names = [fitting(name, _LETTERS) for name in part.names]
    drawn += [words((row + 1) * side + 4, (row + 0.5) * side + 4, name) for row, name in enumerate(names)]
    width = max((row + 1) * side + 8 + NARROW * len(name) for row, name in enumerate(names))
    return frame(part.title, _description(part), *drawn, width=width, height=count * side)


def _hatch(found: list[tuple[float, float]], side: float) -> Markup:
    lines = [
        line
        for x, y in found
        for line in (
            (x, y + side - 1, side - 1, 1 - side),
            (x, y + side / 2, side / 2 - 1, 1 - side / 2),
            (x + side / 2, y + side - 1, side / 2 - 1, 1 - side / 2),
        )
    ]
    return strokes(lines, "hatch")


def _key(part: HeatMap, *, is_hatched: bool) -> Markup:
    ends = [f"≤ {float(100 * end):g}" for end in STEPS] + [f"> {float(100 * STEPS[-1]):g}"]
    keys = [element("span", _swatch(boxes([(0, 0, 14, 12)], f"e{step}")), text) for step, text in enumerate(ends)]
    if is_hatched:
        keys.append(
            element("span", _swatch(_hatch([(0, 0)], 13)), "not certified" if part.certified else "not counted")
        )
    if any(cell is not None and cell.is_weak for cells in part.values for cell in cells):
        keys.append(element("span", _swatch(boxes([(4, 4, 4, 4)], "mark")), "no relation promised"))
    return element("p", *([f"{part.unit}: "] if part.unit else []), *keys, class_="key")


def _swatch(drawn: Markup) -> Markup:
    return element("svg", drawn, width=14, height=12, viewBox="0 0 14 12", aria_hidden="true")


def _described(part: HeatMap) -> list[tuple[CellError, str]]:
    """Every pair that has an error, the largest first."""
    found = [
        (cell, f"{part.names[column]} and {part.names[row]}")
        for row in range(len(part.names))
        for column in range(row)
        if (cell := part.values[row][column]) is not None
    ]
    return sorted(found, key=lambda one: -one[0].value)


def _description(part: HeatMap) -> str:
    """The worst and the best pairs in words."""
    found = _described(part)
    if not found:
        return "Nothing is known about any pair of columns."
    worst = "; ".join(f"{named} {cell.text}" for cell, named in found[:3])
    best = "; ".join(f"{named} {cell.text}" for cell, named in found[-3:])
    return f"{len(found)} pairs of columns. Largest: {worst}. Smallest: {best}."


def _numbers(part: HeatMap) -> Markup:
    rows = [
        (name, *("–" if cell is None else cell.text for cell in part.values[row][: row + 1]))
        for row, name in enumerate(part.names)
    ]
    return numbers_table(part.title, ("column", *part.names), rows)
