"""The page for everybody: by keyboard alone, with a screen reader, on a phone, in both themes, without motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.calculator import Calculator, assert_same
from tests.browser.conftest import Visit
from tests.browser.looks import assert_everywhere, sheets

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

VIEWS = ("sizes", "risk", "plan", "papers")


@pytest.mark.parametrize("name", VIEWS)
def test_no_rule_is_broken_and_nothing_sticks_out(name: str, served: str, visit: Visit) -> None:
    view = Calculator(visit(served, reduced_motion="reduce"), name).ask().unfold()
    assert_everywhere(view.page)


def test_an_error_is_for_everybody(served: str, visit: Visit) -> None:
    assert_everywhere(Calculator(visit(served, reduced_motion="reduce")).ask(epsilon="0").page)


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.name || document.activeElement.dataset.view || ''"))


def tab_to(page: Page, name: str) -> None:
    for _ in range(60):
        if focused(page) == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{name}: not reached by the Tab key")


def test_a_whole_question_by_keyboard(served: str, visit: Visit) -> None:
    page = visit(served)
    Calculator(page).settled()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "A"  # past what is the same on every view
    tab_to(page, "sizes")
    page.keyboard.press("ArrowRight")
    view = Calculator(page, "risk").settled()
    assert focused(page) == "risk"
    assert view.address["view"] == "risk"
    tab_to(page, "solve")
    page.keyboard.press("ArrowDown")
    view.settled()
    tab_to(page, "n")
    page.keyboard.press("Control+A")
    page.keyboard.type("54321")
    page.keyboard.press("Tab")
    view.settled()
    assert "--n 54321" in view.line
    page.keyboard.press("ArrowRight")  # the slider of the same number
    view.settled()
    assert "--n 54321" not in view.line
    assert_same(view)
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def test_the_way_past_the_head_keeps_the_question(served: str, visit: Visit) -> None:
    view = Calculator(visit(served)).ask(p="7")
    before = view.page.url
    view.page.keyboard.press("Tab")
    view.page.keyboard.press("Enter")
    assert view.page.url == before
    assert "--p 7" in view.settled().line
    assert view.page.evaluate("document.activeElement.id") == "main"


def test_nothing_moves_where_motion_is_unwanted(served: str, visit: Visit) -> None:
    page = visit(served, reduced_motion="reduce")
    Calculator(page).settled()
    lasting = """() => [...document.querySelectorAll("*")].filter(e => {
        const style = getComputedStyle(e), longest = text => Math.max(...text.split(",").map(parseFloat));
        return longest(style.animationDuration) > 0.01 || longest(style.transitionDuration) > 0.01;
    }).map(e => e.outerHTML.slice(0, 100))"""
    assert page.evaluate(lasting) == []


def test_targets_are_large_enough_for_fingers(served: str, visit: Visit) -> None:
    page = visit(served, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    Calculator(page).settled()
    small = page.locator("main :is(button, select, summary, input, [role=tab])").evaluate_all(
        """all => all.filter(e => e.checkVisibility()).filter(e => e.getBoundingClientRect().height < 43.5)
            .map(e => e.outerHTML.slice(0, 100))"""
    )
    assert small == []


def test_the_page_prints(served: str, visit: Visit) -> None:
    page = visit(served)
    Calculator(page).settled()
    assert 1 <= sheets(page) <= 4
