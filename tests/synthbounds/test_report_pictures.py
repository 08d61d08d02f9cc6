"""Pictures of a report: well-formed whatever the names are, true to their numbers, and readable without being seen."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.data.columns import BINS, EDGES, Column, LevelColumn, NumberColumn
from release.data.schema import Schema
from release.statistics.measured_shares import MeasuredShares
from synthbounds.report import svg
from synthbounds.report.bars import AT_ONCE, draw_bars
from synthbounds.report.curve import draw_curve
from synthbounds.report.heat_map import STEPS, STRONG, draw_heat_map, step_of
from synthbounds.report.shares import MOST_COLUMNS, MOST_VALUES, bar_columns, label, said_of_columns
from synthbounds.report.sheet import BarColumn, Bars, CellError, Curve, CurveLine, HeatMap
from synthbounds.report.style import STYLE

HOSTILE = '<script>alert("x")</script>&amp;\'" ]]> \u202e\x07'
HALVES = (Fraction(1, 2), Fraction(1, 2))


def bars(*columns: BarColumn, **more: Any) -> ElementTree.Element:
    return ElementTree.fromstring(draw_bars(Bars("Columns", columns, **more)))  # noqa: S314 - our own


def heat_map(names: tuple[str, ...], values: Any, **more: Any) -> ElementTree.Element:
    return ElementTree.fromstring(draw_heat_map(HeatMap("Pairs", names, values, "error", **more)))  # noqa: S314 - our own


def widths(drawn: ElementTree.Element, kind: str) -> list[float]:
    """Of the boxes of one kind in the pictures, swatches of the key left out."""
    paths = [e.get("d", "") for f in drawn.iter("figure") for e in f.iter("path") if e.get("class") == kind]
    return [float(width) for path in paths for width in re.findall(r"h(-?[\d.]+)v", path)]


def test_bars_are_as_long_as_their_shares() -> None:
    column = BarColumn("sex", ("F", "M"), (Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 2), Fraction(3, 8)))
    drawn = bars(column)
    released, synthetic = widths(drawn, "released"), widths(drawn, "synthetic")
    assert released[0] == pytest.approx(3 * released[1], abs=0.2)
    assert synthetic[0] == pytest.approx(released[0] * 2 / 3, abs=0.2)
    assert not [e for e in drawn.iter("path") if e.get("class") == "whisker"]


def test_every_column_has_the_scale_on_which_its_brackets_are_widest() -> None:
    """The largest share or end of a bracket is at the end of the picture, and short names leave it more room."""
    even, rare = BarColumn("sex", ("F", "M"), HALVES), BarColumn("ill", ("y", "n"), (Fraction(1, 16), Fraction(1, 32)))
    found = widths(bars(even, rare), "released")
    assert found[0] == found[1] == found[2] == pytest.approx(2 * found[3], abs=0.2)
    assert "Every column has its own scale" in "".join(bars(even, rare).itertext())
    wide = BarColumn("x", ("a", "b"), HALVES, None, (Fraction(3, 8), Fraction(1, 8)))
    assert widths(bars(wide), "released")[0] == pytest.approx(found[0] * 4 / 7, abs=0.2)
    assert widths(bars(BarColumn("sex", ("female", "male"), HALVES)), "released")[0] < found[0]


def test_brackets_that_are_mere_ticks_have_their_width_in_words() -> None:
    said = "".join(bars(BarColumn("x", ("a", "b"), HALVES, None, (Fraction("0.00401"), Fraction("0.012")))).itertext())
    assert "x± 0.41 to 1.2 points" in said
    assert "can be too narrow to be seen" in said
    assert "too narrow" not in "".join(bars(BarColumn("x", ("a", "b"), HALVES)).itertext())


def test_released_and_synthetic_are_explained_where_both_are_drawn() -> None:
    assert "random noise added" in "".join(bars(BarColumn("x", ("a", "b"), HALVES, HALVES)).itertext())
    assert "random noise added" not in "".join(bars(BarColumn("x", ("a", "b"), HALVES)).itertext())


def test_whiskers_end_where_the_real_share_can_be() -> None:
    column = BarColumn("sex", ("F", "M"), HALVES, HALVES, (Fraction(1, 10), Fraction(3, 4)))
    figure = next(bars(column).iter("figure"))
    lines = [e.get("d", "") for e in figure.iter("path") if e.get("class") == "whisker"]
    spans = [[float(x) for x in re.findall(r"^M(\S+) \S+l(\S+) 0", line)[0]] for line in lines]
    one = spans[1][1]  # from 0 to 1: the whole width
    assert spans[0][1] == pytest.approx(0.2 * one, abs=0.3)
    assert spans[0][0] - spans[1][0] == pytest.approx(0.4 * one, abs=0.3)
    cells = [e.text for e in figure.iter("td")]
    assert cells == ["0.5000", "0.5000", "0.1", "0.5000", "0.5000", "0.75"]


def test_shares_beyond_the_ends_are_drawn_at_them_and_said() -> None:
    drawn = bars(BarColumn("sex", ("F", "M"), (Fraction(-1, 10), Fraction(11, 10))))
    assert widths(drawn, "released")[0] == 0
    text = "".join(drawn.itertext())
    assert "A noisy percentage may be negative" in text
    assert {"-0.1000", "1.1000"} <= {e.text for e in drawn.iter("td")}
    assert "may be negative" not in "".join(bars(BarColumn("sex", ("F", "M"), HALVES)).itertext())


def test_hostile_names_are_text() -> None:
    column = BarColumn(HOSTILE, (HOSTILE, HOSTILE * 9), HALVES, HALVES, HALVES)
    cell = CellError(Fraction(1, 3), "0.34")
    drawings = (
        bars(column, legend=HOSTILE, note=HOSTILE),
        heat_map((HOSTILE, "b"), ((cell,), (None, cell)), note=HOSTILE),
    )
    for drawn in drawings:
        assert not list(drawn.iter("script"))
        text = "".join(drawn.itertext())
        assert '<script>alert("x")</script>&amp;' in text
        assert "\u202e" not in text
        attributes = {key for e in drawn.iter() for key in e.attrib}
        assert not {key for key in attributes if key.startswith("on")} | attributes & {"id", "style", "href"}


def test_every_picture_has_words_and_a_table() -> None:
    many = tuple(BarColumn(f"c{i}", ("a", "b"), HALVES) for i in range(AT_ONCE + 2))
    cell = CellError(Fraction(1, 50), "0.020")
    for drawn in (bars(*many), heat_map(("a", "b", "c"), ((cell,), (cell, cell), (None, cell, cell)))):
        pictures = [e for e in drawn.iter("svg") if e.get("role") == "img"]
        assert pictures
        for picture in pictures:
            assert picture.find("title").text == picture.get("aria-label")  # type: ignore[union-attr]
            assert picture.find("desc").text  # type: ignore[union-attr]
        assert all(e.get("role") == "img" or e.get("aria-hidden") == "true" for e in drawn.iter("svg"))
        assert len(list(drawn.iter("table"))) == len(pictures)
        regions = [e for e in drawn.iter("div") if e.get("class") == "scroll"]
        assert all(e.get("tabindex") == "0" and e.get("aria-label") for e in regions)
    folded = bars(*many).findall("details")
    assert [next(fold.iter("summary")).text for fold in folded] == ["2 more columns"]


def test_shades_are_steps_that_errors_are_compared_with_exactly() -> None:
    for place, end in enumerate(STEPS):
        assert (step_of(end), step_of(end + Fraction(1, 10**30))) == (place, place + 1)
    values = tuple(tuple(CellError(end, "x") for end in STEPS[: row + 1]) for row in range(len(STEPS)))
    names = tuple("abcdef")
    drawn = heat_map(names, values)
    (picture,) = (e for e in drawn.iter("svg") if e.get("role") == "img")
    boxes = {e.get("class"): (e.get("d") or "").count("z") for e in picture.iter("path")}
    assert boxes == {f"e{step}": len(STEPS) - step for step in range(len(STEPS))}


def test_what_is_not_certified_is_hatched_and_what_is_weak_is_marked() -> None:
    sure, weak = CellError(Fraction(1, 100), "0.010"), CellError(Fraction(1, 3), "0.34", is_weak=True)
    plain = "".join(heat_map(("a", "b"), ((sure,), (sure, sure))).itertext())
    assert "not certified" not in plain
    assert "no relation promised" not in plain
    assert "≤ 0.5≤ 1≤ 2≤ 5≤ 10≤ 25> 25" in plain  # points of a percentage
    drawn = heat_map(("a", "b", "c"), ((sure,), (None, sure), (weak, sure, sure)))
    text = "".join(drawn.itertext())
    assert "not certified" in text
    assert "no relation promised" in text
    rows = [[cell.text for cell in row.iter("td")] for row in drawn.iter("tr")]
    assert rows == [[], ["0.010"], ["–", "0.010"], ["0.34", "0.010", "0.010"]]
    (description,) = (e.text for e in drawn.iter("desc"))
    both = "a and c 0.34; b and c 0.010"
    assert description == f"2 pairs of columns. Largest: {both}. Smallest: {both}."
    assert "not counted" in "".join(heat_map(("a", "b"), ((sure,), (None, sure)), certified=False).itertext())


def test_long_columns_show_their_largest_shares() -> None:
    """Which ones is decided by what is drawn: the synthetic shares where there are any."""
    size = MOST_VALUES + 3
    schema = Schema(
        (LevelColumn("town", tuple(f"t{i}" for i in range(size))), LevelColumn("sex", ("F", "M"))), "public"
    )
    synthetic = tuple(Fraction(i, sum(range(size))) for i in range(size))
    own = MeasuredShares(tuple(reversed(synthetic)), (Fraction(1, 5),) * size)
    towns, sex = bar_columns(schema, measured={0: own}, synthetic=(synthetic, HALVES), within=(Fraction(1),) * 2)
    assert towns.labels == (*(f"t{i}" for i in range(size - 1, 2, -1)), "3 others")
    assert towns.synthetic is not None
    assert towns.released is not None
    assert towns.radius is not None
    assert sum(towns.synthetic) == sum(towns.released) == 1
    assert towns.radius[-1] == Fraction(3, 5)
    assert sex.released is None
    assert sex.radius is None
    assert f"the {MOST_VALUES} most frequent" in said_of_columns(schema, (towns, sex))
    (_, sex) = bar_columns(schema, measured={0: own}, synthetic=(synthetic, HALVES), within=(Fraction(1, 9),) * 2)
    assert sex.radius == (Fraction(1, 9),) * 2
    assert [c.name for c in bar_columns(schema, measured={0: own})] == ["town"]


@given(st.lists(st.tuples(st.fractions(-50, 50), st.fractions(0, 100), st.fractions(0, 1)), min_size=2, max_size=4))
def test_whiskers_hold_the_real_share_however_large_the_noise(cells: list[tuple[Fraction, Fraction, Fraction]]) -> None:
    """Whatever real share in [0, 1] is within the radius of a noisy one is within the one that is shown."""
    schema = Schema((LevelColumn("x", tuple(f"v{i}" for i in range(len(cells)))),), "public")
    noisy = tuple(share for share, _, _ in cells)
    radius = tuple(abs(real - share) + spare for share, spare, real in cells)
    (found,) = bar_columns(schema, measured={0: MeasuredShares(noisy, radius)})
    assert found.released is not None
    assert found.radius is not None
    places = [int(name[1:]) for name in found.labels]
    for place, share, shown in zip(places, found.released, found.radius, strict=True):
        assert abs(cells[place][2] - share) <= shown <= radius[place]
        assert shown <= max(share, 1 - share)


def test_curves_are_rounded_to_the_side_on_which_they_are_true() -> None:
    points = ((1, Fraction("0.12345")), (2, Fraction("0.10004")))
    lines = (CurveLine("at least", points, True, "from_right"), CurveLine("at most", points, False, "from_left"))
    drawn = draw_curve(Curve("t", "x", "y", lines))
    assert "at least from 0.123 at 1 to 0.100 at 2; at most from 0.124 at 1 to 0.101 at 2" in drawn
    assert [re.findall(r"<td>([^<]*)</td>", drawn)] == [["0.123", "0.124", "0.100", "0.101"]]


def test_steps_say_nothing_false_between_two_points() -> None:
    """Of what falls with x: from below by the next point, from above by the last one."""
    points = ((1, 4), (10, 2), (100, 1))
    lines = (CurveLine("at least", points, True, "from_right"), CurveLine("at most", points, False, "from_left"))
    least, most = (
        [tuple(float(number) for number in corner.split(",")) for corner in path.split()]
        for path in re.findall(r'<polyline points="([^"]*)"', draw_curve(Curve("t", "x", "y", lines)))
    )
    assert len(least) == len(most) == 5
    assert least[::2] == most[::2]
    for i in (1, 3):  # a picture's y grows downwards
        assert least[i] == (least[i - 1][0], least[i + 1][1])
        assert most[i] == (most[i + 1][0], most[i - 1][1])


def test_more_columns_than_a_page_holds() -> None:
    schema = Schema(tuple(LevelColumn(f"c{i}", ("a", "b")) for i in range(MOST_COLUMNS + 1)), "public")
    found = bar_columns(schema, measured={}, synthetic=(HALVES,) * (MOST_COLUMNS + 1))
    assert len(found) == MOST_COLUMNS
    assert said_of_columns(schema, found) == f"These are the first {MOST_COLUMNS} of {MOST_COLUMNS + 1} columns."


def labels(column: Column) -> tuple[str, ...]:
    return tuple(label(column, code) for code in range(column.size))


def test_bins_are_named_by_their_ends() -> None:
    ends = (Fraction(0), Fraction(10))
    assert labels(NumberColumn("x", BINS, 2, ends, missing=("",))) == ("0 to 5", "5 to 10", "(missing)")
    assert labels(NumberColumn("x", BINS, 2, ends, whole=True)) == ("0 to 4", "5 to 10")
    thirds = NumberColumn("x", EDGES, 2, (Fraction(0), Fraction(1, 3), Fraction(1)))
    assert labels(thirds) == ("0 to 0.3333", "0.3333 to 1")
    assert labels(LevelColumn("x", ("a\n", "b"))) == ("a?", "b")


def test_every_class_that_is_drawn_has_a_style() -> None:
    weak = CellError(Fraction(1, 3), "0.34", is_weak=True)
    cells = tuple(CellError(end, "x") for end in (*STEPS, Fraction(1)))
    pages = (
        draw_bars(Bars("t", (BarColumn("c", ("a", "b"), HALVES, HALVES, HALVES),))),
        draw_heat_map(HeatMap("t", ("a", "b"), ((weak,), (None, weak)), "u")),
        draw_heat_map(HeatMap("t", tuple("abcdefg"), tuple(cells[: i + 1] for i in range(7)), "u")),
    )
    used = {name for page in pages for said in re.findall(r'class="([^"]+)"', page) for name in said.split()}
    structural = {"bars", "heat-map", "faint"}
    assert all(re.search(rf"\.{name}\b", svg.STYLE) for name in used - structural), used


def _colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+):(#[0-9a-f]{3,6})\b", css))


def _contrast(one: str, other: str) -> float:
    """As WCAG has it."""

    def light(colour: str) -> float:
        digits = colour.lstrip("#")
        digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_numbers_are_read_on_every_shade(theme: str) -> None:
    """4.5 for text and 3 for what is drawn, as WCAG asks for; neighbouring shades are told apart by their order."""
    starts = {"light": ":", "dark": "(prefers-color-scheme:dark)", "print": "print"}
    page, pictures = (
        _colours(css[css.index("@media " + starts[theme]) if theme != "light" else 0 :].split("}")[0] + "}")
        for css in (STYLE, svg.STYLE)
    )
    for step in range(len(STEPS) + 1):
        ink = "paper" if step >= STRONG else "ink"
        assert _contrast(pictures[f"e{step}"], pictures[ink]) >= 4.5, step
    for drawn in ("released", "synthetic", "whisker"):
        assert _contrast(pictures[drawn], page["page"]) >= 3
    lights = [_contrast(pictures[f"e{step}"], page["page"]) for step in range(len(STEPS) + 1)]
    assert lights == sorted(lights)
