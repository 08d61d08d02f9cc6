"""The region around a confidence set: it contains the set, is little larger, and reports where the set is unbounded."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from bounds.enclosure import Undecided, precision
from bounds.inference.balls import (
    ball,
    ball_matrix,
    column,
    is_positive_definite,
    largest_over_ellipsoid,
    largest_ratio,
    solve_definite,
)
from bounds.inference.linear_explained import explained_square
from bounds.inference.linear_pivot import LinearPivot, joint_radius
from bounds.inference.linear_region import Bounded, Unbounded, surround
from bounds.inference.scales import scalings, weakest_direction
from tests.bounds.inference.linear_examples import Truth, exact, truth

RADIUS = Fraction(5, 2)


def distance(pivot: LinearPivot, b: np.ndarray) -> float:
    found = pivot.distance_squared(exact([b])[0])
    return np.inf if found is None else float(found)


def edge_points(pivot: LinearPivot, center: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Points of the set nearly as far from its center as can be, in random directions; checked exactly."""
    source = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        direction = source.standard_normal(len(center))
        low, high = 0.0, 1e-3
        while distance(pivot, center + high * direction) <= RADIUS**2 and high < 1e3:
            low, high = high, 2 * high
        for _ in range(12):
            middle = (low + high) / 2
            inside = distance(pivot, center + middle * direction) <= RADIUS**2
            low, high = (middle, high) if inside else (low, middle)
        found.append(center + low * direction)
    return np.array(found)


def test_elimination_passes_balls_whose_midpoint_is_zero() -> None:
    with precision(128):
        right = column([arb(1), arb(0, 1e-30)])
        assert solve_definite(ball_matrix([[2, 0], [0, 1]]), right).contains(arb(1) / 2)
        assert solve_definite(ball_matrix([[2, 0], [0, 1]]), right) < 0.51


@pytest.mark.share(3)
@pytest.mark.parametrize(("size", "noise"), [(1, 0.1), (2, 0.03), (3, 0.03), (4, 0.02), (3, 0.001)])
def test_all_points_of_the_set_lie_inside(size: int, noise: float) -> None:
    for seed in range(4):
        pivot = truth(size, noise=noise, seed=seed).drawn(seed)
        found = surround(pivot, RADIUS)
        assert isinstance(found, Bounded)
        lo, hi = np.array(found.lo, dtype=float), np.array(found.hi, dtype=float)
        points = edge_points(pivot, np.array(found.center), 40, seed)
        assert (points >= lo).all()
        assert (points <= hi).all()
        assert all(pivot.contains(exact([point])[0], RADIUS + Fraction(1, 10**6)) for point in points)


def farthest(pivot: LinearPivot, center: np.ndarray, place: int, sign: int) -> float:
    """The largest or least coefficient that a search finds in the set."""
    matrix, right = np.array(pivot.matrix, dtype=float), np.array(pivot.right, dtype=float)
    v, w = np.array(pivot.variances, dtype=float), np.array(pivot.right_variances, dtype=float)

    def room(b: np.ndarray) -> float:
        spread = v * np.outer(b, b)
        spread[np.diag_indices_from(spread)] = v @ b**2 + w
        residual = matrix @ b - right
        return float(RADIUS**2) - float(residual @ np.linalg.solve(spread, residual))

    best = center[place]
    for start in edge_points(pivot, center, 6, place):
        done = optimize.minimize(
            lambda b: -sign * b[place], start, constraints={"type": "ineq", "fun": room}, method="SLSQP"
        )
        if room(done.x) >= -1e-7:
            best = sign * max(sign * best, sign * done.x[place])
    return float(best)


@pytest.mark.parametrize(("noise", "excess"), [(0.03, 1.35), (0.0003, 1.02)])
def test_ends_are_near_those_of_the_set(noise: float, excess: float) -> None:
    pivot = truth(3, noise=noise, seed=3).drawn(3)
    found = surround(pivot, RADIUS)
    assert isinstance(found, Bounded)
    center = np.array(found.center)
    for place in range(3):
        for sign, end in ((1, float(found.hi[place])), (-1, float(found.lo[place]))):
            reached = abs(farthest(pivot, center, place, sign) - center[place])
            assert reached <= abs(end - center[place]) <= excess * reached


def fieller(g: float, m: float, v: float, w: float, q: float) -> tuple[float, float]:
    """The roots of (g b - m)^2 = q (v b^2 + w)."""
    return tuple(sorted(np.roots([g**2 - q * v, -2 * g * m, m**2 - q * w]).real))


