"""The page of errata and theorems: search, filters, formulas, an address for every claim and theorem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bounds.registry import all_theorems
from tests.browser.calculator import Calculator, assert_same
from tests.browser.conftest import Visit
from tests.browser.looks import assert_everywhere
from verify.claim import Severity, Verdict
from verify.ledger import all_claims

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

pytestmark = pytest.mark.slow

THEOREM = "bojkovic2024.histogram"
SEVERAL = [*(claim.id for claim in all_claims()), *all_theorems()][::97]


def opened(page: Page) -> Calculator:
    page.locator("section#papers[data-state=idle]").wait_for()
    return Calculator(page, "papers").settled()


def browse(visit: Visit, served: str, fragment: str = "", **options: Any) -> Calculator:
    return opened(visit(f"{served}&view=papers{fragment}", **options))


def cards(view: Calculator) -> Locator:
    return view.find(".results .card")


def ids(view: Calculator) -> list[str]:
    found: list[str] = cards(view).evaluate_all("all => all.map(card => card.dataset.id)")
    return found


def every_id(view: Calculator) -> list[str]:
    while view.find(".more").is_visible():
        view.find(".more").click()
    return ids(view)


def type_in(view: Calculator, text: str) -> list[str]:
    view.find("[name=q]").fill(text)
    return ids(view)


def test_search_as_you_type(served: str, visit: Visit) -> None:
    view = browse(visit, served)
    assert cards(view).count() == 50
    assert f"{len(all_claims()):,} claims and {len(all_theorems())} theorems" in view.find(".count").inner_text()
    assert "refuted" in {claim.expected.value for claim in all_claims() if claim.id == ids(view)[0]}
    found = type_in(view, "corollary 3.6")
    assert found[0] == "zhou2024.logistic-private"
    assert "zhou2024.Cor36.statement" in found
    assert view.address == {"view": "papers", "q": "corollary 3.6"}
    assert type_in(view, "zhou2024 4.1")[0].startswith("zhou2024.")
    named = ["Theorem 4.1" in text for text in view.find(".card h3").all_inner_texts()]
    assert sum(named) >= 2
    assert named == sorted(named, reverse=True)  # then those that mention it
    assert type_in(view, "ε") == type_in(view, "epsilon")
    assert type_in(view, "dachman poly")  # authors, and the beginning of a word
    for name in SEVERAL:
        assert type_in(view, name)[0] == name
    assert type_in(view, "no such words anywhere") == []
    assert "Nothing found" in view.find(".count").inner_text()


@pytest.mark.parametrize("verdict", [Verdict.REFUTED, Verdict.NOT_CHECKABLE])
def test_filters_count_what_the_ledger_has(verdict: Verdict, served: str, visit: Visit) -> None:
    view = browse(visit, served)
    view.find("[name=verdict]").select_option(verdict.value)
    assert set(every_id(view)) == {claim.id for claim in all_claims() if claim.expected is verdict}
    view.find("[name=paper]").select_option("zhou2024")
    theirs = {claim.id for claim in all_claims() if claim.expected is verdict and claim.paper == "zhou2024"}
    assert set(ids(view)) == theirs
    view.find("[name=kind]").select_option("theorem")
    assert ids(view) == []
    view.find("[name=verdict]").select_option("")
    assert set(every_id(view)) == {name for name, t in all_theorems().items() if t.citation.paper == "zhou2024"}


@pytest.mark.parametrize("severity", [Severity.RESULT_FALLS, Severity.SLIP])
def test_severity_is_a_filter(severity: Severity, served: str, visit: Visit) -> None:
    view = browse(visit, served)
    view.find("[name=severity]").select_option(severity.value)
    assert set(every_id(view)) == {claim.id for claim in all_claims() if claim.severity is severity}
    assert view.address == {"view": "papers", "severity": severity.value}
    told = view.find(".severity").all_inner_texts()
    assert all(text.startswith(severity.value) for text in told)


def test_a_claim_shows_its_words_and_the_version(served: str, visit: Visit) -> None:
    claim = next(c for c in all_claims() if isinstance(c.quote, str) and c.quote and "$" not in c.quote)
    view = browse(visit, served, f"&id={claim.id}")
    assert view.find(".full blockquote").inner_text() == claim.quote
    assert claim.version in view.find(".full").inner_text()


def test_more_results_by_keyboard(served: str, visit: Visit) -> None:
    view = browse(visit, served)
    view.find(".more").focus()
    view.page.keyboard.press("Enter")
    assert cards(view).count() == 100
    assert view.page.evaluate("document.activeElement.closest('.card').dataset.id") == ids(view)[50]


def test_a_theorem_opens_with_its_editions_and_formulas(served: str, visit: Visit) -> None:
    view = browse(visit, served, "&q=perturbed+histogram")
    cards(view).locator(f"a[href*='id={THEOREM}']").first.click()
    view.find(".full h3").wait_for()
    assert view.address == {"view": "papers", "q": "perturbed histogram", "id": THEOREM}
    assert view.page.evaluate("document.activeElement.tagName") == "H3"
    editions = all_theorems()[THEOREM].editions
    assert view.find(".edition h4").all_inner_texts() == [edition.name.capitalize() for edition in editions]
    lefts = view.find(".edition").evaluate_all("all => all.map(e => e.getBoundingClientRect().left)")
    assert len(set(lefts)) == 1  # one below the other, so that formulas have the whole width
    shown = (
        view.unfold()
        .find("math")
        .evaluate_all(
            "all => all.map(e => [e.namespaceURI, e.getBoundingClientRect().width > 1, e.textContent.includes('\\\\')])"
        )
    )
    assert len(shown) > sum(len(route.terms) for edition in editions for route in edition.routes)
    assert all(found == ["http://www.w3.org/1998/Math/MathML", True, False] for found in shown)
    assert not view.find(".formula").evaluate_all("all => all.some(e => e.scrollWidth > e.clientWidth)")
    view.page.set_viewport_size({"width": 390, "height": 800})
    view.find(".formula[tabindex='0']").first.wait_for()
    long = view.find(".formula").evaluate_all("all => all.map(e => [e.scrollWidth > e.clientWidth, e.tabIndex === 0])")
    assert all(is_long == has_focus for is_long, has_focus in long)
    assert any(is_long for is_long, _ in long)
    view.page.go_back()
    cards(view).first.wait_for()
    assert view.page.evaluate("document.activeElement.closest('.card').dataset.id") == THEOREM  # where the reader was


@pytest.mark.parametrize(("theorem", "name"), [(THEOREM, "sizes"), ("zhou2024.logistic-private", "risk")])
def test_asking_with_a_theorem(theorem: str, name: str, served: str, visit: Visit) -> None:
    view = browse(visit, served, f"&id={theorem}")
    view.find(".edition a.ask").nth(1).click()
    asked = Calculator(view.page, name)
    asked.find(".answer").wait_for()
    asked.settled()
    assert f"--theorem {theorem}" in asked.line
    assert "--edition corrected" in asked.line
    assert_same(asked)


@pytest.mark.parametrize("name", [THEOREM, "synthbounds.rows", "zhou2024.T32.statement"])
def test_a_statement_in_full_is_for_everybody(name: str, served: str, visit: Visit) -> None:
    view = browse(visit, served, f"&id={name}", reduced_motion="reduce")
    assert name in view.find(".full").inner_text()
    assert_everywhere(view.page)


def test_what_an_address_says_is_text(served: str, visit: Visit) -> None:
    view = browse(visit, served, "&q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&id=%3Cb%3E&paper=%22%5D&verdict=__proto__")
    assert view.find("[name=q]").input_value() == "<img src=x onerror=alert(1)>"
    assert view.find("[name=paper]").input_value() == ""
    assert view.find("img, b").count() == 0


def test_leaving_while_they_are_gathered_and_a_failure(served: str, visit: Visit) -> None:
    page = visit(served)
    Calculator(page).settled()
    asked: list[Route] = []

    def met(route: Route) -> None:
        if '"papers"' not in (route.request.post_data or ""):
            route.continue_()
            return
        asked.append(route)
        if len(asked) > 1:
            route.continue_()

    page.route("**/api/v1/ask", met)
    page.locator("[data-view=papers]").click()
    page.locator("section#papers[data-state=starting]").wait_for()
    page.locator("[data-view=sizes]").click()
    Calculator(page).settled()  # other questions are answered meanwhile
    page.locator("[data-view=papers]").click()
    asked[0].fulfill(json={"last": True, "exit_code": 70, "error": "a bug of ours: TypeError"})
    alert = page.locator("section#papers [role=alert]")
    alert.wait_for()
    assert alert.inner_text() == "The claims cannot be shown: a bug of ours: TypeError"
    page.locator("section#papers button").click()
    assert cards(opened(page)).count() == 50
