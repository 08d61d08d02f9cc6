"""All 2-way marginals of 10^7 records with 15 attributes: ours against numpy.bincount on every pair, in one run.

In CPU seconds on the same table of codes, in turns. Peak memory is that of a fresh process that makes the table and
counts it. The counts must agree cell by cell.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

import synthbounds.data as sd
from benchmarks.measure import main

if TYPE_CHECKING:
    from numpy.typing import NDArray

ATTRIBUTES = 15
SIZES = {
    "2_to_20": tuple(2 + round(18 * j / (ATTRIBUTES - 1)) for j in range(ATTRIBUTES)),
    "boolean": (2,) * ATTRIBUTES,
    "all_20": (20,) * ATTRIBUTES,
}
MAIN = "2_to_20"


def run(*, quick: bool) -> dict[str, Any]:
    records, repeats = (10**6, 3) if quick else (10**7, 3)
    result: dict[str, Any] = {}
    for name, sizes in SIZES.items():
        ours, plain = _side_by_side(_table(sizes, records), sizes, repeats)
        suffix = "" if name == MAIN else f"_{name}"
        result[f"ratio_vs_bincount{suffix}"] = round(plain / ours, 2)
        result[f"marginals_cpu_s{suffix}"] = round(ours, 3)
        result[f"bincount_cpu_s{suffix}"] = round(plain, 3)
    peak = _memory(records)
    result |= {
        "records": records,
        "attributes": ATTRIBUTES,
        "sizes": list(SIZES[MAIN]),
        "peak_rss_mb": round(peak),
        "within_target": result["ratio_vs_bincount"] >= 3 and peak < 1000,
    }
    return result


def _table(sizes: tuple[int, ...], records: int) -> NDArray[np.uint8]:
    """Attributes that each depend on the one before, with few common values, as in a census."""
    generator = np.random.Generator(np.random.Philox(key=20))
    codes = np.empty((records, len(sizes)), dtype=np.uint8, order="F")
    for start in range(0, records, 10**6):
        block = codes[start : start + 10**6]
        for j, size in enumerate(sizes):
            skewed = (size * generator.random(len(block)) ** 2).astype(np.uint8)
            block[:, j] = np.where(generator.random(len(block)) < 0.3, block[:, j - 1] % size, skewed) if j else skewed
    return codes


def _plain(codes: NDArray[np.uint8], sizes: tuple[int, ...]) -> dict[tuple[int, int], NDArray[np.int64]]:
    return {
        (i, j): np.bincount(
            codes[:, i].astype(np.int64) * sizes[j] + codes[:, j], minlength=sizes[i] * sizes[j]
        ).reshape(sizes[i], sizes[j])
        for i, j in combinations(range(len(sizes)), 2)
    }


def _side_by_side(codes: NDArray[np.uint8], sizes: tuple[int, ...], repeats: int) -> tuple[float, float]:
    """Medians of both, measured in turns so that a busy machine slows both down."""
    ours, plain = [], []
    for _ in range(repeats):
        seconds, found = _timed(lambda: sd.count_marginals(codes, sizes, 2))
        ours.append(seconds)
        seconds, expected = _timed(lambda: _plain(codes, sizes))
        plain.append(seconds)
        if any(not np.array_equal(found[pair], counts) for pair, counts in expected.items()):
            raise AssertionError("the marginals differ")
    return statistics.median(ours), statistics.median(plain)


def _timed(action: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = action()
    return time.process_time() - start, found


def _memory(records: int) -> float:
    """Peak memory in MB of a fresh process."""
    code = f"from benchmarks.marginals import report_memory; report_memory({records})"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def report_memory(records: int) -> None:
    """In the fresh process: make the table, count, and print the peak."""
    sd.count_marginals(_table(SIZES[MAIN], records), SIZES[MAIN], 2)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6)


if __name__ == "__main__":
    sys.exit(main("marginals", __doc__ or "", run))
