"""Items by processes on this machine; where one is killed, what it had not finished is made again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from bounds.errors import WorkersLost
from verify.spread.job import make

MOST_DEATHS = 3
"""Without an answer in between: then it is the items that end their process, perhaps for memory."""
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def by_processes(function: str, chunks: Sequence[Sequence[Any]], count: int) -> Iterator[list[Any]]:
    """The answers of each chunk, in order."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    done = deaths = 0
    while done < len(chunks):
        # The initializer runs before functions, and what they import, are there.
        with ProcessPoolExecutor(
            min(count, len(chunks) - done), mp_context=get_context("spawn"), initializer=_one_thread
        ) as pool:
            try:
                for found in pool.map(partial(make, function), chunks[done:]):
                    done, deaths = done + 1, 0
                    yield found
            except BrokenProcessPool:
                deaths += 1
                if deaths == MOST_DEATHS:
                    raise WorkersLost(
                        f"workers: processes were ended {deaths} times at the same items (memory that ran out?)"
                    ) from None


def _one_thread() -> None:
    """Processes share the processors already: linear algebra must not multiply them."""
    os.environ.update(_THREADS)
