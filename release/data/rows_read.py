"""How many rows of a table have been read so far, reported to the steward only."""

from __future__ import annotations

from collections.abc import Callable

_listeners: list[Callable[[int], None]] = []


def rows_are_told_to(listener: Callable[[int], None]) -> None:
    """From now on, for every table that this process reads."""
    _listeners[:] = [listener]


def tell_rows(rows: int) -> None:
    """Report how many by now."""
    for listener in _listeners:
        listener(rows)
