"""The guided way for everybody: at every step no rule of accessibility is broken, and the keyboard is enough."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import chromium, places
from tests.browser.conftest import Visit
from tests.browser.guided import Guided
from tests.browser.looks import assert_everywhere
from tests.paths import ROOT

pytestmark = pytest.mark.slow

CLINIC = ROOT / "docs" / "examples" / "clinic.csv"


@pytest.fixture(scope="module")
def guiding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    chromium.found()
    folder = tmp_path_factory.mktemp("everybody") / "releases"
    with places.serving("--demo", "--folder", str(folder)) as server:
        yield server.address


def opened(way: Guided) -> Guided:
    """With everything that is folded up unfolded."""
    for one in way.find("details:not([open]) > summary").all():
        if one.is_visible():
            one.click()
    return way.settled()


def test_every_step_is_for_everybody(guiding: str, visit: Visit) -> None:
    way = Guided(visit(guiding, reduced_motion="reduce")).begin()
    assert_everywhere(way.page)
    way.hand_in(CLINIC)
    assert_everywhere(opened(way).page)
    way.find("#schema-file").set_input_files(CLINIC.with_name("clinic.schema.json"))
    way.check()
    assert_everywhere(way.page)
    way.simulate(on_table=False, method="independent")
    assert_everywhere(opened(way).page)
    way.step("release").find("#release-account").select_option("new account")
    assert_everywhere(way.page)
    way.find("#release-people").fill("Clinic")
    way.press("Open the account").settled().press("Show what will be spent").settled()
    assert_everywhere(way.page)
    way.find("input[name=sure]").check()
    way.press("Make the release").heading("After the release")
    way.press("Look at it").find(".release .head-rows").wait_for()
    way.press("Show what was spent").settled()
    assert_everywhere(opened(way).page)


def test_the_whole_way_by_keyboard(guiding: str, visit: Visit, tmp_path: Path) -> None:
    way = Guided(visit(guiding)).begin()
    reach(way, "Survey: 4,000 people, 8 questions")
    way.page.keyboard.press("Enter")
    way.heading("What may its columns contain?")
    assert way.page.evaluate("document.activeElement.tagName") == "H2"  # a screen reader says where it is
    reach(way, "Check and go on")
    way.page.keyboard.press("Enter")
    way.heading("How private")
    reach(way, "Go on to a trial")
    way.page.keyboard.press("Enter")
    way.heading("Try it out")
    reach(way, "Simulate")
    way.page.keyboard.press("Enter")
    way.find(".head-rows").wait_for()
    way.settled()
    outline = way.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def reach(way: Guided, words: str) -> None:
    """By the Tab key alone."""
    for _ in range(120):
        if way.page.evaluate("document.activeElement.textContent").startswith(words):
            return
        way.page.keyboard.press("Tab")
    raise AssertionError(f"{words}: not reached by the Tab key")


def test_targets_are_large_enough_for_fingers(guiding: str, visit: Visit) -> None:
    page = visit(guiding, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    way = Guided(page).begin().demo("Clinic")
    small = """all => all.filter(e => e.checkVisibility() && !e.closest(".option, .keep"))
        .filter(e => e.getBoundingClientRect().height < 43.5).map(e => e.outerHTML.slice(0, 100))"""
    for step in ("columns", "plan", "trial", "release"):
        if step == "plan":
            way.check()
        way.step(step).settled()
        found = page.locator("section#guided :is(button, select, summary, input:not([type=checkbox]))").evaluate_all(
            small
        )
        assert found == [], step


def test_no_id_occurs_twice(guiding: str, visit: Visit) -> None:
    """Labels and hints find their fields by ids, with every other view open in the same page."""
    page = visit(guiding)
    for view in ("risk", "plan", "papers", "sizes"):
        page.locator(f"#tab-{view}").click()
        page.locator("html[data-state=idle]").wait_for(state="attached")
    way = Guided(page).begin().demo("Survey").check()
    way.simulate(on_table=False, method="independent")
    twice = (
        """() => [...document.querySelectorAll("[id]")].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i)"""
    )
    for step in ("table", "columns", "plan", "trial", "release", "after"):
        way.step(step).settled()
        assert page.evaluate(twice) == [], step
