"""Density programmes of thousands of cells on real tables: CPU seconds, gap, memory, and true errors.

Every run solves and certifies one programme of all one- and two-way cells of a table, exact certificate included, with
one thread; memory peaks are those of separate processes. Points come from a tree of the same noisy cells. "gaussian" is
rho-zCDP with rho .1, "laplace" epsilon 1, both for adding or removing a record, all tables at once; "agreed" is
Gaussian noise after projection onto tables that agree with each other, as in noise through contrasts. Errors are in
standard deviations of the noise. The seeds were fixed beforehand and served no other purpose.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from benchmarks.measure import in_a_process, main, peak_mb
from lp.measures.tree import tree_points
from lp.programme.cell_tables import Consistency
from lp.programme.density_certificate import ExactTarget, certify
from lp.programme.matrices import QueryMatrix, build_matrix
from lp.programme.matrix_cells import CellsMatrix
from lp.programme.solve import Candidate, solve
from release.data.domain import Domain
from release.statistics.families import ProductFamily, build_family
from verify import real_tables

SEEDS = tuple(range(7001, 7011))
RHO, EPSILON = 0.1, 1.0
TARGET_BITS = 52
NAME = "large_programmes"
NOISES = ("gaussian", "laplace", "agreed")


@dataclass(frozen=True)
class Setting:
    """A table, the most levels per column, the number of points, and the limits to meet on how many of ten seeds."""

    table: str
    levels: int | None
    points: int
    most_gap: float
    most_cpu_s: float
    seeds: int


CELLS = {
    "adult_8": Setting("adult", 8, 10**5, 0.01, 10, 9),
    "adult_5": Setting("adult", 5, 10**4, 0.01, 3, 8),
    "compas_8": Setting("compas", 8, 10**4, 0.01, 1, 8),
    "adult_raw": Setting("adult", None, 10**5, 0.02, 30, 9),
}
AGAINST_EXACT = (("adult", 3, "gaussian"), ("adult", 3, "laplace"), ("adult", 5, "gaussian"))
"""Settings where the programme is also solved exactly, on 10,000 points, to compare true errors."""
MOST_MB, MOST_EXCESS = 1024, 0.05


def run(*, quick: bool) -> dict[str, Any]:
    seeds = SEEDS[:2] if quick else SEEDS
    result: dict[str, Any] = {}
    within = []
    for name, setting in CELLS.items():
        for noise in NOISES:
            found = in_a_process(NAME, f"cells({name!r}, {noise!r}, {seeds!r})")
            result[f"{name}_{noise}"] = found
            within += [10 * found["seeds_within"] >= setting.seeds * len(seeds), found["rss_mb"] <= MOST_MB]
    for table, levels, noise in () if quick else AGAINST_EXACT:
        found = in_a_process(NAME, f"against_exact({table!r}, {levels}, {noise!r}, {seeds!r})")
        result[f"{table}_{levels}_{noise}_against_exact"] = found
        within += [found[f"{kind}_ratio"] <= 1 + MOST_EXCESS for kind in ("sup", "rms")]
    return {"within_target": all(within), **result}


def cells(name: str, noise: str, seeds: tuple[int, ...]) -> dict[str, Any]:
    """The programme of a setting for every seed: gap, time and true errors."""
    setting = CELLS[name]
    runs = [_one(Instance.drawn(setting, noise, seed)) for seed in seeds]
    worst = {key: max(each[key] for each in runs) for key in ("cpu_s", "gap")}
    good = [each["gap"] <= setting.most_gap and each["cpu_s"] <= setting.most_cpu_s for each in runs]
    queries = _truth(setting.table, setting.levels)[1].count
    return {"seeds_within": sum(good), **worst, "rss_mb": round(peak_mb()), "queries": queries, "runs": runs}


def against_exact(table: str, levels: int, noise: str, seeds: tuple[int, ...]) -> dict[str, Any]:
    """True errors compared with those of the exact optimum: means over the seeds, and their ratios."""
    ours, theirs, seconds = [], [], []
    setting = Setting(table, levels, 10**4, 0, 0, 0)
    for seed in seeds:
        instance = Instance.drawn(setting, noise, seed)
        ours.append(instance.errors(solve(instance.matrix, instance.target, method="proportional")))
        before = time.process_time()
        theirs.append(instance.errors(solve(instance.matrix, instance.target, exact=True)))
        seconds.append(time.process_time() - before)
    means = np.mean(ours, axis=0), np.mean(theirs, axis=0)
    found: dict[str, Any] = {"exact_cpu_s": round(max(seconds), 1)}
    for place, kind in enumerate(("sup", "rms")):
        found |= {f"{kind}_ratio": round(float(means[0][place] / means[1][place]), 3)}
        found |= {f"{kind}": round(float(means[0][place]), 3), f"{kind}_exact": round(float(means[1][place]), 3)}
    return found


@dataclass(frozen=True, eq=False)
class Instance:
    """A programme, and the exact answers."""

    matrix: QueryMatrix
    target: Any
    truth: Any
    deviation: float
    """Deviation of the noise of one cell."""
    making_s: float
    """CPU seconds for the matrix, which are included."""

    @classmethod
    def drawn(cls, setting: Setting, noise: str, seed: int) -> Instance:
        records, family, truth = _truth(setting.table, setting.levels)
        draws = np.random.Generator(np.random.Philox(seed))
        tables = len(CellsMatrix(family, records[:1]).tables)
        if noise == "laplace":
            scale = tables / EPSILON / len(records)
            deviation, target = scale * 2**0.5, truth + draws.laplace(0, scale, truth.size)
        else:
            deviation = (tables / (2 * RHO)) ** 0.5 / len(records)
            target = truth + draws.normal(0, deviation, truth.size)
        if noise == "agreed":
            target = Consistency(CellsMatrix(family, records[:1]).tables).nearest(target)
        points = tree_points(family, target, m=setting.points, mode="simulate", generator=draws).codes
        assert points is not None
        before = time.process_time()
        matrix = build_matrix(family, points)
        return cls(matrix, target, truth, deviation, time.process_time() - before)

    def errors(self, candidate: Candidate) -> tuple[float, float]:
        """The largest and the root mean square error to the truth, in standard deviations of the noise."""
        answers = self.matrix.apply_at(candidate.numbers, candidate.weights) / candidate.weights.sum()
        apart = np.abs(answers - self.truth) / self.deviation
        return float(apart.max()), float(np.sqrt(np.mean(apart**2)))


def _one(instance: Instance) -> dict[str, Any]:
    before = time.process_time()
    candidate = solve(instance.matrix, instance.target, exact=False)
    integers = tuple(round(float(value) * 2**TARGET_BITS) for value in instance.target)
    found = certify(instance.matrix, ExactTarget(integers, 2**TARGET_BITS), candidate)
    seconds = instance.making_s + time.process_time() - before
    largest, mean = instance.errors(candidate)
    return {
        "cpu_s": round(seconds, 2),
        "gap": float(f"{float(found.upper / found.lower - 1):.2e}"),
        "bound_sd": round(float(found.lower) / instance.deviation, 3),
        "support": found.support,
        "sup_to_truth": round(largest, 3),
        "rms_to_truth": round(mean, 3),
    }


@cache
def _truth(name: str, levels: int | None) -> tuple[Any, ProductFamily, Any]:
    """The records, the cells of one and two columns, and their shares."""
    records = real_tables.codes(name)
    if levels is not None:
        if name == "adult":
            records = np.column_stack([records, records[:, 3]])  # education is in the file as a number and as a name
        records = np.stack([_few_levels(column, levels) for column in records.T], axis=1)
    domain = Domain(tuple(int(most) + 1 for most in records.max(axis=0)))
    records = records.astype(domain.code_type)
    family = build_family("cells", domain, 2)
    return records, family, CellsMatrix(family, records).apply(np.full(len(records), 1 / len(records)))


def _few_levels(column: Any, levels: int) -> Any:
    """At most this many levels: quantiles if there are more than 20 codes, otherwise the rarest are merged."""
    counts = np.bincount(column)
    if counts.size > 20:
        column = np.searchsorted(np.unique(np.quantile(column, np.arange(1, levels) / levels)), column)
    elif counts.size > levels:
        order = np.argsort(-counts, kind="stable")
        rank = np.full(counts.size, levels - 1)
        rank[order[: levels - 1]] = np.arange(levels - 1)
        column = rank[column]
    return np.unique(column, return_inverse=True)[1]


if __name__ == "__main__":
    sys.exit(main(NAME, __doc__ or "", run))
