"""Functions that tests have workers call."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from bounds.errors import ParameterError


def square(number: int) -> int:
    return number * number


def refuses(number: int) -> int:
    if number == 3:
        raise ParameterError("number", number, "another one", "it is three")
    return number


def ends_once(item: tuple[str, int]) -> int:
    """The first process that is asked for number 3 is killed."""
    mark, number = Path(item[0]), item[1]
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def always_ends(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def waits(item: tuple[str, int]) -> int:
    """Until a file is there."""
    while item[1] and not Path(item[0]).exists():
        time.sleep(0.05)
    return item[1]


def counted(item: tuple[str, int]) -> int:
    """A run of a study."""
    return item[1]


def threads(_: int) -> int:
    """Of linear algebra."""
    import numpy as np
    from threadpoolctl import threadpool_info

    assert np.linalg.norm(np.ones(2)) > 0
    return max(int(part["num_threads"]) for part in threadpool_info() if part["user_api"] == "blas")
