"""Whether guarantees hold when the algorithm is run: failure frequencies against the promised probabilities.

Every run is numbered and has its own stream of random numbers, so runs can be made in any order, in pieces, and
repeated. A simulation can reject a guarantee, with a stated confidence; it never proves one. The sizes that the
theorems require (n, m, k) come from `bounds`; the algorithm is that of `lp`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from bounds import clopper_pearson
from bounds.shown import Shown
from bounds.sizes.require import require
from lp.measures.bernstein import bernstein_measure
from lp.measures.grid import grid_measure
from lp.programme.matrices import build_matrix
from lp.programme.solve import solve
from lp.synthesis.ask import synthesize
from release.data.domain import Domain
from release.statistics.families import ProductFamily, build_family

CONFIDENCE = 0.999
SEED = 20240
ACCURACY, FAILURE = Fraction(2, 5), Fraction(1, 10)
_CUBE = Domain((2, 2, 2))
_LINE = Domain((32,))


@dataclass(frozen=True)
class Guarantee:
    """A promise that can be run: `fails` says whether run number i missed it."""

    id: str
    theorem: str
    edition: str
    promised: Fraction
    """Probability with which a run may miss the accuracy."""
    text: str
    fails: Callable[[int], bool]


@dataclass(frozen=True)
class Frequency(Shown):
    """How often a guarantee was missed."""

    guarantee: Guarantee
    runs: int
    failures: int

    @property
    def interval(self) -> tuple[float, float]:
        return clopper_pearson.interval(self.failures, self.runs, CONFIDENCE)

    @property
    def rejected(self) -> bool:
        """Whether the promise is wrong, with the stated confidence."""
        return self.interval[0] > self.guarantee.promised


def stream(case: int, run: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=SEED, counter=[0, 0, case, run]))


def _skewed(domain: Domain, case: int) -> np.ndarray:
    """A distribution far from uniform, the same for all runs of a case."""
    return stream(case, 2**63).dirichlet(np.full(domain.size, 0.5))


def _error(family: ProductFamily, rows: np.ndarray, counts: np.ndarray) -> float:
    """max over the queries of |synthetic - real|, for counts of all points."""
    values = _values(family)
    real = values @ counts / counts.sum()
    made = values @ np.bincount(family.domain.numbers(rows), minlength=family.domain.size) / len(rows)
    return float(np.abs(real - made).max())


@cache
def _values(family: ProductFamily) -> np.ndarray:
    return family.values(family.domain.points(np.arange(family.domain.size))) / family.denominator


def _as_printed(case: int, measure: str, edition: str, **more: Any) -> Guarantee:
    """Algorithm 1 with the sizes and the noise of an edition: points are drawn, rows are drawn."""
    family = build_family("monomials", _CUBE, 2)
    question = {"p": 3, "degree": 2, "epsilon": 1, "accuracy": ACCURACY, "failure": FAILURE, **more}
    sizes = require(measure=measure, edition=edition, **question)
    delta, gamma = ACCURACY / 8, FAILURE / 4
    assert sizes.m is not None
    assert sizes.k is not None
    m, k = sizes.m, sizes.k
    noisy_queries = family.facts.total if edition == "printed" else family.facts.varying
    scale = float(delta) / np.log(noisy_queries / float(gamma))
    uniform = np.full(_CUBE.size, 1 / _CUBE.size)
    law = _skewed(_CUBE, case) if measure == "uniform" else uniform

    def fails(run: int) -> bool:
        generator = stream(case, run)
        counts = generator.multinomial(sizes.n, law)
        answers = _values(family) @ counts / sizes.n + generator.laplace(scale=scale, size=family.count)
        points = uniform
        if measure == "histogram":
            clipped = np.maximum(counts + generator.laplace(scale=2.0, size=_CUBE.size), 0)
            points = clipped / clipped.sum() if clipped.any() else uniform
        drawn = np.flatnonzero(generator.multinomial(m, points))
        matrix = build_matrix(family, _CUBE.points(drawn))
        found = solve(matrix, answers, gap=1e-7)
        rows = generator.choice(found.numbers, size=k, p=found.weights / found.weights.sum())
        return _error(family, matrix.points_at(rows), counts) > ACCURACY

    promised = sizes.guarantee.failure_probability.hi
    text = f"n = {sizes.n:,}, m = {m:,}, k = {k:,}, accuracy {float(ACCURACY)}"
    return Guarantee(f"{sizes.theorem}.{edition}", sizes.theorem, edition, promised, text, fails)


def _repaired_real(case: int, theorem: str, codes: int, **asked: Any) -> Guarantee:
    """The corrected theorems for a real attribute: equal bins of [0, 1], records with the density 1/2 + x."""
    question: dict[str, Any] = {
        "p": 1,
        "degree": 1,
        "epsilon": 2,
        "accuracy": ACCURACY,
        "failure": FAILURE,
        "lipschitz": 1,
        "tau": "1/2",
    }
    sizes = require(theorem=theorem, edition="corrected", **question, **asked)
    assert sizes.m is not None
    assert sizes.k is not None
    m, k, n = sizes.m, sizes.k, sizes.n
    derived = {d.name: d.enclosure.hi for d in sizes.derived}
    domain = Domain((codes,))
    family = build_family("monomials", domain, 1)
    middle = (np.arange(codes) + 0.5) / codes
    law = (0.5 + middle) / (0.5 + middle).sum()
    scale = float(ACCURACY) / 8 / np.log(family.count / float(FAILURE / 4))

    def measure(records: np.ndarray, generator: np.random.Generator) -> Any:
        common: dict[str, Any] = {"epsilon": 2, "adjacency": "replace-one", "mode": "simulate", "generator": generator}
        if "bernstein_degree" in derived:
            bandwidth = derived["h"].limit_denominator(10**6)
            degree = int(derived["bernstein_degree"])
            return bernstein_measure(records, domain, degree=degree, bandwidth=bandwidth, **common)
        cells = int(derived["cells_per_axis"])
        return grid_measure(records, domain, cells_per_axis=cells, variant="plain", **common)

    def fails(run: int) -> bool:
        generator = stream(case, run)
        counts = generator.multinomial(n, law)
        records = np.repeat(domain.points(np.arange(codes)), counts, axis=0)
        points = measure(records, generator).draw(m, generator)
        matrix = build_matrix(family, points.codes)
        answers = _values(family) @ counts / n + generator.laplace(scale=scale, size=family.count)
        found = solve(matrix, answers, gap=1e-7)
        rows = generator.choice(found.numbers, size=k, p=found.weights / found.weights.sum())
        return _error(family, matrix.points_at(rows), counts) > ACCURACY

    promised = sizes.guarantee.failure_probability.hi
    text = f"n = {n:,}, m = {m:,}, k = {k:,}, accuracy {float(ACCURACY)}"
    return Guarantee(f"{theorem}.corrected", theorem, "corrected", promised, text, fails)


def _sharp(case: int, name: str, domain: Domain, n: int, *, law: np.ndarray, **asked: Any) -> Guarantee:
    """The release as `synthbounds synth` makes it, with its promise in advance."""
    common: dict[str, Any] = {"mode": "simulate", "accuracy": ACCURACY, "failure": FAILURE, **asked}
    family = build_family(common.pop("family"), domain, common.pop("degree"))

    def fails(run: int) -> bool:
        counts = stream(case, run).multinomial(n, law)
        records = np.repeat(domain.points(np.arange(domain.size)), counts, axis=0)
        found = synthesize(records, domain, family=family, seed=case * 2**32 + run, **common)
        promise = found.plan.promise
        assert promise.kept
        assert promise.accuracy is not None
        return _error(family, found.rows, counts) > promise.accuracy

    return Guarantee(name, name, "sharp", FAILURE, f"n = {n:,}, accuracy at most {float(ACCURACY)}", fails)


@cache
def guarantees() -> tuple[Guarantee, ...]:
    """Every measure and edition that can be run.

    Theorem IV.1 as printed cannot be run: it leaves the degree open, and its bandwidth is many times the width of the
    cube at any feasible n.
    """
    ramp = np.arange(1, 33) / np.arange(1, 33).sum()  # an increasing density, with Lipschitz constant 2
    pairs: dict[str, Any] = {"family": "monomials", "degree": 2, "epsilon": 1}
    line: dict[str, Any] = {"family": "thresholds", "degree": 1, "epsilon": 2, "lipschitz": 2}
    return (
        _as_printed(1, "uniform", "printed"),
        _as_printed(2, "uniform", "corrected"),
        _sharp(3, "bojkovic2024.uniform", _CUBE, 120, law=_skewed(_CUBE, 3), **pairs),
        _as_printed(4, "histogram", "printed"),
        _as_printed(5, "histogram", "corrected"),
        _sharp(6, "synthbounds.shifted-histogram", _CUBE, 2500, law=_skewed(_CUBE, 6), measure="histogram", **pairs),
        _sharp(7, "synthbounds.lipschitz-uniform", _LINE, 4000, law=ramp, m=4000, **line),
        _sharp(8, "synthbounds.lipschitz-grid", _LINE, 40_000, law=ramp, measure="grid", **line),
        _repaired_real(9, "bojkovic2024.kde", 64, density_max="3/2"),
        _repaired_real(10, "bojkovic2024.kde-grid", 60),
    )
