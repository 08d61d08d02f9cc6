"""CPU time of an action, for comparing solvers: including that of solvers in separate processes."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def median_cpu(action: Callable[[], Found], repeats: int) -> tuple[float, Found]:
    """The median of the CPU seconds, and the result of the last run; a warm-up run precedes several runs."""
    if repeats > 1:
        action()
    samples = []
    for _ in range(repeats):
        start = _cpu()
        found = action()
        samples.append(_cpu() - start)
    return statistics.median(samples), found


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
