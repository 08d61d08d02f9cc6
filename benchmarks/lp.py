"""The density programme: ours with its certificate against the paper's model, and how large it can be; in CPU seconds.

The paper's model is PuLP with CBC and one variable for every sampled reference point, at the paper's sizes: degree 2 on
{0,1}^p, epsilon .2, delta .5, gamma .25, uniform data. Competitors get the same queries, targets and points in the same
run. Everything runs with one thread, each in its own process, to measure its memory peak. Large instances come in three
kinds. "wide": balanced data, the optimum is 0 and many densities attain it. "tight": skewed data and few records, the
optimum is positive and most rows are tight. "edge": a few rows that contradict each other decide, and all others have
slack.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np

from benchmarks.measure import in_a_process, main, peak_mb
from lp.programme.density_certificate import certify
from lp.programme.matrices import QueryMatrix, build_matrix, full_matrix
from lp.programme.solve import solve
from lp.programme.vertex import exact_vertex
from lp.study.reference import paper_model
from lp.study.timing import median_cpu
from release.data.domain import Domain
from release.statistics.families import build_family
from synthbounds import SynthboundsError

GAP = 1e-9
EPSILON, DELTA, GAMMA = 0.2, 0.5, 0.25
NOISE_BITS = 24
NAME = "lp"


@dataclass(frozen=True)
class Large:
    """Degree 2 on p attributes of a number of levels, on all points or on some uniform ones; limits in s and MB."""

    p: int
    levels: int
    points: int | None
    most_cpu_s: float
    most_mb: float


@dataclass(frozen=True)
class Kind:
    """Biases of independent attributes, records, and the size of the noise; parities for Boolean attributes."""

    bias: tuple[float, float]
    n: int
    noise: float
    parities: bool = False


LARGE = {
    "p20": Large(20, 2, None, 10, 1024),
    "p24": Large(24, 2, None, 20, 1024),
    "p26": Large(26, 2, None, 60, 3072),
    "sampled_f211": Large(20, 4097, 10**5, 10, 1024),
    "f991_m1e5": Large(44, 2, 10**5, 40, 1024),
    "f991_m1e6": Large(44, 2, 10**6, 60, 1024),
}
KINDS = {
    "wide": Kind((0.5, 0.5), 10**5, 1e-5),
    "tight": Kind((0.05, 0.3), 200, 0.03, parities=True),
    "edge": Kind((0.1, 0.9), 100, 0.003),
}


def run(*, quick: bool) -> dict[str, Any]:
    small = 6 if quick else 7
    result: dict[str, Any] = {}
    for call in (f"against_paper({small})", "against_collapsed()", "exact()"):
        result |= in_a_process(NAME, call)
    within = [
        result[f"p{small}_ratio_vs_paper"] >= (500 if quick else 5000),
        result["p8_ratio_vs_collapsed_pulp"] >= 10,
    ]
    for name in ("p20", "sampled_f211") if quick else LARGE:
        found = {kind: in_a_process(NAME, f"large({name!r}, {kind!r})") for kind in KINDS}
        worst = {key: max(each[key] for each in found.values()) for key in ("cpu_s", "gap", "rss_mb")}
        result |= {f"{name}_{key}": value for key, value in worst.items()}
        result |= {f"{name}_{kind}": each for kind, each in found.items()}
        limits = LARGE[name]
        within += [worst["cpu_s"] <= limits.most_cpu_s, worst["rss_mb"] <= limits.most_mb, worst["gap"] <= GAP]
    result["within_target"] = all(within)
    return dict(sorted(result.items(), key=lambda item: "ratio" not in item[0]))


def _paper_instance(p: int) -> tuple[QueryMatrix, list[Fraction], Any]:
    """The full matrix, the noisy answers of uniform data, and the paper's sample of reference points."""
    family = build_family("monomials", Domain((2,) * p), 2)
    queries = family.count + 1
    draws = np.random.Generator(np.random.Philox(p))
    n = ceil(2 * queries / (EPSILON * DELTA) * log(queries / GAMMA))
    data = draws.integers(0, 2, (n, p), dtype=np.uint8)
    points = draws.integers(0, 2, (round(2**p * queries / (DELTA**2 * GAMMA)), p), dtype=np.uint8)
    noise = draws.laplace(scale=DELTA / log(queries / GAMMA), size=family.count)
    return full_matrix(family), _targets(family.sums(data), n, family.denominator, noise), points


def _targets(sums: list[int], n: int, denominator: int, noise: Any) -> list[Fraction]:
    units = [round(float(value) * n * denominator * 2**NOISE_BITS) for value in noise]
    below = n * denominator * 2**NOISE_BITS
    return [Fraction((s << NOISE_BITS) + u, below) for s, u in zip(sums, units, strict=True)]


def _ours(matrix: QueryMatrix, target: list[Fraction]) -> Any:
    """Solve and certify; the certificate decides."""
    candidate = solve(matrix, np.array([float(value) for value in target]), gap=GAP / 2)
    return candidate, certify(matrix, target, candidate)


