"""One releasing command in a process of its own, which leaves a mark when noise is drawn, and in which calls may fail.

`python -m benchmarks.harden_child MARK FAULT -- COMMAND ...`; FAULT is `none`, or `CALL:ERRNO:COUNT`: that call of
the operating system fails so from its COUNT-th time on.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any


def marked(mark: str) -> None:
    """Leave a mark before noise is drawn; modules that draw are imported afterwards."""
    from release import spending

    real = spending.spending_begins

    def begins() -> None:
        real()
        os.close(os.open(mark, os.O_CREAT | os.O_WRONLY))

    spending.spending_begins = begins


def faulty(fault: str, folder: Path) -> None:
    """Let a call fail, in the folder of the release alone: Python reads its own modules elsewhere."""
    if fault == "none":
        return
    name, code, first = fault.split(":")
    real, number, calls = getattr(os, name), getattr(errno, code), 0

    def call(*given: Any, **more: Any) -> Any:
        nonlocal calls
        of_ours = isinstance(given[0], int) or str(folder) in os.path.abspath(os.fsdecode(given[0]))
        calls += of_ours
        if of_ours and calls >= int(first):
            raise OSError(number, os.strerror(number))
        return real(*given, **more)

    setattr(os, name, call)


if __name__ == "__main__":
    mark, fault, _, *arguments = sys.argv[1:]
    marked(mark)
    faulty(fault, Path.cwd())
    from synthbounds.cli import main

    sys.exit(main(arguments))
