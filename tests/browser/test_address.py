"""The question is in the address, so one can send it, go back to it, and open it elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from synthbounds.web.application import PAGE
from tests.browser.calculator import Calculator
from tests.browser.conftest import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

QUESTIONS = {
    "sizes": {"p": "13", "solve": "accuracy", "n": "2500", "over": "p", "family": "parities", "dp-delta": "1e-7"},
    "risk": {"features": "7", "solve": "excess", "n": "30000", "loss": "hinge", "over": "radius"},
    "plan": {"features": "9", "tau": "3", "epsilon": "1/2", "fourth": "true"},
}
FIRST = {"sizes": "--accuracy 0.1", "risk": "--target 0.1", "plan": "--epsilon 1"}
"""What the line of the first question has: the curve of a question that is asked no more need not be waited for."""


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_address_opens_the_same_question_elsewhere(name: str, served: str, visit: Visit) -> None:
    here = Calculator(visit(served), name).open().answered(FIRST[name]).unfold()
    for control, value in QUESTIONS[name].items():
        if control == "over":
            here.find("select[name=over]").select_option(value)
        else:
            here.give(control, value)
    here.settled()
    assert here.address == {"view": name, **QUESTIONS[name]}
    fragment = urlsplit(here.page.url).fragment
    there = Calculator(visit(f"{served}&{fragment}"), name).settled()
    assert there.page.url == here.page.url
    assert there.controls() == here.controls()
    assert (there.line, there.huge) == (here.line, here.huge)
    assert there.find(".curve table").text_content() == here.find(".curve table").text_content()


def test_back_and_forward(served: str, visit: Visit) -> None:
    page = visit(f"{served}&over=degree")  # a short curve
    view = Calculator(page).settled()
    seen = [(view.line, view.huge)]
    for name, value in [("p", "11"), ("epsilon", "0.3"), ("solve", "accuracy")]:
        view.change(name, value)
        seen.append((view.line, view.huge))
    page.locator("[role=tab][data-view=risk]").click()
    risk = Calculator(page, "risk").answered(FIRST["risk"])
    assert risk.address["view"] == "risk"
    for place in reversed(seen):
        page.go_back()
        view.settled()
        assert (view.line, view.huge) == place
    for place in seen[1:]:
        page.go_forward()
        view.settled()
        assert (view.line, view.huge) == place
    page.go_forward()
    risk.settled()
    assert page.locator("section#risk").is_visible()


def test_a_tab_without_the_token_asks_for_the_printed_address(served: str, visit: Visit) -> None:
    page = visit(served.split("#")[0] + "#view=sizes&p=7")
    page.locator("html[data-state=failed]").wait_for(state="attached")
    assert "open the full link that synthbounds serve printed" in page.get_by_role("alert").inner_text()


def test_what_is_not_understood_is_named(served: str, visit: Visit) -> None:
    page = visit(served + "&view=nonsense&solve=zzz&p=7&what=<b>")
    view = Calculator(page).settled()
    notice = page.locator("#notice")
    assert notice.inner_text() == "Not understood in this address: view=nonsense, solve=zzz, what=<b>"
    view.change("p", "8")
    assert notice.inner_text() == ""
    page.goto(page.url.split("#")[0] + "#view=papers&id=nope&q=risk")
    page.locator("section#papers .card").first.wait_for()
    assert notice.inner_text() == "Not understood in this address: id=nope"


def test_the_folder_from_a_disk_says_what_to_do(browser: Browser) -> None:
    """The visit is not watched: that the browser complains is the point."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((PAGE / "index.html").as_uri())
        page.get_by_text("Open synthbounds-calculator.html instead").wait_for()


def test_the_first_question_has_a_short_address(served: str, visit: Visit) -> None:
    view = Calculator(visit(served)).settled()
    view.change("p", "11").change("p", "10")
    assert view.address == {"view": "sizes"}
