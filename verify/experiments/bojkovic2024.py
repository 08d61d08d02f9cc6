"""The experiment of Appendix C-C of bojkovic2024: uniform records in {0,1}^p, all marginals of up to two attributes.

Two ways to run it. The paper's: sampled reference points, Laplace noise on every query (the constant one, too), PuLP
with CBC, rows drawn at random. Ours: every point of the domain once, l_inf noise scaled to the number of records, our
solver with its certificate, rows by rounding. Records are drawn as counts of the points of the domain, since the
printed sizes for the histogram reach billions. Noise is numpy's, for study only.

Each line of runs/bojkovic2024.jsonl has the largest errors of both ways on one draw; times are those of
bojkovic2024_times.

    python -m verify.experiments.bojkovic2024 --sets 20
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any

import numpy as np

from bounds.sizes.require import require
from lp.programme.density_certificate import certify
from lp.programme.matrices import build_matrix, full_matrix
from lp.programme.rounding import round_rows
from lp.programme.solve import solve
from lp.study.reference import collapsed_model, paper_model
from lp.study.timing import median_cpu
from release.data.domain import Domain
from release.statistics.families import build_family
from verify.experiments.recorded import RecordedRuns
from verify.experiments.study import Study

RUNS = RecordedRuns.of("bojkovic2024", "measure", "p", "set")
DIMENSIONS, SETS = tuple(range(2, 11)), 20

SETTING: dict[str, Any] = {"degree": 2, "epsilon": ".2", "delta": ".5", "gamma": ".25"}
EPSILON, DELTA, GAMMA = (float(SETTING[name]) for name in ("epsilon", "delta", "gamma"))
THEOREMS = {"uniform": "bojkovic2024.uniform", "histogram": "bojkovic2024.histogram-uniform"}
MEASURES = tuple(THEOREMS)
GAP = 1e-9


@dataclass(frozen=True)
class Experiment:
    """One p and one reference measure, at the printed sizes; the first row of `values` is the constant query."""

    p: int
    measure: str
    n: int
    m: int
    k: int
    family: Any
    values: Any

    @property
    def queries(self) -> int:
        """Including the constant query."""
        return len(self.values)

    @property
    def points(self) -> int:
        return int(self.values.shape[1])


@dataclass(frozen=True)
class Draw:
    """One table: the exact counts and answers, and the numbers of the reference points, with repetitions."""

    counts: Any
    answers: Any
    reference: Any
    generator: np.random.Generator


def experiment(p: int, measure: str) -> Experiment:
    sizes = require(theorem=THEOREMS[measure], edition="printed", p=p, **SETTING)
    family = build_family("monomials", Domain((2,) * p), 2)
    every = family.domain.points(np.arange(2**p))
    values = np.vstack([np.ones(2**p), family.values(every) / family.denominator])
    assert sizes.m is not None
    assert sizes.k is not None
    return Experiment(p, measure, sizes.n, sizes.m, sizes.k, family, values)


def draw(asked: Experiment, *, run: int) -> Draw:
    """Records, and m reference points: uniform ones, or from counts with Laplace noise of scale 2/epsilon, clipped."""
    generator = np.random.Generator(np.random.Philox(key=asked.p, counter=[0, 0, 0, run]))
    flat = np.full(asked.points, 1 / asked.points)
    counts = generator.multinomial(asked.n, flat)
    measure = flat
    if asked.measure == "histogram":
        clipped = np.maximum(counts + generator.laplace(scale=2 / EPSILON, size=asked.points), 0)
        measure = clipped / clipped.sum()
    reference = generator.choice(asked.points, size=asked.m, p=measure)
    return Draw(counts, asked.values @ counts / asked.n, reference, generator)


def paper_error(asked: Experiment, drawn: Draw) -> float:
    """Largest error of the paper's algorithm. Equal columns are merged, which does not change the programme."""
    scale = DELTA / log(asked.queries / GAMMA)
    target = drawn.answers + drawn.generator.laplace(scale=scale, size=asked.queries)
    points = np.unique(drawn.reference)
    density = collapsed_model(asked.values[:, points], target).density
    rows = drawn.generator.choice(points, size=asked.k, p=density)
    return float(np.abs(asked.values[:, rows].mean(axis=1) - drawn.answers).max())


