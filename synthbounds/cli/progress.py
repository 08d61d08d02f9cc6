"""Progress of long computations: one line, overwritten and cleared at the end, only for a person at a terminal.

A caller that runs a command on behalf of someone else may receive the same lines through a function of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

_listeners: list[Callable[[str], None]] = []


def told_to(listener: Callable[[str], None]) -> None:
    """From now on, report progress to this function, terminal or not."""
    _listeners[:] = [listener]


class Progress:
    """Use as `with Progress() as progress:` and pass `progress.callback` on; it is None if nobody is looking."""

    def __init__(self) -> None:
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and not _listeners:
            self._say("")

    @property
    def callback(self) -> Callable[[str], None] | None:
        if _listeners:
            return _listeners[-1]
        return self._say if self._shown else None

    def _say(self, text: str) -> None:
        sys.stderr.write(f"\r\033[K{text[:100]}")
        sys.stderr.flush()
