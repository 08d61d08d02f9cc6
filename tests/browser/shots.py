"""Pictures of every view for people to look at: `python -m tests.browser.shots FOLDER [REPORT.html ...]`.

Three widths, both themes, the whole height of the page, every step of the guided way; reports that are named are taken
as well. `--only guided` takes views whose name begins so.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser import chromium, places
from tests.browser.guided import Guided
from tests.browser.looks import HEIGHTS, THEMES
from tests.paths import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

VIEWS = {
    "sizes": "view=sizes",
    "sizes-accuracy": "view=sizes&solve=accuracy",
    "sizes-error": "view=sizes&epsilon=0",
    "risk": "view=risk",
    "plan": "view=plan",
    "papers": "view=papers",
}


def take(page: Page, folder: Path, name: str) -> None:
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for width, height in HEIGHTS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=folder / f"{name}-{width}-{theme}.png", full_page=True)


def take_guided(page: Page, folder: Path) -> None:
    """From the table to the release, and what is refused on the way."""
    way = Guided(page).begin()
    take(page, folder, "guided-1-table")
    way.hand_in(ROOT / "docs" / "examples" / "clinic.csv").change("age").change("ward")
    take(page, folder, "guided-2-columns")
    way.check().step("release")
    take(page, folder, "guided-5-locked")
    way.demo_from_start("Survey").check()
    way.find("#privacy-label").select_option("insured")
    way.press("Show what to expect").settled()
    take(page, folder, "guided-3-plan")
    way.simulate(on_table=True)
    take(page, folder, "guided-4-trial")
    way.step("release").find("#release-account").select_option("new account")
    way.find("#release-people").fill("Survey 2024")
    take(page, folder, "guided-5-account")
    way.press("Open the account").settled().press("Show what will be spent").settled()
    take(page, folder, "guided-5-release")
    way.find("input[name=sure]").check()
    way.press("Make the release").heading("After the release")
    way.press("Show what was spent").settled()
    way.find("summary").filter(has_text="How good is a model?").click()
    take(page, folder, "guided-6-after")
    way.step("release").press("Show what will be spent").settled()
    take(page, folder, "guided-7-again")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("reports", type=Path, nargs="*")
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as kept, chromium.started() as browser:
        with places.serving("--demo", "--folder", f"{kept}/releases") as server:
            page = chromium.Watch().context(browser, reduced_motion="reduce").new_page()
            page.goto(server.address)
            for name, fragment in VIEWS.items():
                if name.startswith(asked.only):
                    page.goto(server.address.split("#")[0] + "#" + fragment)
                    page.locator("html[data-state=idle]").wait_for(state="attached")
                    take(page, asked.folder, name)
            if "guided".startswith(asked.only):
                take_guided(page, asked.folder)
        for report in asked.reports:
            page.goto(report.resolve().as_uri())
            take(page, asked.folder, report.stem)


if __name__ == "__main__":
    main()
