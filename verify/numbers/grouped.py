"""Numbers of a page in groups, computed once; a mark names a function and a place in it, or two for rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any


def grouped(numbers: Callable[[], Iterator[Any]]) -> Callable[..., list[Any]]:
    """The groups by their places, from the first up to, but not including, the last."""
    every = cache(lambda: list(numbers()))

    def group(first: int, last: int | None = None) -> list[Any]:
        return every()[first : first + 1 if last is None else last]

    group.__doc__ = numbers.__doc__
    return group
