"""Minimisers with convex penalties: inside the region whenever the noise is within its radius, and not far inside."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bounds.inference.linear_pivot import LinearPivot
from bounds.inference.penalised_region import PenalisedRegion, penalised_region
from tests.bounds.inference.linear_examples import Truth, exact, truth

RADIUS = Fraction(3)


def minimiser(matrix: np.ndarray, right: np.ndarray, weight: float, lo: float, hi: float) -> np.ndarray:
    """Of b'Ab/2 - c'b + weight |b|_1 over a box, by coordinates."""
    b = np.zeros(len(right))
    for _ in range(3000):
        before = b.copy()
        for j in range(len(right)):
            pull = right[j] - matrix[j] @ b + matrix[j, j] * b[j]
            b[j] = min(max(np.sign(pull) * max(abs(pull) - weight, 0) / matrix[j, j], lo), hi)
        if np.abs(b - before).max() < 1e-14:
            break
    return b


def subgradient(pivot: LinearPivot, b: tuple[Fraction, ...], weight: float, lo: float, hi: float) -> list[Fraction]:
    """One of the penalty and the box that comes nearest to minus the residual."""
    found, size = [], Fraction(weight)
    for x, r in zip(b, pivot.residual(b), strict=True):
        low, high = (size, size) if x > 0 else (-size, -size) if x < 0 else (-size, size)
        wanted = -r
        if x > lo:
            wanted = max(wanted, low)
        if x < hi:
            wanted = min(wanted, high)
        if lo < x < hi and x != 0:
            wanted = low
        found.append(wanted)
    return found


def noise_within(pivot: LinearPivot, found: Truth, b: np.ndarray) -> bool:
    """Whether the noise of the equations at a point is within the radius."""
    noise = (np.array(pivot.matrix, dtype=float) - found.matrix) @ b
    noise -= np.array(pivot.right, dtype=float) - found.right
    spread = np.array(pivot.covariance(exact([b])[0]), dtype=float)
    return bool(noise @ np.linalg.solve(spread, noise) <= float(RADIUS) ** 2)


PENALTIES = [(0.0, -9.0, 9.0), (0.2, -9.0, 9.0), (0.0, 0.0, 9.0), (0.1, -0.25, 0.25), (5.0, -9.0, 9.0)]


@pytest.mark.share(3)
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("noise", [0.02, 0.004])
def test_the_true_minimiser_is_inside_where_the_noise_is(penalty: tuple[float, float, float], noise: float) -> None:
    found = truth(3, noise=noise, seed=2)
    real = minimiser(found.matrix, found.right, *penalty)
    told, farthest, widths = 0, np.zeros(3), np.zeros(3)
    for seed in range(30):
        pivot = found.drawn(seed)
        region = region_of(pivot, penalty)
        assert region is not None
        if not noise_within(pivot, found, real):
            continue
        told += 1
        away = real - np.array(region.point, dtype=float)
        assert (np.abs(away) <= np.array(region.widths, dtype=float) + 1e-9).all()
        image = np.abs(np.array(pivot.matrix, dtype=float) @ away)
        assert (image <= np.array(region.images, dtype=float) + 1e-9).all()
        spread = np.sqrt(np.diag(np.array(pivot.covariance(exact([real])[0]), dtype=float)))
        assert (float(RADIUS) * spread <= np.array(region.noise, dtype=float) + 1e-9).all()
        farthest, widths = np.maximum(farthest, np.abs(away)), np.maximum(widths, np.array(region.widths, dtype=float))
    assert told >= 15
    if penalty[0] == 0 and penalty[1] < 0:
        assert (widths <= (5 if noise > 0.01 else 3) * farthest + 1e-9).all()


def region_of(pivot: LinearPivot, penalty: tuple[float, float, float], moved: float = 0.0) -> PenalisedRegion | None:
    matrix, right = np.array(pivot.matrix, dtype=float), np.array(pivot.right, dtype=float)
    b = exact([minimiser(matrix, right, *penalty) + moved])[0]
    return penalised_region(pivot, RADIUS, point=b, subgradient=subgradient(pivot, b, *penalty))


def test_any_point_will_do() -> None:
    found, penalty = truth(3, noise=0.004, seed=2), PENALTIES[1]
    real, held = minimiser(found.matrix, found.right, *penalty), 0
    for seed in range(10):
        pivot = found.drawn(seed)
        region = region_of(pivot, penalty, moved=0.01)
        assert region is not None
        if noise_within(pivot, found, real):
            held += 1
            away = np.abs(real - np.array(region.point, dtype=float))
            assert (away <= np.array(region.widths, dtype=float)).all()
    assert held >= 5


def test_without_penalty_one_coefficient_has_its_closed_form() -> None:
    g, v, w = 0.8, 0.0004, 0.0009
    found = Truth(np.array([[g]]), np.array([0.4]), np.array([[v]]), np.array([w]))
    pivot = found.pivot(found.matrix, found.right)
    region = penalised_region(pivot, RADIUS, point=(Fraction(1, 2),), subgradient=(Fraction(0),))
    assert region is not None
    first = 3 * np.sqrt(v * 0.25 + w) / g
    assert first <= float(region.widths[0]) <= 1.12 * first
    assert float(region.images[0]) == pytest.approx(g * float(region.widths[0]), rel=1e-6)
    tiny = Truth(np.array([[g]]), np.array([0.4]), np.array([[v]]) * 1e-6, np.array([w]) * 1e-6)
    told = penalised_region(
        tiny.pivot(tiny.matrix, tiny.right), RADIUS, point=(Fraction(1, 2),), subgradient=(Fraction(0),)
    )
    assert told is not None
    assert float(told.widths[0]) == pytest.approx(first * 1e-3, rel=0.02)
    assert float(told.noise[0]) == pytest.approx(3e-3 * np.sqrt(v * 0.25 + w), rel=0.02)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.7])
def test_heavy_noise_is_bounded_where_its_farthest_point_is(share: float) -> None:
    """The largest d with g d = r (v (b0 + d)^2 + w)^(1/2), for r v^(1/2) a share of g: a quadratic equation."""
    g, w, b, r = 0.8, 0.01, 0.5, float(RADIUS)
    v = (share * g / r) ** 2
    found = Truth(np.array([[g]]), np.array([g * b]), np.array([[v]]), np.array([w]))
    region = penalised_region(
        found.pivot(found.matrix, found.right), RADIUS, point=(Fraction(1, 2),), subgradient=(Fraction(0),)
    )
    assert region is not None
    farthest = max(np.roots([g**2 - r**2 * v, -2 * r**2 * v * b, -(r**2) * (v * b**2 + w)]).real)
    assert farthest - 1e-6 <= float(region.widths[0]) <= (1 + 4 * share) * farthest
    assert float(region.noise[0]) >= r * np.sqrt(v * (b + farthest) ** 2 + w) - 1e-6


def test_a_weak_or_indefinite_matrix_has_no_region() -> None:
    assert region_of(truth(2, noise=2.0).drawn(0), PENALTIES[1]) is None
    indefinite = Truth(np.diag([1.0, -1.0]), np.ones(2), np.full((2, 2), 1e-6), np.full(2, 1e-6))
    pivot = indefinite.pivot(indefinite.matrix, indefinite.right)
    zero = (Fraction(0),) * 2
    assert penalised_region(pivot, RADIUS, point=zero, subgradient=zero) is None
