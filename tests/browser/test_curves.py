"""The curve over every number: picture, table and file say the same, and the same as the command line."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser.calculator import Calculator, told
from tests.browser.conftest import Visit

pytestmark = pytest.mark.slow

QUESTIONS = {"sizes": {}, "risk": {"solve": "excess"}, "plan": {}}
MOST_AXES = {"sizes": 30, "risk": 4, "plan": 1}
"""A curve of plans is dear."""


def downloaded(view: Calculator) -> list[dict[str, str]]:
    with view.page.expect_download() as waiting:
        view.find(".curve .csv").click()
    assert waiting.value.suggested_filename.endswith(".csv")
    return list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))


def tabled(view: Calculator) -> list[dict[str, str]]:
    heads, *rows = view.find(".curve table tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return [dict(zip(heads, row, strict=True)) for row in rows]


def at(line: str, over: str, value: str) -> str:
    """The line with another value of one option."""
    before, found, after = line.partition(f" --{over} ")
    rest = after.partition(" ")
    return f"{before} --{over} {value} {rest[2]}" if found else f"{line} --{over} {value}"


def assert_point(row: dict[str, str], line: str, over: str) -> None:
    """One point of the curve, asked by itself on the command line."""
    answer = told(at(line, over, row[over]))
    body: dict[str, Any] = answer.body
    assert row.get("error", "") in answer.error
    if answer.exit_code:
        assert row["error"]
        return
    if body["command"] == "require":
        assert [row["n"], row["m"], row["k"]] == [str(body[name]) for name in "nmk"]
        assert row.get("limit", "") == str((body["lower_bound"] or {}).get("n", ""))
    if body.get("solved"):
        assert row["value_hi"] == body["solved"]["value"]
    elif "bound" in body:
        assert [row["value_lo"], row["value_hi"]] == [body["bound"]["lo"], body["bound"]["hi"]]


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_curve_over_every_number(name: str, served: str, visit: Visit) -> None:
    view = Calculator(visit(served), name).ask(**QUESTIONS[name]).unfold()
    axes = view.find("select[name=over] option").evaluate_all("all => all.map(e => e.value)")
    assert len(axes) > 5
    for over in axes[: MOST_AXES[name]]:
        view.find("select[name=over]").select_option(over)
        view.settled()
        assert view.address.get("over", "epsilon") == over
        rows = tabled(view)
        assert rows == downloaded(view), over
        assert len(rows) > 3, over
        assert_point(rows[len(rows) // 2], view.line, over)
        picture = view.find(".curve svg[role=img]")
        names = picture.get_attribute("aria-labelledby").split()
        named = " ".join(view.page.locator(f"#{it}").text_content().strip() for it in names)
        axis = view.find("select[name=over] option:checked").inner_text()
        assert re.search(rf"^(Records needed, by|.+ over) {re.escape(axis[0].lower() + axis[1:])}: ", named), over
        if sum(not row.get("error") for row in rows) > 1:
            assert picture.locator("path").count() > 0, over


def test_a_curve_can_be_read_off_by_keyboard_and_mouse(served: str, visit: Visit) -> None:
    view = Calculator(visit(served)).ask()
    reader, readout = view.find(".curve input.reader"), view.find(".curve .readout")
    first = readout.inner_text()
    reader.focus()
    reader.press("ArrowRight")
    second = readout.inner_text()
    assert second != first
    assert reader.get_attribute("aria-valuetext") == second
    box = view.find(".curve svg[role=img]").bounding_box()
    assert box is not None
    view.page.mouse.move(box["x"] + box["width"] - 25, box["y"] + box["height"] / 2)
    assert readout.inner_text() not in (first, second)
