"""Chromium, and visits that are watched: what was asked of the network, and what the browser complained of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first is the same engine without windows: a page that says nothing costs it a fifth of the CPU seconds."""
WITHIN = ("blob", "data", "about")
"""Addresses that are inside the browser."""
PATIENCE = 240_000
"""Milliseconds until a wait is given up: only a page that never gets there takes so long."""


def found() -> str:
    """The program, or the test is not run."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("not run: Chromium is not installed (Debian package chromium-headless-shell or chromium)")
    return path


@contextmanager
def started() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="not run: playwright is not installed")
    path = found()
    api.expect.set_options(timeout=PATIENCE)
    with api.sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=path, chromium_sandbox=os.getuid() != 0, args=["--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watch:
    """What happened in one context: every request by its address, every complaint by its text."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def context(self, browser: Browser, **options: Any) -> BrowserContext:
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        return context

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def elsewhere(self, home: str) -> list[str]:
        """Requests that left: for another host or port, or for another file."""
        return [url for url in self.requests if urlsplit(url).scheme not in WITHIN and origin(url) != origin(home)]


def origin(address: str) -> tuple[str, ...]:
    parts = urlsplit(address)
    return (parts.scheme, parts.path) if parts.scheme == "file" else (parts.scheme, parts.netloc)