@given(st.integers(0, 10**6))
def test_one_coefficient_has_its_closed_form(seed: int) -> None:
    source = np.random.default_rng(seed)
    g, m, v, w = source.uniform(0.5, 2), source.uniform(-2, 2), source.uniform(0.001, 0.2), source.uniform(0.001, 0.2)
    found = Truth(np.array([[g]]), np.array([m]), np.array([[v]]), np.array([w]))
    pivot = found.pivot(found.matrix, found.right)
    told, q = surround(pivot, RADIUS), float(RADIUS) ** 2
    if abs(g**2 - q * v) > 1e-3 * q * v:
        assert pivot.recedes((Fraction(1),), RADIUS) == (g**2 < q * v)
    if g**2 > 1.001 * q * v:
        assert isinstance(told, Bounded)
        lo, hi = fieller(g, m, v, w, q)
        slack = 0.03 * (hi - lo) + 1e-9
        assert float(told.lo[0]) <= lo + 1e-6
        assert float(told.hi[0]) >= hi - 1e-6
        if g**2 > 2 * q * v:
            assert float(told.hi[0]) - float(told.lo[0]) <= 2 * (max(hi - m / g, m / g - lo) + slack)
    elif g**2 < 0.999 * q * v:
        assert isinstance(told, Unbounded)
        assert told.is_proved
        assert told.direction == (1.0,)
        assert pivot.contains((Fraction(10**12),), RADIUS)


def test_a_singular_design_has_no_bounds_and_says_where() -> None:
    matrix = np.array([[1.0, 1.0, 0.1], [1.0, 1.0, 0.1], [0.1, 0.1, 1.0]])
    noise = np.full((3, 3), 0.02) ** 2
    found = Truth(matrix, np.array([0.5, 0.5, 0.2]), noise, np.full(3, 0.02) ** 2)
    pivot = found.drawn(5)
    told = surround(pivot, RADIUS)
    assert isinstance(told, Unbounded)
    assert told.is_proved
    assert np.abs(told.direction @ np.array([1, -1, 0]) / np.sqrt(2)) > 0.97
    far = exact([np.array(told.direction) * 1e5])[0]
    assert pivot.contains(far, RADIUS + Fraction(1, 100))


def test_equations_without_solution_have_no_bounds() -> None:
    zero, one = Fraction(0), Fraction(1)
    noise = ((one, zero), (zero, one))
    pivot = LinearPivot(
        matrix=((zero, zero), (zero, zero)), right=(one, one), variances=noise, right_variances=(one, one)
    )
    assert isinstance(surround(pivot, RADIUS), Unbounded)


def test_rounding_makes_the_set_larger() -> None:
    pivot = truth(2, noise=0.05).drawn(0)
    rounded = LinearPivot(**{**vars(pivot), "rounding": Fraction(1, 10)})
    failure = Fraction(1, 20)
    plain, wider = surround(pivot, joint_radius(pivot, failure)), surround(rounded, joint_radius(rounded, failure))
    assert isinstance(plain, Bounded)
    assert isinstance(wider, Bounded)
    assert all(a < b for a, b in zip(wider.lo, plain.lo, strict=True))
    assert all(a > b for a, b in zip(wider.hi, plain.hi, strict=True))


def are_valid(pivot: LinearPivot, scales: tuple[Fraction, ...]) -> bool:
    """As `bounds.inference.scales` says, exactly."""
    v, p = pivot.variances, pivot.size
    return all(
        v[i][k] <= (scales[i] ** 2 if i == k else scales[i] * scales[k] / 2) for i in range(p) for k in range(i + 1)
    )


@given(st.integers(0, 10**6), st.integers(1, 5))
def test_scales_are_valid_and_bound_the_covariance(seed: int, size: int) -> None:
    pivot = truth(size, noise=0.2, seed=seed).drawn(seed)
    b = np.random.default_rng(seed).uniform(-3, 3, size)
    spread = np.array(pivot.spread(exact([b])[0]), dtype=float)
    for scales in scalings(pivot):
        assert are_valid(pivot, scales)
        a = np.array(scales, dtype=float)
        gap = np.diag(a) * (a @ b**2) - spread
        assert np.linalg.eigvalsh(gap).min() >= -1e-9 * np.abs(gap).max()


def test_scales_that_are_too_small_are_told() -> None:
    pivot = truth(3, noise=0.2).drawn(0)
    assert not are_valid(pivot, tuple(x * Fraction(99, 100) for x in scalings(pivot)[0]))


def test_weakest_direction_is_the_least_eigenvector_where_noise_is_even() -> None:
    matrix = np.diag([1.0, 0.1, 2.0])
    found = Truth(matrix, np.ones(3), np.full((3, 3), 0.005) + np.eye(3) * 0.005, np.full(3, 0.01))
    assert weakest_direction(found.pivot(matrix, found.right)) == (0.0, 1.0, 0.0)


