"""The local page opens and answers."""

from __future__ import annotations

from tests.browser.conftest import Visit


def test_the_page_opens_and_answers(served: str, visit: Visit) -> None:
    page = visit(served)
    page.locator("html[data-state=idle]").wait_for(state="attached")
    assert page.locator("section#sizes .answer .huge").inner_text().strip()
    assert "token" not in page.url