def our_error(asked: Experiment, drawn: Draw) -> float:
    """Largest error with as many records and rows: epsilon is spent on l_inf noise, and rows are rounded."""
    count = asked.queries - 1
    radius = drawn.generator.gamma(count + 1) / (asked.n * EPSILON)
    target = drawn.answers[1:] + radius * drawn.generator.uniform(-1, 1, count)
    found = _solved(full_matrix(asked.family), _fractions(target))
    rows = np.array(round_rows(found, asked.k))
    return float(np.abs(asked.values[:, np.asarray(found.numbers)] @ rows / asked.k - drawn.answers).max())


def cpu_seconds(asked: Experiment, drawn: Draw, *, with_paper: bool) -> dict[str, float | None]:
    """The same noisy answers fitted by the paper's model and by ours, each from its reference points to a density.

    The constant query has no noise here: with noise it would change only the optimum, and the two could not be
    compared. For uniform sampling ours takes every point of the domain; for a histogram, the distinct points sampled.
    """
    scale = DELTA / log(asked.queries / GAMMA)
    target = drawn.answers[1:] + drawn.generator.laplace(scale=scale, size=asked.queries - 1)
    exact = _fractions(target)

    def ours() -> Any:
        if asked.measure == "uniform":
            return _solved(full_matrix(asked.family), exact)
        points = asked.family.domain.points(np.unique(drawn.reference))
        return _solved(build_matrix(asked.family, points), exact)

    seconds, found = median_cpu(ours, 9)
    if not with_paper:
        return {"ours": seconds, "paper": None, "difference": None}
    columns = asked.values[:, drawn.reference]
    theirs, other = median_cpu(lambda: paper_model(columns, np.append(1.0, target)), 1)
    return {"ours": seconds, "paper": theirs, "difference": abs(other.value_est - float(found.upper))}


def _fractions(target: Any) -> list[Fraction]:
    return [Fraction(float(value)) for value in target]


def _solved(matrix: Any, target: list[Fraction]) -> Any:
    candidate = solve(matrix, np.array([float(value) for value in target]), gap=GAP / 2)
    return certify(matrix, target, candidate)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments.bojkovic2024", description=__doc__)
    parser.add_argument("--sets", type=int, default=SETS)
    options = parser.parse_args()
    RUNS.make(_asked(options), _run)
    return 0


def _asked(options: Any) -> Iterator[dict[str, Any]]:
    for number, measure, p in itertools.product(range(options.sets), MEASURES, DIMENSIONS):
        yield {"measure": measure, "p": p, "set": number}


def _run(asked: dict[str, Any]) -> list[dict[str, Any]]:
    chosen = experiment(asked["p"], asked["measure"])
    drawn = draw(chosen, run=asked["set"])
    theirs = paper_error(chosen, drawn)  # both draw from one stream: the paper's way comes first
    return [{"n": chosen.n, "k": chosen.k, "paper": theirs, "ours": our_error(chosen, drawn)}]


STUDY = Study(
    runs=RUNS,
    make=_run,
    is_here=lambda asked: True,
    run_of=RUNS.asked_of,
    of_this_code=({},),
    seeds="Philox: key p, and the number of the set as counter",
    setting="uniform records in {0,1}^p, all marginals of up to two attributes, epsilon 0.2, delta 0.5, gamma 0.25, "
    "n, m and k as printed, Laplace noise on every query",
    modules=("verify/experiments/bojkovic2024.py", "lp/study/reference.py"),
    tables=(),
)

if __name__ == "__main__":
    sys.exit(main())
