"""Blocks of bits: exact products, a bound that no density beats, and a fit that comes near to the optimum."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from bounds.errors import ParameterError
from lp.programme.bit_bound import BitTables, bit_bound
from lp.programme.block_newton import BlockFit
from lp.programme.density_certificate import certify
from lp.programme.matrices import DenseMatrix, build_matrix
from lp.programme.matrix_bits import BitsMatrix
from lp.programme.matrix_points import ProductPointsMatrix
from lp.programme.sign_blocks import sign_blocks
from lp.programme.solve import solve
from release.data.domain import Domain
from release.statistics.families import build_family

CASES = [("parities", 3), ("parities", 2), ("monomials", 3), ("monomials", 2), ("parities", 1)]


def _instance(name: str, degree: int, p: int, points: int, *, seed: int, noise: float):
    """A chain of dependent bits, distinct points drawn from it, and its noisy answers."""
    draws = np.random.default_rng(seed)
    family = build_family(name, Domain((2,) * p), degree)

    def drawn(count: int):
        codes = draws.random((count, p)) < 0.2
        for j in range(1, p):
            codes[:, j] ^= codes[:, j - 1]
        return codes.astype(np.uint8)

    truth = family.values(drawn(2000)).mean(axis=1)
    matrix = BitsMatrix(family, np.unique(drawn(3 * points), axis=0)[:points])
    noisy = truth + draws.normal(0, noise, family.count)
    target = [Fraction(round(value * 2**30), 2**30) for value in noisy.tolist()]
    return matrix, target, np.array([float(value) for value in target])


@pytest.mark.parametrize(("name", "degree"), CASES)
@pytest.mark.parametrize("p", [3, 8, 17])
def test_products_are_those_of_the_matrix(name: str, degree: int, p: int) -> None:
    draws = np.random.default_rng(p)
    family = build_family(name, Domain((2,) * p), degree)
    points = draws.integers(0, 2, (500, p), dtype=np.uint8)
    ours, theirs = BitsMatrix(family, points), ProductPointsMatrix(family, points)
    h = draws.integers(-(2**40), 2**40, 500).astype(float)
    y = draws.integers(-(2**40), 2**40, family.count).astype(float)
    assert np.array_equal(ours.apply(h), theirs.apply(h))
    assert np.array_equal(ours.price(y), theirs.price(y))


def test_large_lists_are_held_in_blocks_of_bits() -> None:
    family = build_family("parities", Domain((2,) * 24), 3)
    points = np.random.default_rng(1).integers(0, 2, (1000, 24), dtype=np.uint8)
    assert isinstance(build_matrix(family, points), BitsMatrix)
    assert isinstance(build_matrix(family, points[:10]), DenseMatrix)


@pytest.mark.parametrize(("name", "degree"), CASES)
def test_cells_are_combinations_of_queries(name: str, degree: int) -> None:
    p = 4
    family = build_family(name, Domain((2,) * p), degree)
    tables = BitTables(family)
    every = np.arange(2**p)
    answers = family.values(family.domain.points(every))
    for queries, chosen in zip(tables.queries, combinations(range(p), degree), strict=True):
        cell = sum(((every >> j) & 1) << i for i, j in enumerate(chosen))
        found = tables.constant[:, None] + tables.cells @ answers[queries]
        scale = 2**degree if name == "parities" else 1
        assert np.array_equal(found, scale * (np.arange(2**degree)[:, None] == cell))


@pytest.mark.share(3)
@pytest.mark.parametrize(("name", "degree"), CASES)
@pytest.mark.parametrize("noise", [0.02, 0.3])
def test_near_the_optimum_and_never_beyond_it(name: str, degree: int, noise: float) -> None:
    matrix, target, floats = _instance(name, degree, 9, 300, seed=degree, noise=noise)
    exact = solve(matrix, floats, method="simplex")
    bound = bit_bound(matrix, floats)
    assert bound.value_est <= exact.value_est + 1e-12
    assert np.abs(bound.dual).sum() <= 1 + 1e-12
    assert matrix.price(bound.dual).min() - floats @ bound.dual == pytest.approx(bound.value_est, abs=1e-12)
    certificate = certify(matrix, target, sign_blocks(matrix, floats))
    assert float(certificate.lower) == pytest.approx(max(bound.value_est, float(certificate.lower)), rel=1e-9)
    assert float(certificate.lower) <= exact.value_est + 1e-9
    assert exact.lower_est - 1e-9 <= float(certificate.upper) <= 1.05 * exact.value_est + 1e-4


def test_a_cell_without_points_counts_as_zero() -> None:
    """The points never have both bits; the answers say that half of the records do."""
    family = build_family("monomials", Domain((2, 2)), 2)
    matrix = BitsMatrix(family, np.array([[0, 0], [0, 1], [1, 0]], dtype=np.uint8))
    found = bit_bound(matrix, np.array([0.5, 0.5, 0.5]))
    assert found.value_est == pytest.approx(0.5)
    assert found.dual.tolist() == [0.0, 0.0, -1.0]


def test_tables_together_prove_more_than_one() -> None:
    """Three bits of which any two are opposite: every pair is possible, all three are not."""
    family = build_family("parities", Domain((2,) * 3), 2)
    matrix = BitsMatrix(family, family.domain.points(np.arange(8)))
    found = bit_bound(matrix, np.array([0.0, 0.0, 0.0, -1.0, -1.0, -1.0]))
    assert found.value_est == pytest.approx(0.0)
    three = build_family("parities", Domain((2,) * 3), 3)
    matrix = BitsMatrix(three, three.domain.points(np.arange(8)))
    found = bit_bound(matrix, np.array([0.0, 0.0, 0.0, -1.0, -1.0, -1.0, 0.0]))
    assert found.value_est == pytest.approx(2 / 3)  # 1 + xy + xz + yz >= 0


def test_visits_end_where_the_fit_is_stationary() -> None:
    matrix, _, target = _instance("parities", 3, 10, 400, seed=5, noise=0.05)
    fit = BlockFit(matrix, target)
    fit.ridge, fit.wall = 0.05, 0.04
    for _ in range(40):
        for group in fit.groups:
            fit.visit(group)
    residuals = fit.residuals()
    assert np.allclose(residuals, np.clip(fit.ridge * fit.y, -fit.wall, fit.wall), atol=1e-6)
    assert np.count_nonzero(np.abs(fit.ridge * fit.y) > fit.wall) > 5  # some are held by a wall
    prices = matrix.price(fit.y)
    expected = np.exp(-(prices - prices.min()))
    assert np.allclose(fit.h, expected / expected.sum(), rtol=1e-6, atol=0)


def test_going_further_lowers_what_is_minimised_and_keeps_density_and_dual_together() -> None:
    matrix, _, target = _instance("parities", 3, 10, 400, seed=5, noise=0.05)
    fit = BlockFit(matrix, target)
    fit.ridge, fit.wall = 0.05, 0.02

    def minimised() -> float:
        held = np.clip(fit.ridge * fit.y, -fit.wall, fit.wall)
        log_mean = np.log(np.mean(np.exp(-matrix.price(fit.y))))
        return float(log_mean + target @ fit.y + fit.y @ held - held @ held / (2 * fit.ridge))

    start, went = fit.here(), 0
    for _ in range(6):
        for group in fit.groups:
            fit.visit(group)
        before, y = minimised(), fit.y
        fit.further(start)
        went += fit.y is not y
        assert (minimised() < before) == (fit.y is not y)
        expected = np.exp(-matrix.price(fit.y))
        assert np.allclose(fit.h, expected / expected.sum(), rtol=1e-9, atol=0)
        start = fit.here()
    assert went > 2


def test_an_attribute_that_never_varies() -> None:
    """Its answers cannot move, whatever the walls; the others still fit."""
    family = build_family("parities", Domain((2,) * 6), 3)
    points = family.domain.points(np.arange(32))
    target = np.random.default_rng(3).normal(0, 0.02, family.count)
    found = sign_blocks(BitsMatrix(family, points), target)
    assert np.isfinite(found.weights).all()
    assert found.lower_est == pytest.approx(1 - target[5], rel=1e-9)
    assert found.value_est <= 1.3


def test_auto_takes_blocks_for_many_queries_and_refuses_other_families() -> None:
    matrix, _, target = _instance("parities", 3, 19, 400, seed=1, noise=0.02)
    found = solve(matrix, target)
    assert found.method == "blocks"
    assert found.is_density
    assert found.numbers.size == 400
    cells = build_family("cells", Domain((3, 3)), 2)
    with pytest.raises(ParameterError, match="two levels"):
        solve(build_matrix(cells, cells.domain.points(np.arange(9))), np.zeros(cells.count), method="blocks")
