"""The engine as a process of its own: a question is a line of its input, an answer is lines of output and an empty one.

Questions are answered one at a time, because precision is shared by all threads of a process. An empty line of input
stops an answer between two of its messages. The process ends with its input, even in the middle of an answer, so that
nothing is left behind however the server ended; and it has no more memory than it was given.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Event, Thread
from typing import BinaryIO

from bounds.errors import OutOfMemory

MOST_BYTES = 4 * 2**30
"""Of address space, of which a plan for a certificate takes about a tenth."""
THREADS = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
"""Of numerical libraries, if nothing else is said: each thread reserves memory, and large machines have many."""
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def answer_lines(respond: Callable[[str], Iterator[str]], *, most_bytes: int = MOST_BYTES) -> None:
    """Answer the lines of standard input until it ends; does not return if memory ran out."""
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    _limit_memory(most_bytes)
    _die_with_parent()
    output = _claim_output()
    questions: SimpleQueue[str] = SimpleQueue()
    stopped = Event()
    Thread(target=_listen, args=(sys.stdin.buffer, questions, stopped), daemon=True).start()
    _say(output, "")  # ready
    while True:
        question = questions.get()
        for message in respond(question):
            _say(output, message)
            if f'"exit_code": {OutOfMemory.exit_code},' in message:
                os._exit(OutOfMemory.exit_code)  # a process whose memory ran out must not go on
            if stopped.is_set():
                break
        _say(output, "")


def _listen(source: BinaryIO, questions: SimpleQueue[str], stopped: Event) -> None:
    for line in source:
        if line.strip():
            stopped.clear()  # one that came before this question was meant for another
            questions.put(line.decode("utf-8", "replace"))
        else:
            stopped.set()
    os._exit(0)


def _say(output: BinaryIO, message: str) -> None:
    """A lone surrogate becomes the escape that JSON has for it."""
    try:
        output.write(message.encode("utf-8", "backslashreplace") + b"\n")
        output.flush()
    except OSError:
        os._exit(0)  # nobody listens any more


def _claim_output() -> BinaryIO:
    """Standard output only for answers; whatever else is printed goes nowhere."""
    claimed = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nobody = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nobody, sys.stdout.fileno())
    os.close(nobody)
    return claimed


def _limit_memory(most_bytes: int) -> None:
    os.environ.update({name: count for name, count in THREADS.items() if name not in os.environ})
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every platform
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _die_with_parent() -> None:
    """On Linux, even if a long computation in C keeps the thread that listens from seeing the end of the input."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)


if __name__ == "__main__":
    from synthbounds.web.engine import respond as _respond

    answer_lines(_respond)
