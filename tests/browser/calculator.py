"""The calculator as a person uses it, compared with the command line, which must say the same."""

from __future__ import annotations

import io
import json
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from synthbounds.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
WRITTEN = re.compile(r"(?:about )?(?P<figures>\d+(?:\.\d+)?)?(?: × )?(?:10(?P<power>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")


def unfold(details: Locator) -> None:
    """Open by a click what can be seen and is closed."""
    for found in details.all():
        if found.is_visible() and found.get_attribute("open") is None:
            found.locator("> summary").click()


@dataclass(frozen=True)
class Calculator:
    """One view of an open page. Waits are for what the page says about itself, never for the clock."""

    page: Page
    view: str = "sizes"

    def open(self, **given: str) -> Calculator:
        """Go to the address of a question."""
        self.page.goto(self.page.url.split("#")[0] + "#" + urlencode({"view": self.view, **given}))
        return self

    def ask(self, **given: str) -> Calculator:
        """Go to the address of a question, and wait for all of its answer."""
        return self.open(**given).settled()

    def answered(self, option: str) -> Calculator:
        """Wait for the answer to a question whose line has this; its curve may still be under way."""
        self.find(".line").filter(has_text=re.compile(rf" {re.escape(option)}(?!\S)")).wait_for()
        return self

    def replied(self) -> Calculator:
        """Wait for the answer to what was just opened on a page that was up; its curve may still be under way."""
        self.find(".found-side:not(.asking)").wait_for()
        return self

    def settled(self) -> Calculator:
        self.page.locator("html[data-state=idle]").wait_for(state="attached")
        return self

    def find(self, selector: str) -> Locator:
        return self.page.locator(f"section#{self.view} {selector}")

    def field(self, name: str) -> Locator:
        return self.find(f"form.inputs [name='{name}']")

    def slider(self, name: str) -> Locator:
        return self.find(f"form.inputs input[type=range][data-for='{name}']")

    def unfold(self) -> Calculator:
        unfold(self.find("details"))
        return self

    def give(self, name: str, value: str) -> Calculator:
        """As a person does: type and leave the field, choose from the list, tick the box."""
        field = self.field(name)
        kind = field.evaluate("e => e.type")
        if kind == "select-one":
            field.select_option(value)
        elif kind == "checkbox":
            field.set_checked(value == "true")
        else:
            field.fill(value)
            field.blur()
        return self

    def change(self, name: str, value: str) -> Calculator:
        return self.give(name, value).settled()

    @property
    def address(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.page.url).fragment))

    @property
    def line(self) -> str:
        return (self.find(".line").text_content() or "").strip()

    @property
    def huge(self) -> str:
        return self.find(".answer .huge").inner_text().strip()

    @property
    def error(self) -> str:
        """The words of the engine; the page shows them with its own labels."""
        return (self.find(".answer .error").get_attribute("data-said") or "").strip()

    def controls(self) -> dict[str, str]:
        """What every control shows, by name."""
        shown = "all => all.map(e => [e.name || e.dataset.for, e.type === 'checkbox' ? String(e.checked) : e.value])"
        found: list[tuple[str, str]] = self.find("form.inputs :is([name], [data-for])").evaluate_all(shown)
        return dict(found)


@dataclass(frozen=True)
class Told:
    """What a command line answers."""

    exit_code: int
    body: dict[str, Any]
    error: str

    @property
    def value(self) -> Fraction:
        """The number that was asked for, on the side on which it is true."""
        found = self.body
        if found.get("solved"):
            return Fraction(found["solved"]["value"])
        if found.get("solved_for"):
            return Fraction(found[found["solved_for"]])
        if found.get("excess_est"):
            return Fraction(Decimal(repr(found["excess_est"])))
        if found.get("required_n"):
            return Fraction(found["required_n"])
        return Fraction(found["bound"]["hi"] if found["command"] == "risk" else found["n"])


def told(line: str) -> Told:
    """The line that the page shows, on the command line."""
    program, *arguments = shlex.split(line)
    assert program == "synthbounds"
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*arguments, "--format", "json"])
    return Told(code, json.loads(out.getvalue() or "{}"), err.getvalue().strip())


def read_number(text: str) -> tuple[Fraction, Fraction]:
    """A number as the page writes it (9,033 or 2.5 × 10⁻⁶ or 10⁻⁶), and a unit in its last place."""
    found = WRITTEN.fullmatch(text.replace(",", ""))
    assert found, text
    figures, scale = found["figures"] or "1", Fraction(10) ** int((found["power"] or "⁰").translate(RAISED))
    return Fraction(figures) * scale, scale / 10 ** len(figures.partition(".")[2])


def assert_same(view: Calculator, *, context: str = "") -> Told:
    """The page and the command line that it shows give one answer: the same number, or the same words."""
    answer = told(view.line)
    if answer.exit_code:
        assert view.error, (context, view.line)
        assert view.error in answer.error, (context, view.line)
        return answer
    assert view.error == "", (context, view.line, view.error)
    shown, unit = read_number(view.huge)
    least = -unit if "excess_est" in answer.body else 0  # an estimate is rounded to the nearest, a bound upwards
    assert least <= shown - answer.value < unit, (context, view.line, view.huge, answer.value)
    return answer
