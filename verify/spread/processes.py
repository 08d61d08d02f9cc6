"""Items made by processes on this machine; if one is killed, its unfinished items are made again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from bounds.errors import WorkersLost
from verify.spread.job import make

MOST_DEATHS = 3
"""Without an answer in between: then the items themselves end their process, perhaps because of memory."""
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
                        f"workers: processes were ended {deaths} times at the same items (out of memory?)"
                    ) from None


def _one_thread() -> None:
    """Processes already share the processors, so linear algebra must not add threads."""
    os.environ.update(_THREADS)
