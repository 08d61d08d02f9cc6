"""One releasing command in its own process, which leaves a mark when noise is drawn, and in which calls may fail.

`python -m benchmarks.harden_child MARK FAULT COMMAND ...`; FAULT is `none`, or `CALL:ERRNO:FIRST`: that system call
fails with ERRNO from its FIRST use on, in the folder where the command runs.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Any


def leave_marks(mark: str) -> None:
    """Mark the moment when spending begins; call this before the modules that draw are imported."""
    from release import spending

    real, opened, closed = spending.spending_begins, os.open, os.close

    def begins() -> None:
        closed(opened(mark, os.O_CREAT | os.O_WRONLY))
        real()

    spending.spending_begins = begins


def let_fail(fault: str) -> None:
    """Let a call fail only for files of the release: Python reads its own modules elsewhere."""
    if fault == "none":
        return
    name, code, first = fault.split(":")
    real, number, folder, calls = getattr(os, name), getattr(errno, code), os.getcwd(), 0

    def call(*given: Any, **more: Any) -> Any:
        nonlocal calls
        ours = isinstance(given[0], int) or os.path.abspath(os.fsdecode(given[0])).startswith(folder)
        calls += ours
        if ours and calls >= int(first):
            raise OSError(number, os.strerror(number))
        return real(*given, **more)

    setattr(os, name, call)


if __name__ == "__main__":
    from synthbounds.cli import leave_when_told

    leave_when_told()
    mark, fault, *arguments = sys.argv[1:]
    leave_marks(mark)
    let_fail(fault)
    from synthbounds.cli import main
    from synthbounds.cli.supervised import supervised

    sys.exit(supervised(lambda: main(arguments), arguments))
