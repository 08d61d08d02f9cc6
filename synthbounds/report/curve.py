"""Lines over a parameter, both axes by powers of ten, with the numbers in a table next to the picture."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

from synthbounds.render.numbers import down, up
from synthbounds.report.markup import Markup, element
from synthbounds.report.sheet import Curve, CurveLine, Number
from synthbounds.report.svg import frame, numbers_table, strokes, words

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 640.0, 300.0, 62.0, 40.0, 12.0, 14.0
_STYLES = 6


class _Axis:
    """A logarithmic axis with marks at 1, 2 and 5 times powers of ten."""

    def __init__(self, values: Iterable[float], start: float, end: float) -> None:
        known = [value for value in values if value > 0]
        self._low, self._high = math.log10(min(known)), math.log10(max(known))
        if self._high - self._low < 0.3:
            self._low, self._high = self._low - 0.15, self._high + 0.15
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)

    def marks(self) -> list[float]:
        powers = range(math.floor(self._low), math.ceil(self._high) + 1)
        factors = (1,) if self._high - self._low > 3 else (1, 2, 5)
        found = [factor * 10.0**power for power in powers for factor in factors]
        return [mark for mark in found if self._low - 1e-9 <= math.log10(mark) <= self._high + 1e-9]


def draw_curve(part: Curve) -> Markup:
    """The picture, its key and its numbers; lines without a positive point have none to show."""
    lines = [line for line in part.lines if any(y > 0 for _, y in line.points)]
    inside = [element("h2", part.title)]
    if part.note:
        inside.append(element("p", part.note))
    if lines:
        inside += [_key(lines), element("figure", _picture(part, lines)), _numbers(part, lines)]
    return element("section", *inside, class_="pictures curve")


def _picture(part: Curve, lines: list[CurveLine]) -> Markup:
    points = [(float(x), float(y)) for line in lines for x, y in line.points]
    across = _Axis((x for x, _ in points), _LEFT, _WIDTH - _RIGHT)
    down = _Axis((y for _, y in points), _HEIGHT - _BOTTOM, _TOP)
    low, high = _HEIGHT - _BOTTOM, _TOP
    drawn = [
        strokes([(_LEFT, down.at(y), _WIDTH - _RIGHT - _LEFT, 0) for y in down.marks()], "grid"),
        strokes([(across.at(x), low, 0, high - low) for x in across.marks()], "grid"),
        strokes([(_LEFT, low, _WIDTH - _RIGHT - _LEFT, 0), (_LEFT, low, 0, high - low)], "axis"),
        *(words(_LEFT - 6, down.at(y) + 4, f"{y:g}", "end") for y in down.marks()),
        *(words(across.at(x), low + 15, f"{x:g}", "middle") for x in across.marks()),
        words(_WIDTH / 2, _HEIGHT - 6, part.xlabel, "middle"),
    ]
    if part.marked is not None:
        drawn.append(strokes([(across.at(float(part.marked)), low, 0, high - low)], "here"))
    for place, line in enumerate(lines):
        path = " ".join(f"{across.at(x):.1f},{down.at(y):.1f}" for x, y in _corners(line))
        drawn.append(element("polyline", points=path, class_=_style(place)))
    said = f"{part.ylabel} over {part.xlabel}: " + "; ".join(_ends(line) for line in lines)
    return frame(part.title, said, *drawn, width=_WIDTH, height=_HEIGHT)


def _corners(line: CurveLine) -> list[tuple[float, float]]:
    """What the line is drawn through: its points, and the corners of its steps."""
    points = [(float(x), float(y)) for x, y in line.points if y > 0]
    if not line.steps:
        return points
    found = points[:1]
    for (left, before), (right, after) in pairwise(points):
        found += [(left, after) if line.steps == "from_right" else (right, before), (right, after)]
    return found


def _shown(line: CurveLine, value: Number) -> str:
    """Three digits, rounded to the side on which the bound stays true."""
    return (down if line.is_lower else up)(Fraction(value), 3)


def _ends(line: CurveLine) -> str:
    (first, at_first), (last, at_last) = line.points[0], line.points[-1]
    return (
        f"{line.name} from {_shown(line, at_first)} at {float(first):g} to {_shown(line, at_last)} at {float(last):g}"
    )


def _style(place: int) -> str:
    return f"line l{place % _STYLES} d{(place + place // _STYLES) % _STYLES}"


def _key(lines: list[CurveLine]) -> Markup:
    def swatch(place: int) -> Markup:
        line = element("path", d="M0 5h26", class_=_style(place))
        return element("svg", line, width=26, height=10, viewBox="0 0 26 10", aria_hidden="true")

    return element("p", *(element("span", swatch(i), line.name) for i, line in enumerate(lines)), class_="key")


def _numbers(part: Curve, lines: list[CurveLine]) -> Markup:
    found = {(line.name, x): y for line in lines for x, y in line.points}
    places = sorted({x for line in lines for x, _ in line.points})
    rows = [
        [f"{float(x):g}", *(_shown(line, found[line.name, x]) if (line.name, x) in found else "" for line in lines)]
        for x in places
    ]
    return numbers_table(f"{part.title}: {part.ylabel}", [part.xlabel, *(line.name for line in lines)], rows)
