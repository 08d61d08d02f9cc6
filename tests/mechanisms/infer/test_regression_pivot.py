"""The pivot of one coefficient: its pieces against exact ones, its law by simulation, and the search for the ends."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, stats

from mechanisms.infer.regression.coefficient_search import search_coefficients
from mechanisms.infer.regression.float_pivot import FloatPivot
from tests.bounds.inference.linear_examples import (
    Truth,
    allowed_gap,
    entries_image,
    entries_variances,
    exact,
    largest_gap,
    truth,
)

COUNT = 20_000


def float_pivot(found: Truth, seed: int, added: float = 0.0) -> FloatPivot:
    return FloatPivot.of(found.drawn(seed), added=added * np.eye(found.size) if added else None)


def test_values_are_those_of_the_exact_pivot() -> None:
    found = truth(4, noise=0.2, seed=1)
    pivot = found.drawn(1)
    floats, points = FloatPivot.of(pivot), np.random.default_rng(1).uniform(-1, 1, (5, 4))
    for point, spread, distance in zip(points, floats.covariance(points), floats.distances(points), strict=True):
        rational = exact([point])[0]
        assert np.allclose(spread, np.array(pivot.covariance(rational), dtype=float), atol=1e-9)
        told = pivot.distance_squared(rational)
        assert told is not None
        assert distance == pytest.approx(float(told), rel=1e-6)


def test_expected_noise_leaves_nothing_that_goes_with_the_residual() -> None:
    """E is linear in the residual, and what it leaves of every entry is uncorrelated with the residual."""
    size = 3
    found = truth(size, noise=0.2, seed=4)
    floats, b = float_pivot(found, 4), np.array([0.7, -1.2, 0.4])
    image, variances = entries_image(b), entries_variances(found)
    spread = image @ np.diag(variances) @ image.T
    wanted = np.diag(variances) @ image.T @ np.linalg.inv(spread)  # of each entry on a residual
    inner = size * (size + 1) // 2
    for place in range(size):
        residual = np.eye(size)[place]
        h = np.linalg.solve(spread, residual)
        told = floats.expected_noise(b[None], h[None])[0]
        assert np.allclose(told, told.T)
        assert np.allclose(told[np.triu_indices(size)], wanted[:inner, place], atol=1e-12)


@pytest.mark.parametrize("added", [0.0, 0.05])
def test_slopes_are_those_of_differences(added: float) -> None:
    found = truth(4, noise=0.1, seed=2)
    floats = float_pivot(found, 3, added)
    source, step = np.random.default_rng(0), 1e-6
    points = floats.solution + 0.2 * source.standard_normal((6, 4))
    places = np.array([0, 1, 2, 3, 0, 1])
    distances, slopes, statistics, turns = floats.with_slopes(points, places)
    assert np.allclose(distances, floats.distances(points))
    assert np.allclose(statistics, floats.statistics(points, places))
    for j in range(4):
        moved = step * np.eye(4)[j]
        ahead, behind = points + moved, points - moved
        told = (floats.distances(ahead) - floats.distances(behind)) / (2 * step)
        assert np.allclose(told, slopes[:, j], rtol=1e-5, atol=1e-5 * np.abs(slopes).max())
        told = (floats.statistics(ahead, places) - floats.statistics(behind, places)) / (2 * step)
        assert np.allclose(told, turns[:, j], rtol=1e-5, atol=1e-5 * np.abs(turns).max())


def statistics_at_the_truth(wrong: str = "") -> np.ndarray:
    """Of one coefficient over many draws, with noise so heavy that the first order is far off."""
    found = truth(3, noise=0.45, seed=9)
    matrices, rights = found.draws(COUNT, 13)
    b, place = found.solution, 0
    pivot = FloatPivot.of(found.pivot(matrices[0], rights[0]))
    residual = matrices @ b - rights
    spread = pivot.covariance(b[None])[0]
    h = residual @ np.linalg.inv(spread)
    expected = pivot.expected_noise(np.broadcast_to(b, h.shape), h)
    if wrong == "twice on the diagonal":
        expected = expected + np.einsum("ij,nij->nij", np.eye(3), expected)
    if wrong == "noise as it is":
        expected = 0 * expected
    v = np.linalg.solve(matrices - expected, np.broadcast_to(np.eye(3)[place], h.shape)[:, :, None])[:, :, 0]
    if wrong == "at the solution":
        spread = pivot.covariance(np.linalg.solve(matrices, rights[:, :, None])[:, :, 0])
        return np.asarray((v * residual).sum(1) / np.sqrt(np.einsum("ni,nij,nj->n", v, spread, v)))
    return np.asarray((v * residual).sum(1) / np.sqrt(np.einsum("ni,ij,nj->n", v, spread, v)))


def test_statistic_is_normal_however_heavy_the_noise() -> None:
    assert largest_gap(statistics_at_the_truth(), stats.norm) <= allowed_gap(COUNT)


@pytest.mark.parametrize("wrong", ["twice on the diagonal", "noise as it is", "at the solution"])
def test_wrong_statistics_are_noticed(wrong: str) -> None:
    assert largest_gap(statistics_at_the_truth(wrong), stats.norm) > allowed_gap(COUNT)


def test_statistic_of_the_module_is_the_one_that_was_simulated() -> None:
    found = truth(3, noise=0.45, seed=9)
    matrices, rights = found.draws(COUNT, 13)
    told = statistics_at_the_truth()
    for number in range(5):
        floats = FloatPivot.of(found.pivot(matrices[number], rights[number]))
        value = floats.statistics(found.solution[None], np.array([0]))[0]
        assert value == pytest.approx(told[number], rel=1e-5)


@pytest.mark.parametrize(
    ("noise", "public", "z"), [(0.02, False, 2.0), (0.05, True, 2.0), (0.1, True, 2.0), (0.03, True, 20.0)]
)
def test_search_finds_the_ends_of_a_grid_in_two_dimensions(noise: float, public: bool, z: float) -> None:
    found = truth(2, noise=noise, public=public, seed=5)
    floats = float_pivot(found, 5)
    radius = 3.2
    told = search_coefficients(floats, places=np.arange(2), radius=radius, z=z)
    reach = 1.6 * (told.hi - told.lo).max()
    side = np.linspace(-reach, reach, 400)
    grid = floats.solution + np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    cell = side[1] - side[0]
    for place in range(2):
        distances, _, statistics, _ = floats.with_slopes(grid, np.full(len(grid), place))
        inside = grid[(distances <= radius**2) & (np.abs(statistics) <= z)][:, place]
        assert told.hi[place] == pytest.approx(inside.max(), abs=2 * cell)
        assert told.lo[place] == pytest.approx(inside.min(), abs=2 * cell)


def test_search_is_not_beaten_by_a_solver() -> None:
    found = truth(5, noise=0.04, seed=6)
    floats = float_pivot(found, 6)
    radius, z, size = 3.8, 2.0, found.size
    told = search_coefficients(floats, places=np.arange(size), radius=radius, z=z)
    deviations = floats.first_order()
    for place in (0, 3):

        def room(b: np.ndarray, place: int = place) -> np.ndarray:
            distances, _, statistics, _ = floats.with_slopes(b[None], np.array([place]))
            return np.array([1 - distances[0] / radius**2, 1 - (statistics[0] / z) ** 2])

        for sign, end in ((1, told.hi[place]), (-1, told.lo[place])):
            best = 0.0
            for seed in range(3):
                start = floats.solution + deviations * np.random.default_rng(seed).standard_normal(size)
                done = optimize.minimize(
                    lambda b, sign=sign, place=place: -sign * b[place] / deviations[place],
                    start,
                    constraints={"type": "ineq", "fun": room},
                    method="SLSQP",
                )
                if room(done.x).min() >= -1e-6:
                    best = max(best, sign * (done.x[place] - floats.solution[place]))
            assert sign * (end - floats.solution[place]) >= 0.99 * best


def test_little_noise_gives_the_first_order_at_its_quantile() -> None:
    found = truth(4, noise=1e-5, seed=8)
    floats = float_pivot(found, 8)
    told = search_coefficients(floats, places=np.arange(4), radius=4.0, z=1.7)
    assert np.allclose(told.hi - floats.solution, 1.7 * floats.first_order(), rtol=2e-3)
    assert np.allclose(floats.solution - told.lo, 1.7 * floats.first_order(), rtol=2e-3)


def test_first_order_deviations_are_those_of_the_solution() -> None:
    found = truth(3, noise=1e-3, seed=8)
    matrices, rights = found.draws(4000, 3)
    solved = np.linalg.solve(matrices, rights[:, :, None])[:, :, 0]
    floats = FloatPivot.of(found.pivot(found.matrix, found.right))
    assert np.allclose(solved.std(axis=0), floats.first_order(), rtol=0.06)


def test_a_covariance_that_is_added_widens() -> None:
    found = truth(3, noise=0.01, seed=1)
    plain, wider = float_pivot(found, 1), float_pivot(found, 1, added=1e-3)
    places = np.arange(3)
    first = search_coefficients(plain, places=places, radius=3.0, z=2.0)
    second = search_coefficients(wider, places=places, radius=3.0, z=2.0)
    assert (second.hi > first.hi).all()
    assert (second.lo < first.lo).all()
    expected = wider.first_order() / plain.first_order()
    assert np.allclose((second.hi - second.lo) / (first.hi - first.lo), expected, rtol=0.1)


def test_exact_entries_move_nothing() -> None:
    """Where all entries of G are exact, statistic and first order are one."""
    found = truth(3, noise=0.1, seed=1)
    still = Truth(found.matrix, found.right, 0 * found.variances, found.right_variances)
    floats = float_pivot(still, 2)
    point = floats.solution + 0.1
    u = np.linalg.inv(still.matrix)[1]
    wanted = u @ (still.matrix @ point - floats.right) / np.sqrt(u**2 @ found.right_variances)
    told = floats.statistics(point[None], np.array([1]))[0]
    assert told == pytest.approx(wanted, rel=1e-6)
    assert Fraction(0) == still.drawn(2).variances[0][0]
