"""A job's process: one command, with its answer and its words in files, and its progress on standard output.

`python -P -m synthbounds.web.work.child SERVER KIND ARGUMENT...` runs `synthbounds ARGUMENT...`, or a step of ours
before it, in the folder in which it is started. What it says outlives the server, so nothing is spent without being
reported; it ends when the server does.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

from bounds.errors import INTERRUPTED
from release.data.rows_read import rows_are_told_to
from synthbounds.cli import progress

ANSWER, SAID = "answer.json", "said.txt"
COMMAND, STEP = "command", "step"
MOST_BYTES = 8 * 2**30
"""Of address space."""
_QUIET_SECONDS = 0.2
"""Between two words on progress: nobody reads faster."""
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def main(words: list[str]) -> int:
    """The exit code of the command or the step."""
    server, kind, *arguments = words
    _end_with(int(server))
    _limit_memory()
    channel = _Channel(os.dup(sys.stdout.fileno()))
    for number, name in ((sys.stdout.fileno(), ANSWER), (sys.stderr.fileno(), SAID)):
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    progress.told_to(channel.tell)
    rows_are_told_to(lambda rows: channel.tell(f"{rows:,} rows read"))
    if kind == STEP:
        from synthbounds.web.work.steps import run_step

        return run_step(arguments)
    from synthbounds.cli.run import run
    from synthbounds.cli.supervised import supervised

    return supervised(lambda: run(arguments), arguments)


class _Channel:
    """Words on progress, one per line, for a server that may have gone."""

    def __init__(self, handle: int) -> None:
        self._handle, self._next = handle, 0.0

    def tell(self, text: str) -> None:
        now = time.monotonic()
        if text and now >= self._next:
            self._next = now + _QUIET_SECONDS
            line = "".join(c if c.isprintable() else " " for c in text[:200])
            with contextlib.suppress(OSError):
                os.write(self._handle, f"{line}\n".encode("utf-8", "replace"))


def _end_with(server: int) -> None:
    """Told to end if the server is killed; the signals of a terminal are for the server."""
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGTERM)
    if os.getppid() != server:
        os._exit(INTERRUPTED)


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every platform
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MOST_BYTES if hard == resource.RLIM_INFINITY else min(MOST_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


if __name__ == "__main__":
    _code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(_code)  # what was asked is done; threads of libraries in C++ may abort if they are taken down in order
