"""The page with Python inside: on a plain host and as one file from a disk, from the stored answer to the engine's."""

from __future__ import annotations

import pytest

from tests.browser.calculator import Calculator, assert_same
from tests.browser.conftest import Visit

pytestmark = pytest.mark.slow

ASKED = [
    {"p": "7", "epsilon": "1/3"},
    {"solve": "accuracy", "n": "2500"},
    {"family": "cells", "t": "3", "dp-delta": "1e-6"},
    {"epsilon": "0"},
    {"edition": "printed"},
]


def seen(view: Calculator) -> tuple[str | None, ...]:
    parts = (".answer .sentence", ".curve table", ".editions table")
    return (view.huge, view.line, *(view.find(part).first.text_content() for part in parts))


def use(view: Calculator) -> None:
    """From the first look to the last tab. One visit, because Python takes long to start."""
    page = view.page
    page.locator("html[data-state=stored]").wait_for(state="attached")
    stored = seen(view)
    assert view.huge == "9,033"
    assert seen(view.settled()) == stored
    page.context.set_offline(True)  # from here on nothing can be fetched
    for question in ASKED:
        assert_same(view.ask(**question, over="degree"), context=str(question))
    page.locator("[role=tab][data-view=risk]").click()
    risk = Calculator(page, "risk").settled()
    risk.give("features", "7").answered("--features 7")
    assert_same(risk)
    page.locator("[role=tab][data-view=plan]").click()
    refusal = page.locator("section#plan")
    assert "synthbounds serve" in refusal.inner_text()
    assert refusal.locator("input, select").count() == 0
    page.locator("[role=tab][data-view=guided]").click()
    releasing = page.locator("section#guided")
    assert "synthbounds serve" in releasing.inner_text()
    assert releasing.locator("input, select, button").count() == 0


def test_the_page_on_a_plain_host(static_site: str, visit: Visit) -> None:
    page = visit(f"{static_site}#token=somebody")  # is no key here: nothing that is typed goes to the host
    use(Calculator(page))
    assert page.evaluate("sessionStorage.length") == 0
    page.context.set_offline(False)
    page.locator("[role=tab][data-view=papers]").click()
    page.locator("section#papers input").first.fill("Corollary 3.6")
    page.locator("section#papers").get_by_text("Corollary 3.6").first.wait_for()


def test_the_one_file_from_a_disk(single_file: str, visit: Visit) -> None:
    page = visit(single_file, offline=True)
    use(Calculator(page))
    page.locator("[role=tab][data-view=papers]").click()
    page.locator("section#papers input").first.fill("Corollary 3.6")
    page.locator("section#papers").get_by_text("Corollary 3.6").first.wait_for()
    assert page.locator("a[href*=licences], #licences, a", has_text="icences").count() > 0
