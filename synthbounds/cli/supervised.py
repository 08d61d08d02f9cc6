"""A command in a process of its own, so that it ends when it is told to, and another process can say how.

Python handles a signal between two of its instructions, and never while a solver or linear algebra runs. So the
process that was started only waits: it passes a signal on, ends the other process if that takes too long, removes
unfinished files, and says what is spent. It also does so if a library or the system ends it for lack of memory.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from bounds.errors import FOR_WANT_OF_MEMORY, INTERRUPTED, OUR_BUG, OutOfMemory
from release.files.watched import Page, watch_by
from release.signals import SIGNALS
from synthbounds.cli import leave

GRACE = 1.2
"""Seconds in which the command may clean up after itself."""
COMMANDS = ("synth", "release", "regress", "confirm", "recover", "train", "improve", "infer", "certify", "evaluate")
"""Those that run solvers or linear algebra."""
_DIES_WITH_PARENT = 1
_LIBRARY_GAVE_UP = 1
"""The exit code with which OpenBLAS ends a process; none of these commands uses it."""
_MOST_NUMBERS = 4096


def supervised(action: Callable[[], int], arguments: list[str]) -> int:
    """Run the action, in a child if that is possible and worthwhile; the exit code."""
    if not arguments or arguments[0] not in COMMANDS or not hasattr(os, "fork") or "SYNTHBOUNDS_DEBUG" in os.environ:
        return action()
    page, parent = Page(), os.getpid()
    signals = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # none is lost before both sides can handle it
    child = os.fork()
    if child:
        os._exit(_watch(child, page, signals, before))
    for number in signals:  # the watcher is told, and tells us
        signal.signal(number, signal.SIG_IGN if number != signal.SIGTERM else leave)
    _die_with(parent)
    watch_by(page)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    code = action()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)  # everything is written: threads of a library may crash a process on its way out


def _watch(child: int, page: Page, signals: list[signal.Signals], mask: Any) -> int:
    """Wait for the child; what it can no longer do or say is done here."""
    status, interrupted = _wait(child, signals, mask)
    code, why = _meaning(os.waitstatus_to_exitcode(status), interrupted=interrupted)
    said, unfinished = page.read()
    for name in unfinished:  # an exception may come between creating a file and noting it
        with contextlib.suppress(OSError):
            os.unlink(name)
    if why:
        _complain(f"{why} ({said})" if said else why)
    return code


def _wait(child: int, signals: list[signal.Signals], mask: Any) -> tuple[int, bool]:
    """How the child ended, and whether it was told to: a signal is passed on once, and after the grace it is killed."""
    inbox, outbox = os.pipe()
    for end in (inbox, outbox):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(outbox)  # keeps the number of a signal that comes between a look and a wait
    for number in (signal.SIGCHLD, *signals):
        signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    interrupted, until = False, None
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status, interrupted
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            _send(child, signal.SIGKILL)
            until = left = None
        select.select([inbox], [], [], left)
        with contextlib.suppress(BlockingIOError):
            if not interrupted and set(os.read(inbox, _MOST_NUMBERS)) & {int(number) for number in signals}:
                interrupted, until = True, time.monotonic() + GRACE
                _send(child, signal.SIGTERM)


def _meaning(ended: int, *, interrupted: bool) -> tuple[int, str]:
    """The exit code, and what to say if the child cannot have said it."""
    if ended >= 0 and ended != _LIBRARY_GAVE_UP:
        return ended, ""
    if interrupted:  # after a KeyboardInterrupt that was handled, Python may still end itself by SIGINT
        return INTERRUPTED, "" if -ended == signal.SIGINT else "interrupted"
    if ended == _LIBRARY_GAVE_UP:
        return OutOfMemory.exit_code, "a library ended the process: memory ran out"
    if ended in FOR_WANT_OF_MEMORY:
        return OutOfMemory.exit_code, f"{FOR_WANT_OF_MEMORY[ended]} ended the process, perhaps for want of memory"
    return OUR_BUG, f"a bug of ours: the process ended by signal {-ended}"


def _complain(message: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"synthbounds: error: {message}\n")
        sys.stderr.flush()


def _send(child: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, number)


def _die_with(parent: int) -> None:
    """End this process if the watcher is killed, since nobody else could."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(INTERRUPTED)
