"""Signals that must not come between a draw and its recovery file: they are noted, and raised right afterwards.

A handler that raises while noise is drawn loses what is being paid for, and an exception that passes through a library
may come out as another, or not at all. Python runs handlers only in the main thread: in others nothing need be done.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Those that tell a process to end, as far as the system has them."""
interrupted: list[int] = []
"""The signals by which this command was interrupted."""


def interrupt(number: int, _: object) -> None:
    """The handler of a command; a library may swallow the exception, so it is noted as well."""
    interrupted.append(number)
    raise KeyboardInterrupt


@contextlib.contextmanager
def undisturbed(needed: bool = True) -> Iterator[None]:
    """Inside, these signals are noted; on leaving, their handlers are called."""
    if not needed or threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []
    before: dict[int, Any] = {}
    waits = ["until what is inside has ended"]

    def note(number: int, _: object) -> None:
        if waits:
            noted.append(number)
        else:  # it came while handlers were being put back
            _hear(number, before[number])
            signal.raise_signal(number)

    with contextlib.ExitStack() as last_first:  # all of it is done, also where a part raises
        last_first.callback(_raise, noted)
        for number in SIGNALS:
            before[number] = signal.getsignal(number)
            if before[number] not in (None, signal.SIG_IGN):
                last_first.callback(_hear, number, before[number])
                _hear(number, note)
        last_first.callback(waits.clear)
        yield


def _hear(number: int, handler: Any) -> None:
    with contextlib.suppress(ValueError):  # not in the main interpreter
        signal.signal(number, handler)


def _raise(noted: list[int]) -> None:
    with contextlib.ExitStack() as each:
        for number in reversed(dict.fromkeys(noted)):
            each.callback(signal.raise_signal, number)