def against_paper(p: int) -> dict[str, Any]:
    matrix, target, points = _paper_instance(p)
    family, floats = matrix.family, np.array([float(value) for value in target])

    def from_samples() -> Any:
        numbers = np.unique(family.domain.numbers(points))
        return _ours(build_matrix(family, family.domain.points(numbers)), target)

    ours, (_, found) = median_cpu(lambda: _ours(full_matrix(family), target), 41)
    merged, _ = median_cpu(from_samples, 41)
    # the paper also asks the constant query, with noise; without noise it has no effect, but keeps the size
    values = np.vstack([np.ones(len(points)), family.values(points) / family.denominator])
    paper, theirs = median_cpu(lambda: paper_model(values, np.append(1.0, floats)), 1)
    assert found.gap <= GAP
    assert abs(theirs.value_est - float(found.upper)) <= 1e-6
    return {
        f"p{p}_ratio_vs_paper": round(paper / ours),
        f"p{p}_ratio_vs_paper_from_its_samples": round(paper / merged),
        f"p{p}_cpu_s": round(ours, 5),
        f"p{p}_paper_cpu_s": round(paper, 2),
        f"p{p}_paper_model": f"{2 * len(values) + 1} x {len(points) + 1}",
    }


def against_collapsed() -> dict[str, Any]:
    matrix, target, _ = _paper_instance(8)
    values = matrix.columns_at(np.arange(matrix.columns)) / matrix.family.denominator
    floats = np.array([float(value) for value in target])
    ours, (_, found) = median_cpu(lambda: _ours(full_matrix(matrix.family), target), 41)
    theirs, other = median_cpu(lambda: paper_model(values, floats), 9)
    assert found.gap <= GAP
    assert abs(other.value_est - float(found.upper)) <= 1e-6
    return {
        "p8_ratio_vs_collapsed_pulp": round(theirs / ours, 1),
        "p8_cpu_s": round(ours, 5),
        "p8_collapsed_pulp_cpu_s": round(theirs, 4),
    }


def exact() -> dict[str, Any]:
    """A rational vertex with gap zero, after the solver."""
    matrix, target, _ = _paper_instance(10)
    (candidate, _) = _ours(matrix, target)
    seconds, vertex = median_cpu(lambda: exact_vertex(matrix, target, candidate), 5)
    assert vertex.lower == vertex.upper
    return {"p10_exact_vertex_cpu_s": round(seconds, 4), "p10_exact_vertex_support": vertex.support}


def large(name: str, kind: str) -> dict[str, Any]:
    """One large instance, after a small one that warms up."""
    small, wanted, _ = _paper_instance(5)
    _ours(small, wanted)
    matrix_of, target = _large_instance(LARGE[name], KINDS[kind])
    before = time.process_time()
    matrix = matrix_of()
    candidate, found = _ours(matrix, target)
    seconds, peak = time.process_time() - before, peak_mb()
    return {
        "cpu_s": round(seconds, 2),
        "gap": float(f"{float(found.gap):.2e}"),
        "rss_mb": round(peak),
        "value": float(f"{float(found.upper):.6g}"),
        "queries": matrix.rows,
        "points": matrix.columns,
        "support": found.support,
        "tight_rows": _tight_rows(matrix, target, found),
        "rounds": candidate.rounds,
        "iterations": candidate.iterations,
        "exact_vertex_cpu_s": _exact_cpu(matrix, target, candidate) if found.support <= 500 else None,
    }


def _exact_cpu(matrix: QueryMatrix, target: list[Fraction], candidate: Any) -> float | None:
    """How long it takes to make the gap exactly zero; None if that fails."""
    before = time.process_time()
    try:
        exact_vertex(matrix, target, candidate, most_steps=20)
    except SynthboundsError:
        return None
    return round(time.process_time() - before, 2)


def _large_instance(size: Large, kind: Kind) -> tuple[Callable[[], QueryMatrix], list[Fraction]]:
    domain = Domain((size.levels,) * size.p)
    family = build_family("parities" if kind.parities and domain.is_boolean else "monomials", domain, 2)
    draws = np.random.Generator(np.random.Philox(size.p))
    bias, chance = draws.uniform(*kind.bias, size.p), draws.random((kind.n, size.p))
    # u^((1 - bias) / bias) has mean `bias` on [0, 1]
    codes = chance < bias if domain.is_boolean else np.floor(chance ** ((1 - bias) / bias) * size.levels)
    noise = draws.laplace(scale=kind.noise, size=family.count)
    target = _targets(family.sums(codes.astype(domain.code_type)), kind.n, family.denominator, noise)
    if size.points is None:
        return lambda: full_matrix(family), target
    listed = draws.integers(0, size.levels, (size.points, size.p), dtype=domain.code_type)
    points = np.unique(listed, axis=0)
    return lambda: build_matrix(family, points), target


def _tight_rows(matrix: QueryMatrix, target: list[Fraction], found: Any) -> int:
    answers = matrix.apply_at(found.numbers, found.weights / found.weight_total) / matrix.family.denominator
    residual = np.abs(answers - np.array([float(value) for value in target]))
    return int(np.count_nonzero(residual > residual.max() - 1e-7))


if __name__ == "__main__":
    sys.exit(main(NAME, __doc__ or "", run))
