"""CPU time of an action, for comparing solvers: that of solvers in processes of their own counts, too."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def median_cpu(action: Callable[[], Found], repeats: int) -> tuple[float, Found]:
    """The median of the CPU seconds, and what the last run found; before several runs one warms up."""
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
