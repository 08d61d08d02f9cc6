"""Our solver, with its certificate, and other people's solvers find the same optimum."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log

import numpy as np
import pytest
from numpy.typing import NDArray

from bounds.errors import NotCertified
from lp.programme.density_certificate import certify, require_gap
from lp.programme.matrices import QueryMatrix, build_matrix, full_matrix
from lp.programme.solve import solve
from lp.study.reference import collapsed_model, highs_model, paper_model
from release.data.domain import Domain
from release.statistics.families import build_family

GAP = Fraction(1, 10**9)
FAMILIES = ("monomials", "parities", "cells", "moments", "thresholds")
INSTANCES = 200
"""Of every family, on all points and on a sample with duplicates."""


def with_noise(sums: list[int], n: int, denominator: int, noise: NDArray[np.float64]) -> list[Fraction]:
    return [
        Fraction(s, n * denominator) + Fraction(round(float(v) * 2**30), 2**30)
        for s, v in zip(sums, noise, strict=True)
    ]


def certified(matrix: QueryMatrix, target: list[Fraction], *, method: str = "auto") -> tuple[float, float]:
    found = certify(matrix, target, solve(matrix, np.array([float(b) for b in target]), gap=1e-10, method=method))
    require_gap(found, GAP)
    return float(found.lower), float(found.upper)


@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_the_papers_instances(p: int) -> None:
    """Uniform data and measure, epsilon .2, delta .5, gamma .25: PuLP with CBC and a variable for every sample."""
    family = build_family("monomials", Domain((2,) * p), 2)
    queries = family.count + 1
    n, m = ceil(2 * queries / (0.2 * 0.5) * log(queries / 0.25)), 2**p * queries * 16
    assert (n, m) == {2: (222, 256), 3: (467, 896), 4: (833, 2816), 5: (1331, 8192)}[p]
    draws = np.random.Generator(np.random.Philox(p))
    data, points = (draws.integers(0, 2, (rows, p), dtype=np.uint8) for rows in (n, m))
    noise = draws.laplace(scale=0.5 / log(queries / 0.25), size=queries)
    target = with_noise(family.sums(data), n, family.denominator, noise[1:])
    floats = np.array([float(b) for b in target])
    values = family.values(points)
    low, high = certified(full_matrix(family), target)
    assert low - 1e-6 <= paper_model(values, floats).value_est <= high + 1e-6
    assert low - 1e-6 <= collapsed_model(values, floats).value_est <= high + 1e-6
    # the paper asks the constant, too, with noise: the optimum becomes the larger of the two
    constant = paper_model(np.vstack([np.ones(m), values]), np.append(1 + noise[0], floats))
    assert constant.value_est == pytest.approx(max(high, abs(noise[0])), abs=1e-6)


def random_instance(
    name: str, *, sampled: bool, draws: np.random.Generator
) -> tuple[QueryMatrix, NDArray[np.float64], list[Fraction]]:
    """A small programme: the matrix of distinct points, the values at all listed points, the targets."""
    p = int(draws.integers(2, 6 if name in ("monomials", "parities") else 4))
    boolean = name == "parities" or draws.random() < 0.3
    domain = Domain(tuple(2 if boolean else int(v) for v in draws.integers(2, 5, p)))
    family = build_family(name, domain, int(draws.integers(1, min(p, 3) + 1)))
    n = int(draws.choice([3, 40, 2000]))
    skew = draws.choice([1.0, 6.0])
    data = np.floor(draws.random((n, p)) ** skew * domain.sizes).astype(np.uint8)
    noise = float(draws.choice([0.0, 0.003, 0.05, 0.5])) * draws.laplace(size=family.count)
    target = with_noise(family.sums(data), n, family.denominator, noise)
    if not sampled:
        matrix = full_matrix(family)
        return matrix, matrix.columns_at(np.arange(matrix.columns)) / family.denominator, target
    listed = draws.integers(0, domain.size, int(draws.integers(1, 2 * domain.size)))
    matrix = build_matrix(family, domain.points(np.unique(listed)))
    return matrix, family.values(domain.points(listed)) / family.denominator, target


@pytest.mark.share(3)
@pytest.mark.parametrize("sampled", [False, True], ids=["full", "sampled"])
@pytest.mark.parametrize("name", FAMILIES)
def test_random_programmes(name: str, sampled: bool) -> None:
    draws = np.random.Generator(np.random.Philox([FAMILIES.index(name), sampled]))
    for i in range(INSTANCES):
        matrix, values, target = random_instance(name, sampled=sampled, draws=draws)
        low, high = certified(matrix, target, method=("auto", "interior-point")[i % 2])
        other = highs_model(values, np.array([float(b) for b in target])).value_est
        assert low - 1e-8 <= other <= high + 1e-8


def test_the_three_models_agree() -> None:
    draws = np.random.Generator(np.random.Philox(4))
    matrix, values, target = random_instance("cells", sampled=True, draws=draws)
    floats = np.array([float(b) for b in target])
    found = [model(values, floats) for model in (paper_model, collapsed_model, highs_model)]
    for each in found:
        assert each.value_est == pytest.approx(found[0].value_est, abs=1e-6)
        assert each.claimed_est == pytest.approx(found[0].value_est, abs=1e-6)
        assert each.density.sum() == pytest.approx(1)
        assert each.density.min() >= 0
        assert each.value_est == pytest.approx(np.abs(values @ each.density - floats).max())
    assert matrix.columns <= values.shape[1]


def test_a_solver_that_lies_is_not_believed() -> None:
    """A status of optimal, a density that is not: the value is what the density is worth, and the gap is refused."""
    from lp.study.reference import _judged

    family = build_family("monomials", Domain((2, 2)), 1)
    matrix = full_matrix(family)
    values, target = matrix.columns_at(np.arange(4)), np.array([0.5, 0.5])
    lie = _judged(values, target, np.array([1.0, 0, 0, 0]), np.zeros(2), 0.0, "Optimal")
    assert (lie.status, lie.claimed_est, lie.value_est) == ("Optimal", 0.0, 0.5)

    class Claim:
        numbers, weights, dual = np.arange(4), lie.density, lie.dual_est

    with pytest.raises(NotCertified, match="not optimal"):
        require_gap(certify(matrix, [Fraction(1, 2)] * 2, Claim()), GAP)
    with pytest.raises(NotCertified, match="no density"):
        _judged(values, target, np.full(4, np.nan), np.zeros(2), None, "Optimal")
