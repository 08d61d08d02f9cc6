"""The command line. `--version` is answered before anything heavy is imported."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

_INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit code. Never shows a traceback."""
    arguments = sys.argv[1:] if argv is None else argv
    if argv is None:
        leave_when_told()
    if arguments == ["--version"]:
        from synthbounds._version import __version__

        try:
            sys.stdout.write(f"synthbounds {__version__}\n")
            sys.stdout.flush()
        except (OSError, AttributeError):
            with contextlib.suppress(OSError, AttributeError):
                sys.stderr.write("synthbounds: error: standard output cannot be written\n")
            return 6
        return 0
    try:
        from synthbounds.cli.run import run

        if argv is not None:
            return run(arguments)
        from synthbounds.cli.supervised import supervised

        return supervised(lambda: run(arguments), arguments)
    except KeyboardInterrupt:  # while modules are being imported
        with contextlib.suppress(OSError, AttributeError):
            sys.stderr.write("synthbounds: error: interrupted\n")
        return _INTERRUPTED


def leave_when_told() -> None:
    """In our own process, until the command begins."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        with contextlib.suppress(ValueError):  # not in the main thread
            if signal.getsignal(number) is usual:
                signal.signal(number, leave)


def leave(*_: object) -> None:
    """End at once: nothing can be lost yet, and while modules in C load they turn an exception into other errors."""
    with contextlib.suppress(OSError):
        os.write(2, b"synthbounds: error: interrupted\n")
    os._exit(_INTERRUPTED)
