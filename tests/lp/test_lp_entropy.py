"""The canonical density: feasible, of exponential form, of more entropy than any other, and reproducible."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, minimize

from bounds.errors import ParameterError
from lp.programme.entropy import PULLED_BARRIER, EntropyDensity, maximum_entropy
from lp.programme.matrices import DenseMatrix, QueryMatrix, full_matrix
from lp.programme.matrix_grid import GridMatrix
from lp.programme.matrix_points import ProductPointsMatrix
from lp.programme.solve import solve
from release.data.domain import Domain
from release.statistics.families import Family, build_family

FAMILIES = [
    ("parities", (2,) * 6, 2),
    ("monomials", (9, 4, 5), 2),
    ("cells", (2, 3, 4, 2), 2),
    ("moments", (7, 6, 3), 3),
    ("thresholds", (5, 2, 6), 2),
]


def answers(family: Family, *, noise: float, seed: int) -> NDArray[np.float64]:
    generator = np.random.Generator(np.random.Philox(seed))
    codes = np.stack([generator.binomial(size - 1, 0.3, 100) for size in family.domain.sizes], axis=1)
    sums = np.array(family.sums(codes.astype(family.domain.code_type)), dtype=float)
    return np.asarray(sums / 100 / family.denominator + generator.laplace(size=family.count) * noise)


def check(matrix: QueryMatrix, target: NDArray[np.float64], found: EntropyDensity) -> None:
    """The conditions that only the maximum satisfies."""
    scale = 1 / matrix.family.denominator
    residual = matrix.apply(found.weights) * scale - target
    assert abs(found.weights.sum() - 1) < 1e-12
    assert np.abs(residual).max() <= found.radius
    # exponential form
    logs = -matrix.price(found.dual) * scale
    density = np.exp(logs - logs.max())
    np.testing.assert_allclose(found.weights, density / density.sum(), rtol=1e-9)
    # the gap between the entropy and its dual, the largest value that a dual function allows
    dual = float(logs.max() + np.log(density.sum()) + target @ found.dual + found.radius * np.abs(found.dual).sum())
    assert -1e-9 < dual - found.entropy_est < 1e-7


@pytest.mark.parametrize(("name", "sizes", "degree"), FAMILIES)
@pytest.mark.parametrize("noise", [0.1, 0.01, 0.0])
def test_the_density_of_most_entropy(name: str, sizes: tuple[int, ...], degree: int, noise: float) -> None:
    family = build_family(name, Domain(sizes), degree)
    matrix = full_matrix(family)
    target = answers(family, noise=noise, seed=1)
    value = solve(matrix, target).value_est
    for relative, absolute in ((0.01, 1e-6), (0.2, 1e-4)):
        found = maximum_entropy(matrix, target, value=value, relative_slack=relative, absolute_slack=absolute)
        assert found.radius == (1 + relative) * value + absolute
        check(matrix, target, found)


@pytest.mark.parametrize(("name", "sizes", "degree"), FAMILIES)
@pytest.mark.parametrize("noise", [0.05, 0.005])
def test_a_pull_makes_it_pay_for_squares(name: str, sizes: tuple[int, ...], degree: int, noise: float) -> None:
    """Optimal for its barrier: the dual weights are the forces of the pull and of the walls on the residuals."""
    family = build_family(name, Domain(sizes), degree)
    matrix = full_matrix(family)
    target, truth = (answers(family, noise=scale, seed=4) for scale in (noise, 0.0))
    value = solve(matrix, target).value_est
    free, pulled = (
        maximum_entropy(matrix, target, value=value, absolute_slack=noise / 10, pull=pull) for pull in (0, 10)
    )
    scale = 1 / family.denominator
    residuals = [matrix.apply(found.weights) * scale - target for found in (free, pulled)]
    assert np.abs(residuals[1]).max() < pulled.radius
    assert (residuals[1] ** 2).sum() <= (residuals[0] ** 2).sum()
    assert pulled.weights.min() > 0
    logs = -matrix.price(pulled.dual) * scale
    density = np.exp(logs - logs.max())
    np.testing.assert_allclose(pulled.weights, density / density.sum(), rtol=1e-9)
    r, radius = residuals[1], pulled.radius
    force = 10 * r / radius + 2 * PULLED_BARRIER * radius * r / (radius**2 - r**2)
    np.testing.assert_allclose(force, pulled.dual, rtol=1e-6, atol=1e-6)
    errors = [float(((residual + target - truth) ** 2).sum()) for residual in residuals]
    assert errors[1] < 1.2 * errors[0]


def test_agrees_with_a_general_solver() -> None:
    family = build_family("parities", Domain((2,) * 4), 2)
    matrix = full_matrix(family)
    target = answers(family, noise=0.05, seed=2)
    found = maximum_entropy(matrix, target, value=solve(matrix, target).value_est, relative_slack=0.3)
    entries = matrix.columns_at(np.arange(matrix.columns))
    general = minimize(
        lambda h: float(h @ np.log(h)),
        found.weights * 0.5 + 0.5 / matrix.columns,
        jac=lambda h: np.log(h) + 1,
        bounds=[(1e-12, 1)] * matrix.columns,
        constraints=[
            LinearConstraint(entries, target - found.radius, target + found.radius),
            LinearConstraint(np.ones(matrix.columns), 1, 1),
        ],
        method="trust-constr",
        options={"gtol": 1e-9, "xtol": 1e-12, "maxiter": 3000},
    )
    assert np.abs(general.x - found.weights).sum() < 1e-3


def test_wide_walls_leave_the_uniform_density() -> None:
    family = build_family("parities", Domain((2,) * 5), 2)
    matrix = full_matrix(family)
    found = maximum_entropy(matrix, np.full(family.count, 0.01), value=0.0, absolute_slack=0.5)
    np.testing.assert_allclose(found.weights, 1 / 32, rtol=1e-7)


def test_every_shape_of_matrix_gives_the_same_density() -> None:
    family = build_family("parities", Domain((2,) * 9), 2)
    points = family.domain.points(np.arange(512))
    target = answers(family, noise=0.03, seed=3)
    value = solve(full_matrix(family), target).value_est
    shapes = [DenseMatrix(family, points), GridMatrix(family), ProductPointsMatrix(family, points)]
    found = [maximum_entropy(matrix, target, value=value).weights for matrix in shapes]
    for other in found[1:]:
        assert np.abs(found[0] - other).sum() < 1e-10


def test_refusals() -> None:
    family = build_family("parities", Domain((2,) * 5), 2)
    matrix = full_matrix(family)
    target = np.zeros(family.count)
    with pytest.raises(ParameterError, match="value"):
        maximum_entropy(matrix, target, value=-1.0)
    with pytest.raises(ParameterError, match="relative slack"):
        maximum_entropy(matrix, target, value=0.1, relative_slack=2.0)
    with pytest.raises(ParameterError, match="absolute slack"):
        maximum_entropy(matrix, target, value=0.0, absolute_slack=0.0)
    with pytest.raises(ParameterError, match="pull"):
        maximum_entropy(matrix, target, value=0.1, pull=-1.0)
    with pytest.raises(ParameterError, match="target"):
        maximum_entropy(matrix, target[1:], value=0.0)
