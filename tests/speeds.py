"""Two speeds: `make test` tries a property on some of its examples, `make test-slow` on all of them.

A test that always takes long is marked `slow`. A test with a variable number of examples runs in both: with `TESTS=all`
in the environment it is marked `slow` and runs all of them. Of a test
with many similar cases, marked `share(N)`, every Nth case runs in `make test` and the others in `make test-slow`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import settings

ALL = os.environ.get("TESTS") == "all"

Test = Callable[..., Any]


def some(number: int, *, of: int = 5) -> int:
    """All the examples, or one of every five."""
    return number if ALL else max(1, number // of)


def in_both(test: Test) -> Test:
    """The test runs in `make test` and again, with all examples, in `make test-slow`."""
    decorated: Test = pytest.mark.slow(test) if ALL else test
    return decorated


def shared_out(items: Iterable[pytest.Item]) -> None:
    """Marks as slow, of every test with a `share`, the cases that `make test` leaves to `make test-slow`."""
    seen: Counter[str] = Counter()
    for item in items:
        share, test = item.get_closest_marker("share"), item.nodeid.partition("[")[0]
        if share is None or item.get_closest_marker("slow"):
            continue
        if seen[test] % share.args[0]:
            item.add_marker(pytest.mark.slow)
        seen[test] += 1


def examples(number: int, *, of: int = 5) -> Callable[[Test], Test]:
    """Examples of a property: `number` in `make test-slow`, one of every `of` in `make test`."""

    def decorate(test: Test) -> Test:
        return in_both(settings(max_examples=some(number, of=of))(test))

    return decorate
