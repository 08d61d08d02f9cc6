"""The question is in the address: it can be sent, gone back to, and opened by somebody else."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.browser.calculator import Calculator
from tests.browser.conftest import Visit

pytestmark = pytest.mark.slow

QUESTIONS = {
    "sizes": {"p": "13", "solve": "accuracy", "n": "2500", "over": "p", "family": "parities", "dp-delta": "1e-7"},
    "risk": {"features": "7", "solve": "excess", "n": "30000", "loss": "hinge", "over": "radius"},
    "plan": {"features": "9", "tau": "3", "epsilon": "1/2", "fourth": "true"},
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_address_opens_the_same_question_elsewhere(name: str, served: str, visit: Visit) -> None:
    here = Calculator(visit(served), name).ask()
    here.unfold()
    for control, value in QUESTIONS[name].items():
        if control == "over":
            here.find("select[name=over]").select_option(value)
            here.settled()
        else:
            here.change(control, value)
    assert here.address == {"view": name, **QUESTIONS[name]}
    fragment = urlsplit(here.page.url).fragment
    there = Calculator(visit(f"{served}&{fragment}"), name).settled()
    assert there.page.url == here.page.url
    assert there.controls() == here.controls()
    assert (there.line, there.huge) == (here.line, here.huge)
    assert there.find(".curve table").text_content() == here.find(".curve table").text_content()


def test_back_and_forward(served: str, visit: Visit) -> None:
    page = visit(served)
    view = Calculator(page).settled()
    seen = [(view.line, view.huge)]
    for name, value in [("p", "11"), ("epsilon", "0.3"), ("solve", "accuracy")]:
        view.change(name, value)
        seen.append((view.line, view.huge))
    page.locator("[role=tab][data-view=risk]").click()
    risk = Calculator(page, "risk").settled()
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


def test_the_first_question_has_a_short_address(served: str, visit: Visit) -> None:
    view = Calculator(visit(served)).settled()
    view.change("p", "11").change("p", "10")
    assert view.address == {"view": "sizes"}
