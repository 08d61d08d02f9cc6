"""Density LPs: every method on every family finds the optimum that a plain LP finds, on fat and on unique optima."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from bounds.errors import ParameterError
from lp.programme.interior_point import interior_point, restart
from lp.programme.matrices import QueryMatrix, build_matrix, full_matrix
from lp.programme.matrix_grid import GridMatrix
from lp.programme.solve import METHODS, Candidate, solve
from lp.programme.working_set import solve_on_working_set
from release.data.domain import Domain
from release.statistics.families import Family, build_family

FAMILIES = [
    ("parities", (2,) * 6, 2),
    ("monomials", (2,) * 6, 3),
    ("monomials", (9, 4, 7), 2),
    ("cells", (2, 3, 4, 2), 2),
    ("moments", (7, 6, 3), 3),
    ("thresholds", (5, 2, 6), 2),
]
NOISE = [0.2, 0.01, 1e-4, 0.0]

Codes = NDArray[np.integer]


def draws(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def table(domain: Domain, rows: int, seed: int) -> Codes:
    """Records of skewed and dependent attributes."""
    generator = draws(seed)
    columns = [
        np.minimum((generator.beta(a, b, rows) * size).astype(int), size - 1)
        for size, a, b in zip(domain.sizes, *generator.uniform(0.2, 2, (2, domain.p)), strict=True)
    ]
    tied = generator.random(rows) < 0.3
    columns[1][tied] = np.minimum(columns[0][tied], domain.sizes[1] - 1)
    return np.stack(columns, axis=1).astype(domain.code_type)


def noisy(family: Family, *, rows: int, noise: float, seed: int) -> NDArray[np.float64]:
    sums = np.array(family.sums(table(family.domain, rows, seed)), dtype=float)
    return np.asarray(sums / rows / family.denominator + draws(seed + 1).laplace(size=family.count) * noise)


def plain_optimum(matrix: QueryMatrix, target: NDArray[np.float64]) -> float:
    entries = matrix.columns_at(np.arange(matrix.columns)) / matrix.family.denominator
    rows, columns = entries.shape
    one = np.ones((rows, 1))
    found = linprog(
        np.append(np.zeros(columns), 1),
        A_ub=np.block([[entries, -one], [-entries, -one]]),
        b_ub=np.concatenate([target, -target]),
        A_eq=np.append(np.ones(columns), 0)[None],
        b_eq=[1],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return float(found.fun)


def bounds_of(matrix: QueryMatrix, target: NDArray[np.float64], candidate: Candidate) -> tuple[float, float]:
    """What the candidate proves, evaluated apart from the solver."""
    scale = 1 / matrix.family.denominator
    weights = candidate.weights / candidate.weights.sum()
    y = candidate.dual / max(1.0, float(np.abs(candidate.dual).sum()))
    upper = float(np.abs(matrix.apply_at(candidate.numbers, weights) * scale - target).max())
    least = min(float(values.min()) for _, values in matrix.price_blocks(y * scale))
    return max(0.0, least - float(target @ y)), upper


def check_candidate(matrix: QueryMatrix, target: NDArray[np.float64], candidate: Candidate) -> float:
    assert candidate.weights.min() > 0
    assert abs(candidate.weights.sum() - 1) < 1e-9
    assert np.all(np.diff(candidate.numbers) > 0)
    lower, upper = bounds_of(matrix, target, candidate)
    assert upper - lower <= 1e-9
    assert abs(candidate.value_est - upper) < 1e-12
    return upper


@pytest.mark.parametrize(("shape", "noise"), list(product(FAMILIES, NOISE)))
def test_all_methods_find_the_optimum_of_a_plain_lp(shape: tuple[str, tuple[int, ...], int], noise: float) -> None:
    name, sizes, degree = shape
    family = build_family(name, Domain(sizes), degree)
    matrix = full_matrix(family)
    for seed in (1, 2):
        target = noisy(family, rows=200, noise=noise, seed=seed)
        wanted = plain_optimum(matrix, target)
        for method in set(METHODS) - {"proportional", "blocks"}:  # these end near the optimum
            candidate = solve(matrix, target, method=method)
            found = check_candidate(matrix, target, candidate)
            assert abs(found - wanted) < 2e-9
            if noise:
                assert candidate.numbers.size <= family.count + 1


@pytest.mark.parametrize(("shape", "noise"), list(product(FAMILIES, NOISE)))
def test_the_working_set_agrees_with_all_columns(shape: tuple[str, tuple[int, ...], int], noise: float) -> None:
    name, sizes, degree = shape
    family = build_family(name, Domain(sizes), degree)
    matrix = full_matrix(family)
    target = noisy(family, rows=300, noise=noise, seed=5)
    few = draws(6).permutation(matrix.columns)[: family.count // 2 + 2]
    found = solve_on_working_set(matrix, target, gap=1e-9, first=few)
    whole = interior_point(matrix, target, gap=1e-10)
    assert found.upper_est - found.lower_est <= 1e-9
    assert found.lower_est - 1e-12 <= whole.top
    assert whole.floor <= found.upper_est + 1e-12
    assert abs(found.upper_est - whole.top) < 2e-9


@pytest.mark.parametrize("p", [12, pytest.param(16, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["parities", "monomials"])
@pytest.mark.parametrize(("rows", "noise"), [(100, 0.05), (2000, 0.002)])
def test_the_full_cube(name: str, rows: int, noise: float, p: int) -> None:
    family = build_family(name, Domain((2,) * p), 2)
    matrix = full_matrix(family)
    target = noisy(family, rows=rows, noise=noise, seed=11)
    candidate = solve(matrix, target)
    check_candidate(matrix, target, candidate)
    assert candidate.numbers.size <= family.count + 1
    assert candidate.rounds > 1


@pytest.mark.parametrize("noise", [0.02, 1e-3, 0.0])
def test_columns_drawn_from_a_density_on_all_of_them(noise: float, monkeypatch: pytest.MonkeyPatch) -> None:
    family = build_family("cells", Domain((3, 2) * 5), 1)
    matrix = GridMatrix(family)
    assert matrix.weighs_all_at_once
    target = noisy(family, rows=300, noise=noise, seed=3)
    usual = solve_on_working_set(matrix, target, gap=1e-10)
    found = solve(matrix, target)
    assert found.method == "interior-point"
    assert found.numbers.size <= 4 * matrix.rows
    assert abs(check_candidate(matrix, target, found) - usual.upper_est) < 1e-9
    monkeypatch.setattr("lp.programme.balanced.systematic", lambda share, *_: np.arange(share.size) < 9)
    other = solve(matrix, target)  # nine columns will not do
    assert other.method == "interior-point on a working set"
    assert abs(check_candidate(matrix, target, other) - usual.upper_est) < 1e-9


def test_sampled_points_of_a_fine_grid() -> None:
    domain = Domain((4097,) * 8)
    family = build_family("monomials", domain, 2)
    points = np.stack([draws(30 + j).integers(0, 4097, 80_000) for j in range(8)], axis=1).astype(np.uint16)
    matrix = build_matrix(family, points)
    for noise in (0.05, 1e-3):
        target = noisy(family, rows=500, noise=noise, seed=12)
        candidate = solve(matrix, target)
        check_candidate(matrix, target, candidate)


@pytest.mark.parametrize("points_drawn", [4_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_sampled_points_of_a_cube_too_large_to_list(points_drawn: int) -> None:
    family = build_family("parities", Domain((2,) * 24), 2)
    points = np.unique(draws(40).integers(0, 2, (points_drawn, 24)).astype(np.uint8), axis=0)
    matrix = build_matrix(family, points)
    target = noisy(family, rows=500, noise=0.02, seed=13)
    check_candidate(matrix, target, solve(matrix, target))


def test_a_target_that_a_density_attains_is_attained() -> None:
    family = build_family("cells", Domain((3, 3, 3)), 2)
    matrix = full_matrix(family)
    h = draws(50).dirichlet(np.ones(matrix.columns))
    candidate = solve(matrix, matrix.apply(h))
    assert candidate.value_est <= 1e-9
    assert candidate.lower_est == 0


@pytest.mark.parametrize(("name", "sizes", "degree"), [("parities", (2,) * 10, 2), ("cells", (3, 3, 4, 5, 2), 2)])
@pytest.mark.parametrize(("rows", "noise"), [(3, 1e-9), (20, 1e-9), (300, 1e-6), (5, 0.0)])
def test_targets_almost_free_of_noise(name: str, sizes: tuple[int, ...], degree: int, rows: int, noise: float) -> None:
    """Hardly any density is near such a target, so that the interior-point method alone does not always finish."""
    family = build_family(name, Domain(sizes), degree)
    matrix = full_matrix(family)
    target = noisy(family, rows=rows, noise=noise, seed=21)
    check_candidate(matrix, target, solve(matrix, target))


def test_one_point_and_one_query() -> None:
    family = build_family("monomials", Domain((5,)), 1)
    matrix = full_matrix(family)
    for wanted, target in ((0.0, 0.3), (0.5, 1.5), (0.25, -0.25)):
        assert abs(solve(matrix, np.array([target])).value_est - wanted) < 1e-9
    alone = build_matrix(family, np.array([[2]], dtype=np.uint8))
    assert abs(solve(alone, np.array([0.75])).value_est - 0.25) < 1e-9


def test_a_restart_is_interior_whatever_it_starts_from() -> None:
    family = build_family("parities", Domain((2,) * 6), 2)
    matrix = full_matrix(family)
    target = noisy(family, rows=200, noise=0.05, seed=14)
    corner = np.zeros(matrix.columns)
    corner[3] = 1
    u, v = np.zeros(family.count), np.zeros(family.count)
    u[0] = 1
    again = restart(matrix, target, corner, u, v)
    assert min(again.h.min(), again.u.min(), again.v.min()) > 0
    assert again.top > np.abs(matrix.apply(again.h) - target).max()
    assert again.floor < (matrix.price(again.y) - target @ again.y).min()
    assert interior_point(matrix, target, gap=1e-9, first=again).gap <= 1e-9


def test_solving_twice_gives_the_same_numbers_and_says_how_far_it_is() -> None:
    family = build_family("parities", Domain((2,) * 14), 2)
    matrix = full_matrix(family)
    target = noisy(family, rows=200, noise=0.03, seed=15)
    said: list[str] = []
    first = solve(matrix, target, progress=said.append)
    second = solve(matrix, target)
    assert np.array_equal(first.numbers, second.numbers)
    assert np.array_equal(first.weights, second.weights)
    assert np.array_equal(first.dual, second.dual)
    assert len(said) == first.rounds


def test_refusals() -> None:
    family = build_family("parities", Domain((2,) * 5), 2)
    matrix = full_matrix(family)
    target = np.zeros(family.count)
    with pytest.raises(ParameterError, match="solver"):
        solve(matrix, target, method="guess")
    with pytest.raises(ParameterError, match="gap"):
        solve(matrix, target, gap=0.0)
    with pytest.raises(ParameterError, match="target"):
        solve(matrix, target[1:])
    with pytest.raises(ParameterError, match="target"):
        solve(matrix, target + np.nan)
    with pytest.raises(ParameterError, match="one model has"):
        solve(full_matrix(build_family("parities", Domain((2,) * 20), 2)), np.zeros(210), method="simplex")