def matrices(seed: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    source = np.random.default_rng(seed)
    curved, shape = source.standard_normal((2, size, size))
    return curved @ curved.T, source.standard_normal(size), shape @ shape.T + np.eye(size) / 10


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([1, -1]))
def test_largest_value_over_an_ellipsoid(seed: int, size: int, sign: int) -> None:
    curved, linear, shape = matrices(seed, size)
    curved = sign * curved
    with precision(128):
        told = largest_over_ellipsoid(
            curved=ball_matrix(exact(curved)),
            linear=column([ball(x) for x in exact([linear])[0]]),
            constant=arb(1),
            shape=ball_matrix(exact(shape)),
            squared_radius=arb(2),
        )
    points = np.random.default_rng(seed + 1).standard_normal((400, size))
    points *= (np.sqrt(2) / np.sqrt(np.einsum("ni,ij,nj->n", points, shape, points)))[:, None]
    points = np.concatenate([points, points * np.random.default_rng(seed).random((400, 1)), np.zeros((1, size))])
    values = np.einsum("ni,ij,nj->n", points, curved, points) + 2 * points @ linear + 1
    best = float(values.max())
    assert float(told) >= best - 1e-9 * (1 + abs(best))
    if size == 1:
        assert float(told) <= best + 1e-6 * (1 + abs(best)) + (0 if sign > 0 else 0.2 * abs(best))


def test_largest_ratio_is_the_largest_eigenvalue() -> None:
    curved, _, shape = matrices(2, 4)
    with precision(128):
        told = float(largest_ratio(ball_matrix(exact(curved)), ball_matrix(exact(shape))))
    wanted = float(np.linalg.eigvals(np.linalg.solve(shape, curved)).real.max())
    assert wanted <= told <= wanted * (1 + 1e-6)


def test_elimination_solves_and_proves() -> None:
    _, linear, shape = matrices(4, 3)
    with precision(128):
        right = column([ball(x) for x in exact([linear])[0]])
        told = solve_definite(ball_matrix(exact(shape)), right)
        assert float(told) == pytest.approx(linear @ np.linalg.solve(shape, linear), rel=1e-9)
        assert not is_positive_definite(ball_matrix(exact(shape - 10 * np.eye(3))))
        with pytest.raises(Undecided):
            solve_definite(ball_matrix(exact(np.zeros((3, 3)))), right)


@pytest.mark.parametrize("noise", [0.02, 0.001])
def test_what_is_explained_lies_between_its_ends(noise: float) -> None:
    failure = Fraction(1, 50)
    missed = 0
    for seed in range(20):
        found = truth(3, noise=noise, seed=seed)
        ends = explained_square(found.drawn(seed), failure=failure, set_failure=failure)
        assert ends is not None
        value = float(found.right @ found.solution)
        missed += not float(ends[0]) <= value <= float(ends[1])
        squares = found.solution**2
        twice = found.variances * (2 - np.eye(3))  # an entry off the diagonal stands twice
        deviation = np.sqrt(4 * found.right_variances @ squares + (twice * np.outer(squares, squares)).sum())
        assert float(ends[1] - ends[0]) >= 0.98 * 2 * 2.326 * deviation
        assert float(ends[1] - ends[0]) <= (12 if noise > 0.001 else 2.15 * 2.33) * deviation + 1e-9
    assert missed <= 3


def test_what_is_explained_may_be_least_at_the_ends_of_the_set() -> None:
    """With one coefficient all is closed: e = m b0 - g d^2 - N for every b of the set and N within its quantile."""
    g, m, v, w, failure = 0.8, 0.4, 0.01, 0.02, Fraction(1, 50)
    found = Truth(np.array([[g]]), np.array([m]), np.array([[v]]), np.array([w]))
    ends = explained_square(found.pivot(found.matrix, found.right), failure=failure, set_failure=failure)
    assert ends is not None
    z = 2.326348
    points = np.linspace(*fieller(g, m, v, w, z**2), 50)
    deviations = np.sqrt(v * points**4 + 4 * w * points**2)
    explained = m**2 / g - g * (points - m / g) ** 2
    assert float(ends[0]) <= (explained - z * deviations).min() + 1e-6
    assert float(ends[1]) >= (explained + z * deviations).max() - 1e-6
    assert float(ends[0]) >= (explained - z * deviations).min() - 0.5
    assert float(ends[1]) <= m**2 / g + z * deviations.max() + 0.5


def test_nothing_is_told_of_what_is_explained_where_the_set_has_no_bounds() -> None:
    pivot = truth(3, noise=3.0).drawn(0)
    assert explained_square(pivot, failure=Fraction(1, 50), set_failure=Fraction(1, 50)) is None


def test_equations_without_noise_at_their_solution_have_it_alone() -> None:
    """All right sides are public zeros: the set is 0, and nothing is divided by the noise there."""
    noise = Fraction(1, 10**4)
    pivot = LinearPivot(
        matrix=((Fraction(1), Fraction(1, 4)), (Fraction(1, 4), Fraction(1))),
        right=(Fraction(0), Fraction(0)),
        variances=((noise, noise), (noise, noise)),
        right_variances=(Fraction(0), Fraction(0)),
    )
    found = surround(pivot, Fraction(2))
    assert isinstance(found, Bounded)
    assert not any((*found.lo, *found.hi))
    assert not pivot.contains((Fraction(1, 100), Fraction(0)), Fraction(2))
    far = surround(pivot, Fraction(100))
    assert isinstance(far, Unbounded)
    assert far.is_proved
