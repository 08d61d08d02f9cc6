"""A vectorised sweep over a million points, compared with the same formula point by point in certified arithmetic."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import synthbounds as sb
from benchmarks.measure import main

FIXED = {"p": 10, "degree": 2}
CASES = {
    "histogram_printed": ("bojkovic2024.histogram-uniform", "printed"),
    "uniform_sharp": ("bojkovic2024.uniform", "sharp"),
}


def run(*, quick: bool) -> dict[str, Any]:
    points = 10**5 if quick else 10**6
    rng = np.random.default_rng(1)
    arrays = {
        "epsilon": rng.uniform(0.05, 2, points),
        "delta": rng.uniform(0.01, 0.06, points),
        "gamma": rng.uniform(0.001, 0.2, points),
    }
    sb.sweep_estimates("bojkovic2024.uniform", edition="sharp", **FIXED, epsilon=0.2, delta=0.05, gamma=0.05)  # imports
    result: dict[str, Any] = {"points": points}
    for name, (theorem, edition) in CASES.items():
        start = time.process_time()
        swept = sb.sweep_estimates(theorem, edition=edition, **FIXED, **arrays)
        seconds = time.process_time() - start
        certified, differing = _certified(theorem, edition, arrays, swept, 200)
        result[f"{name}_s"] = round(seconds, 3)
        result[f"{name}_speedup_vs_certified"] = round(certified * points / 200 / seconds)
        result[f"{name}_off_by_one_in_200"] = differing
    result["points_per_s"] = round(points / result["histogram_printed_s"])
    result["within_target"] = all(result[f"{name}_s"] < 2 for name in CASES)
    return result


def _certified(theorem: str, edition: str, arrays: dict[str, Any], swept: Any, count: int) -> tuple[float, int]:
    """CPU seconds of the certified answers to the first points, and how many sweep values differ from them."""
    differing = 0
    start = time.process_time()
    for i in range(count):
        exact = {name: repr(float(values[i])) for name, values in arrays.items()}
        answer = sb.require(theorem=theorem, edition=edition, **FIXED, **exact)
        differing += answer.n != int(swept.n_est[i])
    return time.process_time() - start, differing


if __name__ == "__main__":
    sys.exit(main("sweep", __doc__ or "", run))
