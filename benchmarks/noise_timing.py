"""Whether the time of a draw reveals the size of the noise: rank correlations with the processor time of the thread.

Each row draws many numbers one by one. `rank_correlation` is Spearman's, between the time and the size of the draw (for
a choice: the winner's score); without any relation it is within 3.3/sqrt(draws) of 0 in 999 of 1000 runs. `tenths_us`
are median times in microseconds, from the smallest tenth of the sizes to the largest. Two rows are controls, samplers
that are not shipped: the inverse of the error function, and coins that are counted until one fails. OpenDP's samplers
are unmodified. The last rows compare a choice among equal scores with one in which one score is far ahead.
"""

from __future__ import annotations

import gc
import secrets
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from flint import arb, fmpq
from scipy.stats import spearmanr

from benchmarks.measure import main
from bounds.enclosure import as_fmpq, precision
from release.noise.cube import sample_cube
from release.noise.exact import laplace_measurement, opendp, run_measurement
from release.noise.exponential import exponential
from release.noise.geometric import geometric
from release.noise.rounded_gaussian import rounded_gaussian
from release.noise.uniform import LazyUniform

Numbers: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
SCORES = tuple(range(0, 40, 2))
"""Scores of a choice with the rate 1/8: each of the twenty has a chance, the best about one in five."""


def by_inverse(sd: Fraction) -> int:
    """A control: round(sd sqrt 2 erfcinv(u)), whose series are longer for some u than for others."""
    uniform = LazyUniform(secrets.randbits)
    uniform.extend(96)
    with precision(120):
        size = (uniform.ball().erfcinv() * arb(2 * as_fmpq(sd) ** 2).sqrt() + fmpq(1, 2)).floor().unique_fmpz()
    return 0 if size is None else int(size)


def by_counting(rate: Fraction) -> int:
    """A control: how often a coin of probability exp(-rate) comes up, by the series of von Neumann."""
    found = 0
    while True:
        k = 1
        while secrets.randbelow(rate.denominator * k) < rate.numerator:
            k += 1
        if k % 2 == 0:
            return found
        found += 1


def place(scores: list[int]) -> int:
    return exponential(Fraction(1, 8), scores)[0]


def samplers() -> dict[str, Callable[[], int]]:
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float)
    gaussian = dp.m.make_gaussian(*space, 50.0)
    few, many = laplace_measurement(Fraction(2)), laplace_measurement(Fraction(1000))
    return {
        "rounded_gaussian_3": lambda: rounded_gaussian(Fraction(3), 1)[0],
        "rounded_gaussian_1e9": lambda: rounded_gaussian(Fraction(10**9), 1)[0],
        "linf_1000": lambda: sample_cube(1, scale=Fraction(1000))[0],
        "geometric_1_in_10": lambda: geometric(Fraction(1, 10), 1)[0],
        "exponential_20": lambda: SCORES[exponential(Fraction(1, 8), SCORES)[0]],
        "opendp_laplace_2": lambda: run_measurement(few, [0])[0],
        "opendp_laplace_1000": lambda: run_measurement(many, [0])[0],
        "opendp_gaussian_50": lambda: run_measurement(gaussian, [0])[0],
        "control_inverse_1e9": lambda: by_inverse(Fraction(10**9)),
        "control_counting_1_in_10": lambda: by_counting(Fraction(1, 10)),
    }


def timed(sampler: Callable[[], int], draws: int) -> tuple[Numbers, Numbers]:
    """Nanoseconds and sizes of each draw. The first thousand draws fill caches and are left out."""
    times, sizes = np.empty(draws), np.empty(draws)
    clock = time.thread_time_ns
    gc.collect()
    gc.disable()
    try:
        for i in range(-1000, draws):
            start = clock()
            found = sampler()
            end = clock()
            if i >= 0:
                times[i], sizes[i] = end - start, abs(found)
    finally:
        gc.enable()
    return times, sizes


def told(times: Numbers, sizes: Numbers) -> dict[str, Any]:
    by_size = times[np.argsort(sizes, kind="stable")]
    return {
        "draws": len(times),
        "rank_correlation": round(float(spearmanr(times, sizes).statistic), 4),
        "median_us": in_us(times),
        "tenths_us": [in_us(part) for part in np.array_split(by_size, 10)],
    }


def in_us(times: Numbers) -> float:
    return round(float(np.median(times)) / 1000, 2)


def run(*, quick: bool) -> dict[str, Any]:
    draws = 10_000 if quick else 100_000
    found: dict[str, Any] = {name: told(*timed(sampler, draws)) for name, sampler in samplers().items()}
    for name, scores in {"equal": [0] * 20, "one_ahead": [0] * 19 + [1000]}.items():
        times, _ = timed(partial(place, scores), draws // 10)
        found[f"choice_of_20_{name}"] = {"draws": draws // 10, "median_us": in_us(times)}
    return found


if __name__ == "__main__":
    sys.exit(main("noise_timing", __doc__ or "", run))
