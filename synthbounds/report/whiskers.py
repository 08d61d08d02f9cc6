"""Intervals as a picture: one below the other with a line at zero, or upright side by side, with a table next to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from bounds.listing import listed
from synthbounds.render.numbers import down, up
from synthbounds.report.markup import Markup, element
from synthbounds.report.sheet import WhiskerRow, Whiskers
from synthbounds.report.svg import boxes, fitting, frame, numbers_table, strokes, words

_WIDTH, _NAMES, _ROW, _MARGIN, _BELOW = 480.0, 176.0, 20.0, 16.0, 38.0
"""Narrow enough for the words to be read on a phone."""
_LETTERS, _SMALL_LETTERS = 24, 30
_HEIGHT, _LEFT, _TOP = 260.0, 56.0, 12.0
_MOST_MARKS = 6
_MOST_SAID = 6


class _Axis:
    """A straight axis with a few round marks; what lies beyond its ends is drawn at them."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        if high <= low:
            low, high = low - 0.5, high + 0.5
        room = (high - low) / 25
        self.low, self.high, self._start, self._end = low - room, high + room, start, end

    def at(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self._start + share * (self._end - self._start)

    def marks(self) -> list[float]:
        rough = (self.high - self.low) / _MOST_MARKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
        first = math.ceil(self.low / step)
        return [step * k for k in range(first, first + 2 * _MOST_MARKS) if step * k <= self.high]


def draw_whiskers(part: Whiskers) -> Markup:
    """The picture and its numbers; without a row there is nothing to draw."""
    inside = [element("h2", part.title)]
    if part.note:
        inside.append(element("p", part.note))
    if part.rows:
        axis_ends = _ends(part)
        picture = _upright(part, axis_ends) if part.upright else _below_each_other(part, axis_ends)
        inside += [*_key(part), element("figure", picture), _numbers(part)]
    return element("section", *inside, class_="pictures")


def _ends(part: Whiskers) -> tuple[float, float]:
    """Between which numbers the picture is drawn: all that is finite, and the line that may be crossed."""
    found = [float(x) for row in part.rows for x in (row.middle, row.lo, row.hi) if x is not None]
    found += [] if part.zero is None else [float(part.zero)]
    return min(found, default=0.0), max(found, default=1.0)


def _below_each_other(part: Whiskers, ends: tuple[float, float]) -> Markup:
    across = _Axis(*ends, _NAMES, _WIDTH - _MARGIN)
    bottom = _ROW * len(part.rows) + 4
    drawn = [strokes([(across.at(x), 0, 0, bottom) for x in across.marks()], "rule")]
    drawn += [words(across.at(x), bottom + 14, f"{x:.6g}", "middle") for x in across.marks()]
    drawn.append(words((_NAMES + _WIDTH) / 2, bottom + 32, part.axis, "middle"))
    if part.zero is not None:
        drawn.append(strokes([(across.at(float(part.zero)), 0, 0, bottom)], "zero"))
    for place, row in enumerate(part.rows):
        y = _ROW * place + _ROW / 2
        left, right = (_limit(across, row, upper=upper) for upper in (False, True))
        lines = [(left, y, right - left, 0)]
        lines += [] if row.lo is None else [(left, y - 4, 0, 8)]
        lines += [] if row.hi is None else [(right, y - 4, 0, 8)]
        drawn.append(strokes(lines, "sure" if row.is_marked else "whisker"))
        if row.middle is not None:
            kind = "point chosen" if row.is_marked else "point"
            drawn.append(boxes([(across.at(float(row.middle)) - 3, y - 3, 6, 6)], kind))
        is_long = len(row.name) > _LETTERS
        name = fitting(row.name, _SMALL_LETTERS if is_long else _LETTERS)
        drawn.append(words(_NAMES - 8, y + 4, name, "end small" if is_long else "end"))
    return frame(part.title, _description(part), *drawn, width=_WIDTH, height=bottom + _BELOW)


def _upright(part: Whiskers, ends: tuple[float, float]) -> Markup:
    low, high = _HEIGHT - _BELOW, _TOP
    up_axis = _Axis(*ends, low, high)
    wide = (_WIDTH - _LEFT - _MARGIN) / len(part.rows)
    drawn = [strokes([(_LEFT, up_axis.at(y), _WIDTH - _LEFT - _MARGIN, 0) for y in up_axis.marks()], "rule")]
    drawn += [words(_LEFT - 6, up_axis.at(y) + 4, f"{y:.6g}", "end") for y in up_axis.marks()]
    every = max(1, math.ceil(len(part.rows) * 14 / (_WIDTH - _LEFT)))
    for place, row in enumerate(part.rows):
        x = _LEFT + wide * (place + 0.5)
        bottom, top = (_limit(up_axis, row, upper=upper) for upper in (False, True))
        ends_drawn = [(x, bottom, 0, top - bottom), (x - 4, bottom, 8, 0), (x - 4, top, 8, 0)]
        drawn.append(strokes(ends_drawn, "sure" if row.is_marked else "whisker"))
        if row.middle is not None:
            kind = "point chosen" if row.is_marked else "point"
            drawn.append(boxes([(x - 3, up_axis.at(float(row.middle)) - 3, 6, 6)], kind))
        if place % every == 0:
            drawn.append(words(x, low + 14, fitting(row.name, 8), "middle"))
    drawn.append(words(_WIDTH / 2, _HEIGHT - 4, part.axis, "middle"))
    return frame(part.title, _description(part), *drawn, width=_WIDTH, height=_HEIGHT)


def _limit(axis: _Axis, row: WhiskerRow, *, upper: bool) -> float:
    """An end that is missing is drawn at the end of the axis."""
    end = row.hi if upper else row.lo
    return axis.at((axis.high if upper else axis.low) if end is None else float(end))


def _key(part: Whiskers) -> Sequence[Markup]:
    if not part.marked or not any(row.is_marked for row in part.rows):
        return ()
    line = strokes([(1, 5, 24, 0), (1, 1, 0, 8), (25, 1, 0, 8)], "sure")
    swatch = element("svg", line, width=26, height=10, viewBox="0 0 26 10", aria_hidden="true")
    return (element("p", element("span", swatch, part.marked), class_="key"),)


def _description(part: Whiskers) -> str:
    said = [f"{row.name} from {_text(row, upper=False)} to {_text(row, upper=True)}" for row in part.rows]
    return listed(said, _MOST_SAID, comma="; ")


def _text(row: WhiskerRow, *, upper: bool) -> str:
    end = row.hi if upper else row.lo
    if end is None:
        return "no end"
    return (up if upper else down)(Fraction(end), 4)


def _numbers(part: Whiskers) -> Markup:
    rows = [
        [
            row.name,
            "" if row.middle is None else f"{float(row.middle):.4g}",
            _text(row, upper=False),
            _text(row, upper=True),
        ]
        for row in part.rows
    ]
    return numbers_table(f"{part.title}: {part.axis}", ["", "estimate", "from", "to"], rows)
