"""Numbers of the page on the local page, from the modules that set the limits."""

from __future__ import annotations

from collections.abc import Iterator

from synthbounds.web import MOST_QUESTION
from synthbounds.web.engine_child import MOST_BYTES
from synthbounds.web.engine_process import MOST_CURVE_SECONDS, MOST_SECONDS, MOST_WAITING
from synthbounds.web.server import TOKEN_BYTES
from tests.pages.quoted import Page


def _local_page() -> Iterator[str]:
    yield f"a token of {8 * TOKEN_BYTES} random bits"
    yield f"JSON of at most {MOST_QUESTION // 1024} kB"
    yield f"Up to {MOST_WAITING} more wait in order"
    yield f"longer than {MOST_SECONDS:g} seconds"
    yield f"for {MOST_CURVE_SECONDS:g} seconds in all"
    yield f"use {MOST_BYTES // 2**30} GB of memory"


LOCAL_PAGE = Page(_local_page)
