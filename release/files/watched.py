"""What another process must know if this one is killed silently: what is spent, and which files are unfinished.

It is kept in a page of memory that both share; the worker writes, and the watcher reads when it is too late to ask. If
nobody watches, nothing is written.
"""

from __future__ import annotations

import json
import mmap

SIZE = 2**16
_LENGTH = 8


class Page:
    """The shared page: the length of a text, and the text."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, SIZE)

    def write(self, text: str) -> None:
        """If it is too long, the old text stays; the length is written last."""
        data = text.encode()
        if len(data) <= SIZE - _LENGTH:
            self._memory[:_LENGTH] = bytes(_LENGTH)
            self._memory[_LENGTH : _LENGTH + len(data)] = data
            self._memory[:_LENGTH] = len(data).to_bytes(_LENGTH, "big")

    def read(self) -> tuple[str, list[str]]:
        """What is spent, in words, and the unfinished files."""
        length = int.from_bytes(self._memory[:_LENGTH], "big")
        if not length:
            return "", []
        said, unfinished = json.loads(self._memory[_LENGTH : _LENGTH + length])
        return said, unfinished


class _Watched:
    page: Page | None = None
    said: str = ""
    unfinished: tuple[str, ...] = ()


_now = _Watched()


def watch_by(page: Page | None) -> None:
    """From now on everything is written there."""
    _now.page, _now.said, _now.unfinished = page, "", ()


def tell_spent(said: str) -> None:
    """What a failure from now on would say."""
    _now.said = said
    _write()


def tell_begun(hidden: str) -> None:
    """A file is being made under this name."""
    _now.unfinished += (hidden,)
    _write()


def tell_gone(hidden: str) -> None:
    """It is in its place, or has been removed."""
    _now.unfinished = tuple(name for name in _now.unfinished if name != hidden)
    _write()


def _write() -> None:
    if _now.page is not None:
        _now.page.write(json.dumps([_now.said, _now.unfinished]))
