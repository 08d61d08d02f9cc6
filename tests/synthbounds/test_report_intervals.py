"""Intervals and graphs as pictures: drawn where their numbers are, rounded to the side on which they stay true."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest

from mechanisms.infer.findings import Interval
from synthbounds.report import svg
from synthbounds.report.graph import draw_graph
from synthbounds.report.inference_pictures import pictures
from synthbounds.report.sheet import Graph, GraphEdge, WhiskerRow, Whiskers
from synthbounds.report.whiskers import draw_whiskers

ROWS = (
    WhiskerRow("certain", 3, 2, 4, True),
    WhiskerRow("not", 0, -1, 1),
    WhiskerRow("open", 1, None, 2),
    WhiskerRow("everything", None, None, None),
)


def drawn(part: Whiskers | Graph) -> ElementTree.Element:
    text = draw_whiskers(part) if isinstance(part, Whiskers) else draw_graph(part)
    return ElementTree.fromstring(text)  # noqa: S314 - our own


def paths(found: ElementTree.Element, kind: str) -> list[str]:
    return [e.get("d", "") for f in found.iter("figure") for e in f.iter("path") if e.get("class") == kind]


def lines(path: str) -> list[list[float]]:
    """The strokes of a path: x, y, across, down."""
    return [[float(x) for x in re.findall(r"-?[\d.]+", stroke)] for stroke in path.split("M") if stroke]


@pytest.mark.parametrize("upright", [False, True])
def test_intervals_are_as_long_as_they_are_wide(upright: bool) -> None:
    rows = (WhiskerRow("a", 0, -1, 1, True), WhiskerRow("b", 1, -2, 4))
    found = drawn(Whiskers("t", rows, "x", upright=upright))
    sure, other = (lines(path) for kind in ("sure", "whisker") for path in paths(found, kind))
    along = 3 if upright else 2
    assert sure[0][along] == pytest.approx(other[0][along] / 3, abs=0.2)
    assert len(sure) == len(other) == 3  # the interval and its two ends


def test_an_interval_without_an_end_reaches_the_end_of_the_picture() -> None:
    found = drawn(Whiskers("t", ROWS, "x", zero=0))
    _, half, whole = (lines(path) for path in paths(found, "whisker"))
    assert len(half) == 2
    assert len(whole) == 1
    assert half[0][0] == whole[0][0]


def test_the_line_at_zero_is_where_zero_is() -> None:
    found = drawn(Whiskers("t", ROWS, "x", zero=0))
    (zero,) = paths(found, "zero")
    not_sure = lines(paths(found, "whisker")[0])[0]
    assert lines(zero)[0][0] == pytest.approx(not_sure[0] + not_sure[2] / 2, abs=0.2)


def test_numbers_are_rounded_outwards() -> None:
    row = WhiskerRow("a", None, Fraction(1, 3), Fraction(2, 3))
    cells = [e.text for e in drawn(Whiskers("t", (row,), "x")).iter("td")]
    assert cells == [None, "0.3333", "0.6667"]


def test_one_number_alone_and_none_at_all() -> None:
    alone = drawn(Whiskers("t", (WhiskerRow("a", 1, 1, 1),), "x"))
    assert paths(alone, "point")
    assert not list(drawn(Whiskers("t", (), "x")).iter("svg"))


def test_marks_say_what_they_mean_where_there_are_some() -> None:
    def keys(rows: tuple[WhiskerRow, ...]) -> list[Any]:
        return [e for e in drawn(Whiskers("t", rows, "x", marked="surely")).iter("p") if e.get("class") == "key"]

    assert keys(ROWS)
    assert not keys(ROWS[1:])


def test_edges_join_their_names_and_say_their_sign() -> None:
    found = drawn(Graph("t", ("a", "b", "c"), (GraphEdge((0, 1), 1, 1), GraphEdge((1, 2), -1, 0.5))))
    (plus,), (minus,) = paths(found, "plus"), paths(found, "minus")
    points = lines(paths(found, "point")[0])
    middle = [(x + 4, y + 4) for x, y, *_ in points]
    assert [float(x) for x in re.findall(r"-?[\d.]+", plus)] == pytest.approx([*middle[0], *middle[1]], abs=0.2)
    assert [float(x) for x in re.findall(r"-?[\d.]+", minus)] == pytest.approx([*middle[1], *middle[2]], abs=0.2)
    widths = [float(e.get("stroke-width", 0)) for e in found.iter("path") if e.get("class") in ("plus", "minus")]
    assert widths[-1] > widths[-2]  # strong ones above weak ones
    assert "1 edges are certainly positive, 1 negative" in next(found.iter("desc")).text  # type: ignore[operator]


def test_a_strength_is_never_shown_larger_than_it_surely_is() -> None:
    found = drawn(Graph("t", ("a", "b"), (GraphEdge((0, 1), 1, Fraction(99996, 10**6)),)))
    assert "at least" in [e.text for e in found.iter("th")]
    assert "0.09999" in [e.text for e in found.iter("td")]


def test_a_ratio_is_not_drawn_among_shares() -> None:
    """Even where it lies between 0 and 1, as a share does."""

    def said(name: str) -> Interval:
        return Interval(
            name=name,
            about="table",
            kind="exact",
            level=Fraction(19, 20),
            estimate=0.5,
            lo=Fraction(1, 3),
            hi=Fraction(2, 3),
            is_certified=True,
        )

    names = ("ill=yes given sex=F less sex=M", "odds ratio of ill=yes given sex=F to sex=M", "ill=yes given sex=F")
    asked, odds, beside = pictures("proportion", None, [said(name) for name in names])
    assert isinstance(asked, Whiskers)
    assert isinstance(odds, Whiskers)
    assert isinstance(beside, Whiskers)
    assert [row.name for row in asked.rows + beside.rows] == ["in the table", names[2]]
    assert (odds.title, odds.zero) == ("Odds ratio of ill=yes given sex=F to sex=M", 1)
    assert [(row.lo, row.hi) for row in odds.rows] == [(Fraction(1, 3), Fraction(2, 3))]


def test_every_class_has_a_style() -> None:
    pages = (
        draw_whiskers(Whiskers("t", ROWS, "x", zero=0, marked="m")),
        draw_graph(Graph("t", ("a", "b"), (GraphEdge((0, 1), 1, 1), GraphEdge((0, 1), -1, 1)))),
    )
    used = {name for page in pages for said in re.findall(r'class="([^"]+)"', page) for name in said.split()}
    assert all(re.search(rf"\.{name}\b", svg.STYLE) for name in used), used
