"""Pictures of every view for people to look at: `python -m tests.browser.shots FOLDER [REPORT.html ...]`.

Three widths, both themes, the whole height of the page; reports that are named are taken as well.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser import chromium, places
from tests.browser.looks import HEIGHTS, THEMES

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("reports", type=Path, nargs="*")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with chromium.started() as browser, places.serving() as server:
        page = chromium.Watch().context(browser, reduced_motion="reduce").new_page()
        page.goto(server.address)
        for name, fragment in VIEWS.items():
            page.goto(server.address.split("#")[0] + "#" + fragment)
            page.locator("html[data-state=idle]").wait_for(state="attached")
            take(page, asked.folder, name)
        for report in asked.reports:
            page.goto(report.resolve().as_uri())
            take(page, asked.folder, report.stem)


if __name__ == "__main__":
    main()
