"""The exact pivot of noisy equations: its covariance entry by entry, its law by simulation, and what rounding adds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bounds.errors import ParameterError
from bounds.inference.linear_pivot import LinearPivot, joint_radius, rounding_norm
from tests.bounds.inference.linear_examples import (
    allowed_gap,
    entries_image,
    entries_variances,
    exact,
    largest_gap,
    truth,
)

COUNT = 20_000


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("public", [False, True])
def test_covariance_is_that_of_all_entries(size: int, public: bool) -> None:
    found = truth(size, noise=0.3, public=public, seed=size)
    pivot, b = found.drawn(1), np.random.default_rng(size).uniform(-2, 2, size)
    image = entries_image(b)
    wanted = image @ np.diag(entries_variances(found)) @ image.T
    told = np.array(pivot.covariance(exact([b])[0]), dtype=float)
    assert np.allclose(told, wanted, rtol=1e-9, atol=1e-12)


def test_residual_is_noise_alone() -> None:
    found = truth(3, noise=0.1)
    matrices, rights = found.draws(1, 2)
    b = found.solution
    noise = (matrices[0] - found.matrix) @ b - (rights[0] - found.right)
    told = np.array(found.pivot(matrices[0], rights[0]).residual(exact([b])[0]), dtype=float)
    assert np.allclose(told, noise, atol=1e-10)


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_distance_is_that_of_linear_algebra(seed: int, size: int) -> None:
    found = truth(size, noise=0.2, seed=seed)
    pivot, b = found.drawn(seed), np.random.default_rng(seed).uniform(-2, 2, size)
    point = exact([b])[0]
    residual = np.array(pivot.residual(point), dtype=float)
    wanted = residual @ np.linalg.solve(np.array(pivot.covariance(point), dtype=float), residual)
    told = pivot.distance_squared(point)
    assert told is not None
    assert float(told) == pytest.approx(wanted, rel=1e-6)


def test_distance_is_exact_in_one_dimension() -> None:
    pivot = LinearPivot(
        matrix=((Fraction(2),),),
        right=(Fraction(1),),
        variances=((Fraction(1, 9),),),
        right_variances=(Fraction(1, 4),),
    )
    # (2 b - 1)^2 / (b^2/9 + 1/4) at b = 3
    assert pivot.distance_squared((Fraction(3),)) == Fraction(25) / (1 + Fraction(1, 4)) == 20
    assert not pivot.contains((Fraction(3),), Fraction(447, 100))
    assert pivot.contains((Fraction(3),), Fraction(448, 100))
    assert pivot.contains((Fraction(1, 2),), Fraction(0))


def test_equations_without_noise_are_met_or_exclude() -> None:
    zero, one = Fraction(0), Fraction(1)
    pivot = LinearPivot(
        matrix=((one, zero), (zero, one)),
        right=(one, one),
        variances=((one, zero), (zero, zero)),
        right_variances=(one, zero),
    )
    assert pivot.distance_squared((zero, one)) == 1
    assert pivot.distance_squared((zero, zero)) is None
    assert not pivot.contains((zero, zero), Fraction(10**9))


def squared_distances(size: int, covariance_of: object = None, *, at_solution: bool = False) -> np.ndarray:
    """Of the true solution, over many draws with heavy noise; with another covariance where one is given."""
    found = truth(size, noise=0.5, seed=7)
    matrices, rights = found.draws(COUNT, 11)
    b = found.solution
    residual = matrices @ b - rights
    if at_solution:
        points = np.linalg.solve(matrices, rights[:, :, None])[:, :, 0]
        images = np.array([entries_image(point) for point in points[:2000]])
        spread = np.einsum("nij,j,nkj->nik", images, entries_variances(found), images)
        return np.einsum("ni,nij,nj->n", residual[:2000], np.linalg.inv(spread), residual[:2000])
    pivot = found.pivot(matrices[0], rights[0])
    spread = np.array(pivot.covariance(exact([b])[0]), dtype=float)
    if callable(covariance_of):
        spread = covariance_of(spread, found, b)
    return np.einsum("ni,ij,nj->n", residual, np.linalg.inv(spread), residual)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_law_is_chi_square(size: int) -> None:
    assert largest_gap(squared_distances(size), stats.chi2(size)) <= allowed_gap(COUNT)


def test_wrong_laws_are_noticed() -> None:
    gap = allowed_gap(COUNT)
    good = squared_distances(4)
    assert largest_gap(good, stats.chi2(3)) > gap
    assert largest_gap(good, stats.chi2(5)) > gap

    def doubled(spread: np.ndarray, found: object, b: np.ndarray) -> np.ndarray:
        return np.asarray(spread + np.diag(np.diag(found.variances) * b**2))  # type: ignore[attr-defined]

    def public_noisy(spread: np.ndarray, found: object, b: np.ndarray) -> np.ndarray:
        return np.asarray(spread + np.diag([0, 0, 0, 0.25 * b[3] ** 2]))

    assert largest_gap(squared_distances(4, doubled), stats.chi2(4)) > gap
    assert largest_gap(squared_distances(4, public_noisy), stats.chi2(4)) > gap
    assert largest_gap(squared_distances(4, at_solution=True), stats.chi2(4)) > allowed_gap(2000)


@given(st.integers(0, 10**6))
def test_rounding_stays_within_its_norm(seed: int) -> None:
    found, source = truth(3, noise=0.2, seed=seed), np.random.default_rng(seed)
    image, deviations = entries_image(source.uniform(-3, 3, 3)), np.sqrt(entries_variances(found))
    ratios = np.where(deviations > 0, source.uniform(0, 0.1, len(deviations)), 0)
    moved = image @ (source.choice([-1, 1], len(ratios)) * ratios * deviations)
    spread = image @ np.diag(deviations**2) @ image.T
    most = rounding_norm([Fraction(float(x)) for x in ratios])
    assert moved @ np.linalg.solve(spread, moved) <= float(most) ** 2 * (1 + 1e-9)


def test_radius_is_the_quantile_and_the_rounding() -> None:
    pivot = truth(3, noise=0.2).drawn(0)
    assert float(joint_radius(pivot, Fraction(1, 20))) == pytest.approx(stats.chi2.ppf(0.95, 3) ** 0.5, abs=1e-9)
    assert float(joint_radius(pivot, Fraction(1, 20))) >= stats.chi2.ppf(0.95, 3) ** 0.5
    assert rounding_norm([]) == 0


def test_shapes_are_refused() -> None:
    one = ((Fraction(1),),)
    with pytest.raises(ParameterError, match="as many as there are equations"):
        LinearPivot(matrix=one, right=(), variances=one, right_variances=())
    skew = ((Fraction(1), Fraction(2)), (Fraction(3), Fraction(1)))
    zero = ((Fraction(0),) * 2,) * 2
    with pytest.raises(ParameterError, match="symmetric"):
        LinearPivot(matrix=skew, right=(Fraction(1),) * 2, variances=zero, right_variances=(Fraction(0),) * 2)
    with pytest.raises(ParameterError, match="at least 0"):
        LinearPivot(matrix=one, right=(Fraction(1),), variances=((Fraction(-1),),), right_variances=(Fraction(0),))
