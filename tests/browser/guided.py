"""The guided way as a person uses it: by what is visible, never by the routes behind it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Download, Locator, Page


@dataclass(frozen=True)
class Guided:
    """The view of an open page. Waits are for what the page says about itself, never for the clock."""

    page: Page

    def begin(self) -> Guided:
        self.page.get_by_role("tab", name="Make a release").click()
        self.heading("Choose a table")
        return self.settled()

    def settled(self) -> Guided:
        self.page.locator("html[data-state=idle]").wait_for(state="attached")
        return self

    def heading(self, words: str) -> Guided:
        """The step of this heading is there, and its work is done."""
        self.find("h2").filter(has_text=words).wait_for()
        return self.settled()

    def find(self, selector: str) -> Locator:
        return self.page.locator(f"section#guided {selector}")

    def press(self, name: str) -> Guided:
        self.page.locator("section#guided").get_by_role("button", name=name).click()
        return self

    def step(self, name: str) -> Guided:
        """Go to a step by its place in the row of steps."""
        self.find(f"[data-step={name}]").click()
        return self

    def hand_in(self, table: Path) -> Guided:
        """The table, from the file that is chosen to its columns."""
        self.find("#guided-file").set_input_files(table)
        return self.heading("What may its columns contain?")

    def demo(self, name: str) -> Guided:
        self.find(".demos").get_by_role("button", name=name).click()
        return self.heading("What may its columns contain?")

    def demo_from_start(self, name: str) -> Guided:
        return self.step("table").heading("Choose a table").demo(name)

    def column(self, name: str) -> Locator:
        return self.find(f"tr[data-column='{name}']")

    def say_source(self, name: str, source: str) -> Guided:
        self.column(name).get_by_label("publicly known").fill(source)
        return self

    def leave_out(self, *names: str) -> Guided:
        for name in names:
            self.column(name).get_by_role("checkbox", name=f"Keep {name}").uncheck()
        return self

    def change(self, name: str) -> Guided:
        """Open the fields of a column."""
        self.column(name).locator("summary").click()
        return self

    def field(self, name: str, label: str) -> Locator:
        return self.column(name).get_by_label(label, exact=True)

    def check(self) -> Guided:
        self.press("Check and go on")
        return self.heading("How private")

    def simulate(self, *, on_table: bool, method: str = "auto") -> Guided:
        self.step("trial").heading("Try it out")
        self.find(f"input[value={'table-is-public' if on_table else 'generated'}]").check()
        self.find("#trial-method").select_option(method)
        self.press("Simulate")
        self.find(".head-rows").wait_for()
        return self.settled()

    def rows(self) -> list[list[str]]:
        """The head of the synthetic table as it is shown, its header first."""
        found: list[list[str]] = self.find(".head-rows tr").evaluate_all(
            "all => all.map(row => [...row.cells].map(cell => cell.textContent))"
        )
        return found

    def saved(self, name: str, *, within: str = ".files") -> Download:
        with self.page.expect_download() as download:
            self.find(within).get_by_role("button", name=f"Save {name}").first.click()
        return download.value

    def refusal(self) -> Locator:
        return self.find(".refused-box")

    def expect(self, selector: str, words: str) -> Guided:
        expect(self.find(selector).first).to_contain_text(words)
        return self
