"""Bars of the columns of a table: shares as released, with how far the real ones may be, against the synthetic ones."""

from __future__ import annotations

from fractions import Fraction

from synthbounds.render.numbers import up
from synthbounds.report.markup import Markup, element, for_experts
from synthbounds.report.plain import points
from synthbounds.report.sheet import BarColumn, Bars, Number
from synthbounds.report.svg import boxes, fitting, frame, numbers_table, share_text, strokes, words

AT_ONCE = 24
"""Columns that are unfolded on the page; the others are folded."""
_WIDTH, _NAMES, _NUMBERS = 300.0, 116.0, 46.0
_LETTERS = 16
_MARGIN, _WIDE = 10.0, 8.0
"""Short names have the room that wide letters need, longer ones `_NAMES`, as an average of letters is not wide."""
_ROW, _BAR = 23.0, 7.0
_SCALE = "Every column has its own scale, so compare columns by the percentages next to the bars, which are those {}."
_NARROW = "How wide the brackets are is next to the name of the column, too, as a bracket can be too narrow to be seen."
_KINDS = (
    "Released percentages were counted in the real table, with random noise added to protect people; the rows of the "
    "synthetic table were made from the noisy numbers and nothing else."
)
_CLIPPED = (
    "A noisy percentage may be negative or above 100 %, because noise may take more away than there is; it is drawn at "
    "0 or 100 %, and the numbers are as released."
)


def draw_bars(part: Bars) -> Markup:
    """A small picture for every column, each to its own scale: with one for all, brackets would be mere ticks."""
    drawn = [_figure(column) for column in part.columns]
    is_made = any(column.synthetic is not None for column in part.columns)
    both = _KINDS if is_made and any(column.released is not None for column in part.columns) else ""
    clipped = _CLIPPED if any(_is_clipped(column) for column in part.columns) else ""
    narrow = _NARROW if any(column.radius is not None for column in part.columns) else ""
    notes = [
        both,
        f"{part.note} {narrow}".strip(),
        _SCALE.format("of the synthetic table" if is_made else "released"),
        clipped,
    ]
    inside = [
        element("h2", part.title),
        *(element("p", note) for note in notes if note),
        *for_experts(part.experts),
        _key(part),
        element("div", *drawn[:AT_ONCE], class_="columns"),
    ]
    if len(drawn) > AT_ONCE:
        rest = drawn[AT_ONCE:]
        more = "1 more column" if len(rest) == 1 else f"{len(rest)} more columns"
        inside.append(element("details", element("summary", more), element("div", *rest, class_="columns")))
    return element("section", *inside, class_="pictures bars")


def _key(part: Bars) -> Markup:
    said = []
    if any(column.released is not None for column in part.columns):
        said.append(("released", "released, with noise"))
    if any(column.synthetic is not None for column in part.columns):
        said.append(("synthetic", "synthetic table"))
    keys = [element("span", _swatch(boxes([(0, 0, 12, 10)], kind)), text) for kind, text in said]
    if any(column.radius is not None for column in part.columns):
        keys.append(element("span", _swatch(_bracket(1, 17, 5)), part.legend or "the real one is in here"))
    return element("p", *keys, class_="key")


def _swatch(drawn: Markup) -> Markup:
    return element("svg", drawn, width=22, height=10, viewBox="0 0 22 10", aria_hidden="true")


def _drawn(column: BarColumn) -> list[float]:
    """Where the bars and brackets of a column end."""
    shares = [float(value) for _, values in _series(column) for value in values or ()]
    first = column.released if column.released is not None else column.synthetic
    if first is None or column.radius is None:
        return [*shares, 1e-9]
    return [*shares, *(hi for _, hi in _intervals(first, column.radius)), 1e-9]


def _figure(column: BarColumn) -> Markup:
    first = column.released if column.released is not None else column.synthetic
    assert first is not None, "a column shows released or synthetic shares"
    series = [(kind, values) for kind, values in _series(column) if values is not None]
    labels = [fitting(label, _LETTERS) for label in column.labels]
    left = min(_NAMES, _MARGIN + _WIDE * max(map(len, labels)))  # short names leave room for long bars
    scale = (_WIDTH - left - _NUMBERS) / min(max(_drawn(column)), 1.0)
    rows, drawn = len(column.labels), []
    tops = {kind: (_ROW - _BAR * len(series)) / 2 + _BAR * i for i, (kind, _) in enumerate(series)}
    for kind, values in series:
        found = [(left, _ROW * row + tops[kind], _clip(value) * scale, _BAR - 1) for row, value in enumerate(values)]
        drawn.append(boxes(found, kind))
    if column.radius is not None:
        middle = tops[series[0][0]] + (_BAR - 1) / 2
        drawn += [
            _bracket(left + lo * scale, left + hi * scale, _ROW * row + middle)
            for row, (lo, hi) in enumerate(_intervals(first, column.radius))
        ]
    for row, label in enumerate(labels):
        base = _ROW * row + _ROW / 2 + 4
        drawn.append(words(left - 6, base, label, "end"))
        drawn.append(words(_WIDTH, base, share_text(series[-1][1][row]), "end small"))
    drawn.append(strokes([(left, 0, 0, _ROW * rows)], "rule"))
    said = " and ".join({"released": "released", "synthetic": "synthetic"}[kind] for kind, _ in series)
    title = f"{column.name}: {said} shares of {rows} values"
    picture = frame(title, _description(column), *drawn, width=_WIDTH, height=_ROW * rows)
    return element("figure", element("figcaption", column.name, *_within(column)), picture, _numbers(column))


def _within(column: BarColumn) -> list[Markup]:
    """How wide brackets are, for columns in which they are mere ticks whatever the scale is."""
    if column.radius is None:
        return []
    least, most = (points(Fraction(of(column.radius))) for of in (min, max))
    said = f"± {most} points" if least == most else f"± {least} to {most} points"
    return [element("span", said, class_="within")]


def _series(column: BarColumn) -> tuple[tuple[str, tuple[Number, ...] | None], ...]:
    return ("released", column.released), ("synthetic", column.synthetic)


def _intervals(middle: tuple[Number, ...], radius: tuple[Number, ...]) -> list[tuple[float, float]]:
    """Where the real shares are, as far as they can be: between 0 and 1."""
    pairs = zip(middle, radius, strict=True)
    return [(_clip(float(value) - float(width)), _clip(float(value) + float(width))) for value, width in pairs]


def _bracket(left: float, right: float, y: float) -> Markup:
    return strokes([(left, y, right - left, 0), (left, y - 4, 0, 8), (right, y - 4, 0, 8)], "whisker")


def _clip(value: Number) -> float:
    return min(max(float(value), 0.0), 1.0)


def _is_clipped(column: BarColumn) -> bool:
    return any(not 0 <= value <= 1 for value in column.released or ())


def _description(column: BarColumn) -> str:
    """The largest shares in words."""
    shown = column.synthetic if column.synthetic is not None else column.released
    assert shown is not None
    largest = sorted(range(len(shown)), key=lambda i: (-shown[i], i))[:3]
    return "Largest: " + "; ".join(f"{column.labels[i]} {share_text(shown[i])}" for i in largest) + "."


def _numbers(column: BarColumn) -> Markup:
    heads, cells = ["value"], [list(column.labels)]
    for kind, values in _series(column):
        if values is not None:
            heads.append(kind)
            cells.append([f"{float(value):.4f}" for value in values])
    if column.radius is not None:
        heads.append("off by at most")
        cells.append([up(Fraction(width), 3) for width in column.radius])
    return numbers_table(f"Shares of {column.name}", heads, zip(*cells, strict=True))
