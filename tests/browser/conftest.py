"""What all tests in the browser share. One browser for the folder, one context a visit; every visit is watched.

The browser ends with the folder, not with the session: while Playwright runs, no other test could start an event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import chromium, places

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Visit = Callable[..., "Page"]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium.started() as browser:
        yield browser


@pytest.fixture(scope="package")
def served() -> Iterator[str]:
    """The address of the local page, token included."""
    chromium.found()
    with places.serving() as server:
        yield server.address


@pytest.fixture(scope="package")
def static_site() -> Iterator[str]:
    """The address of the static page."""
    chromium.found()
    with places.hosting(places.built().folder) as address:
        yield address


@pytest.fixture(scope="package")
def single_file() -> str:
    """The address of the page that is one file on a disk."""
    chromium.found()
    return places.built().single.as_uri()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Open an address in a context of its own; afterwards, nothing was asked elsewhere and nothing complained."""
    watches: list[tuple[str, chromium.Watch]] = []
    with ExitStack() as stack:

        def opened(address: str, **options: Any) -> Page:
            watch = chromium.Watch()
            watches.append((address, watch))
            page = stack.enter_context(watch.context(browser, **options)).new_page()
            page.goto(address)
            return page

        yield opened
    for address, watch in watches:
        assert watch.requests, address
        assert watch.elsewhere(address) == []
        assert watch.complaints == []
