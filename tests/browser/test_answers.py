"""The page says what the command line says, and everything shown next to an answer belongs to it."""

from __future__ import annotations

import json
import random

import pytest

from tests.browser.calculator import Calculator, assert_same, read_number, told
from tests.browser.conftest import Visit

pytestmark = pytest.mark.slow

SOLVES = {
    "sizes": {
        "failure": "--solve-for failure",
        "epsilon": "--solve-for epsilon",
        "accuracy": "--solve-for accuracy",
        "n": "--accuracy 0.1",
    },
    "risk": {"epsilon": "--solve-for epsilon", "excess": "--epsilon 1", "n": "--target 0.1"},
    "plan": {"epsilon": "--target 0.02", "excess": "--epsilon 1", "n": "--target 0.02"},
}
"""What can be solved for, and what the line has then that it did not have before."""


def random_question(rng: random.Random) -> dict[str, str]:
    """Any question on sizes, sensible or not: the engine refuses what does not hold together, in its own words."""
    found = {
        "solve": rng.choice(list(SOLVES["sizes"])),
        "p": str(rng.randint(2, 16)),
        "degree": str(rng.randint(1, 3)),
        "epsilon": f"{rng.randint(1, 300)}/100",
        "accuracy": f"0.{rng.randint(1, 400):03}",
        "failure": rng.choice(["0.05", "0.001", "1e-6", "1/3"]),
        "n": str(rng.randint(10**4, 10**6)),
        "family": rng.choice(["monomials", "parities", "cells"]),
        "edition": rng.choice(["sharp", "sharp", "corrected"]),
        "dp-delta": rng.choice(["", "1e-6"]),
        "adjacency": rng.choice(["replace-one", "add-remove"]),
    }
    return {name: value for name, value in found.items() if value}


def test_twenty_random_questions_have_the_answers_of_the_command_line(served: str, visit: Visit) -> None:
    rng = random.Random(20)
    view = Calculator(visit(served)).settled()
    answered = 0
    for _ in range(20):
        question = random_question(rng)
        view.open(**question).replied().answered(f"--p {question['p']}")
        answered += assert_same(view, context=str(question)).exit_code == 0
    assert answered >= 15


@pytest.mark.parametrize("name", SOLVES)
def test_everything_can_be_solved_for(name: str, served: str, visit: Visit) -> None:
    view = Calculator(visit(served), name).ask()
    for solve, option in SOLVES[name].items():
        view.give("solve", solve).answered(option)
        if solve != "excess":
            assert not view.field(solve).is_visible()  # what is asked for is not given
        assert_same(view)
        assert view.find(".answer .sentence").inner_text().strip()


def test_editions_limit_and_meaning_belong_to_the_answer(served: str, visit: Visit) -> None:
    view = Calculator(visit(served)).ask(epsilon="0.5")
    answer = told(view.line).body
    rows = view.find(".editions table").first.inner_text()
    for edition in ("sharp", "corrected", "printed"):
        assert edition in rows
        assert f"{told(f'{view.line} --edition {edition}').body['n']:,}" in rows
    assert f"{answer['lower_bound']['n']:,}" in view.find(".limit").inner_text()
    meaning = view.find(".meaning").inner_text()
    assert "0.5" in meaning
    assert "1.649" in meaning  # e^0.5 = 1.6487..., and what is shortened is rounded up
    assert view.find(".meaning svg[role=img]").get_attribute("aria-label")


def test_the_end_of_a_search_is_no_least_value(served: str, visit: Visit) -> None:
    view = Calculator(visit(served)).ask(solve="failure", n="10000000", over="n")
    assert view.huge == "10⁻¹⁰⁰"
    assert view.find(".gives").inner_text().startswith("or less: ")
    assert view.find(".curve .readout").inner_text().endswith("10⁻¹⁰⁰ or less")
    assert "10⁻²⁰" in view.find(".curve .tick").all_text_contents()


def test_an_error_stands_at_its_field_in_the_words_of_the_engine(served: str, visit: Visit) -> None:
    view = Calculator(visit(served)).ask()
    for name, value in [("epsilon", "0"), ("p", "2.5"), ("accuracy", "a lot"), ("failure", "1e-3000"), ("t", "1")]:
        view.ask(**{name: value})
        assert view.error.startswith(name)
        assert_same(view)
        field = view.field(name)
        assert field.get_attribute("aria-invalid") == "true"
        spoken = [view.page.locator(f"#{it}").inner_text() for it in field.get_attribute("aria-describedby").split()]
        label = view.find(f"label[for=sizes-{name}]").inner_text()
        shown = view.find(".answer [role=alert]").inner_text()
        assert shown == label + view.error.removeprefix(name)
        assert shown in spoken
        assert field.is_visible()
    view.change("t", "2")
    assert view.error == ""
    assert view.find("[aria-invalid]").count() == 0


def test_text_is_text(served: str, visit: Visit) -> None:
    """What somebody puts into an address is shown, never run."""
    for text in ("<img src=x onerror=alert(1)>", "'\"><script>alert(1)</script>", "javascript:alert(1)"):
        view = Calculator(visit(served)).ask(epsilon=text, theorem=text, q=text, id=text, over=text, solve=text)
        assert view.field("epsilon").input_value() == text
        assert view.page.locator("main img, main script").count() == 0


def test_everything_can_be_copied(served: str, visit: Visit) -> None:
    page = visit(served, permissions=["clipboard-read", "clipboard-write"])
    view = Calculator(page).ask(p="7")

    def copied(button: str) -> str:
        page.evaluate("navigator.clipboard.writeText('')")
        view.find(button).click()
        view.find(button).filter(has_text="Copied").wait_for()
        return str(page.evaluate("navigator.clipboard.readText()"))

    assert copied(".copy-line") == view.line
    python = copied(".copy-python")
    assert python == (view.find(".python").text_content() or "").strip()
    names: dict[str, object] = {}
    exec(python.replace("\n", "\nanswer = "), names)  # noqa: S102
    assert getattr(names["answer"], "n", None) == told(view.line).body["n"]
    assert copied(".share") == view.line  # the address of a local page leads nowhere elsewhere


def test_a_newer_question_cancels_an_older_curve(served: str, visit: Visit) -> None:
    """Whatever was asked before, what stays is the last question with its answer and its curve."""
    page = visit(served)
    view = Calculator(page).ask()
    slider = view.slider("epsilon")
    slider.focus()
    for _ in range(12):
        slider.press("ArrowRight")
    view.settled()
    assert_same(view)
    value = view.field("epsilon").input_value()
    assert f"--epsilon {value}" in view.line
    view.ask(over="p", epsilon=value, accuracy="0.2")
    for accuracy in ("0.3", "0.05", "0.25"):
        view.field("accuracy").fill(accuracy)
    view.field("accuracy").blur()
    view.settled().unfold()
    here = next(row for row in view.find(".curve table tbody tr").all() if row.locator("td").first.inner_text() == "10")
    assert int(here.locator("td").nth(1).inner_text()) == read_number(view.huge)[0]


def test_the_page_says_what_it_is_doing(served: str, visit: Visit) -> None:
    page = visit(served)
    Calculator(page).settled()
    assert page.locator("#engine[role=status]").inner_text().strip()
    assert json.loads(page.evaluate("JSON.stringify(Object.keys(sessionStorage))"))  # the token, for a reload
    page.reload()
    assert_same(Calculator(page).settled())
