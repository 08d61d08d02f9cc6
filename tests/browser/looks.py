"""How a page looks to everybody: to the rules of accessibility, on a narrow screen, in both themes, on paper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from playwright.sync_api import Page

THEMES = ("light", "dark")
PHONE, DESK = 390, 1280
NARROW = 345  # 360 with a scrollbar next to the page
HEIGHTS = {PHONE: 844, 768: 1024, DESK: 860}


def assert_accessible(page: Page) -> None:
    """No rule of axe-core is broken: names, roles, order of headings, contrast and the others."""
    found = Axe().run(page, options={"resultTypes": ["violations"]})  # of what passes, one place a rule is enough
    assert found.response["passes"], "axe looked at nothing"
    assert found.violations_count == 0, found.generate_report()


def assert_fits(page: Page) -> None:
    """Nothing sticks out to the side: the whole page is read by scrolling down."""
    wide, room, outside = page.evaluate(
        """() => {
            const root = document.documentElement, room = root.clientWidth;
            const sticks = e => e.getBoundingClientRect().right > room + 1;
            const out = [...document.querySelectorAll("body *")].filter(sticks);
            return [root.scrollWidth, room, out.slice(0, 5).map(e => e.outerHTML.slice(0, 120))];
        }"""
    )
    assert wide <= room, outside


def assert_everywhere(page: Page) -> None:
    """Both themes, on a desk and on a phone."""
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for width in (DESK, PHONE):
            page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
            assert_accessible(page)
            assert_fits(page)
    page.set_viewport_size({"width": NARROW, "height": HEIGHTS[PHONE]})
    assert_fits(page)


def sheets(page: Page) -> int:
    """Of how many sheets of paper a print consists."""
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    return len(re.findall(rb"/Type\s*/Page\b", printed))
