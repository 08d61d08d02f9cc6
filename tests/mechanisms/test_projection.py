"""Information projection: every kind of statistic, the soft price, the box, denoising, and the price by the noise."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from mechanisms.projection.box import fit_box
from mechanisms.projection.curvature import Curvature, RoughCurvature
from mechanisms.projection.denoise import denoise
from mechanisms.projection.kinds import AnswerStatistics, CellStatistics, MatrixStatistics, MomentStatistics, cells_of
from mechanisms.projection.price import LADDER, _freedom, fit_by_noise
from mechanisms.projection.statistics import ChosenStatistics, JoinedStatistics, Statistics
from mechanisms.projection.tilting import fit_tilt

POINTS = 50


def every_kind() -> list[tuple[Statistics, np.ndarray]]:
    """Statistics of each kind with the matrix of their values written out, a line a point."""
    generator = np.random.default_rng(3)
    f, y = generator.uniform(-1, 1, (POINTS, 4)), generator.choice([-1.0, 1.0], POINTS)
    pairs = np.array([0, 0, 2]), np.array([0, 3, 1])
    moments = MomentStatistics(f, y, np.array([1, 3]), pairs)
    explicit = np.column_stack([y * f[:, 1], y * f[:, 3], *(f[:, i] * f[:, j] for i, j in zip(*pairs, strict=True))])
    codes = generator.integers(0, 3, (2, POINTS))
    cells = CellStatistics(np.stack([codes[0].astype(np.int32), cells_of(codes, (3, 4)) + 3]), 15)
    table = np.zeros((POINTS, 15))
    table[np.arange(POINTS), codes[0]] = table[np.arange(POINTS), 3 + 4 * codes[0] + codes[1]] = 1
    met, line, starts = generator.random((3, POINTS)) < 0.4, np.array([1, 0, 1]), np.array([0, 4, 7, 11])
    answers = AnswerStatistics(met, codes, line, starts)
    asked = np.zeros((POINTS, 11))
    for query in range(3):
        asked[np.arange(POINTS), starts[query] + codes[line[query]]] = met[query]
    matrix = generator.standard_normal((POINTS, 3))
    kinds = [(moments, explicit), (cells, table), (answers, asked), (MatrixStatistics(matrix), matrix)]
    whole = JoinedStatistics([statistics for statistics, _ in kinds]), np.column_stack([values for _, values in kinds])
    chosen = np.array([0, 7, 25, 30])
    return [*kinds, whole, (ChosenStatistics(whole[0], chosen), whole[1][:, chosen])]


@pytest.mark.parametrize("kind", range(6))
def test_statistics_are_those_of_their_matrix(kind: int) -> None:
    statistics, matrix = every_kind()[kind]
    generator = np.random.default_rng(4)
    theta, weights = generator.standard_normal(matrix.shape[1]), generator.random(POINTS)
    places = np.array([3, 17, 17, 0])
    assert (statistics.points, statistics.count) == matrix.shape
    np.testing.assert_allclose(statistics.combined(theta), matrix @ theta, atol=1e-12)
    np.testing.assert_allclose(statistics.means(weights), weights @ matrix, atol=1e-12)
    np.testing.assert_allclose(statistics.squares(weights), weights @ matrix**2, atol=1e-12)
    np.testing.assert_allclose(statistics.values(places), matrix[places].T, atol=0)
    np.testing.assert_allclose(statistics.gram(weights), (matrix * weights[:, None]).T @ matrix, atol=1e-12)
    np.testing.assert_allclose(statistics.ranges(), (matrix.min(axis=0), matrix.max(axis=0)), atol=0)


def reachable(count: int = 4, points: int = 30) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Statistics, base weights, and means that some positive weights have."""
    generator = np.random.default_rng(5)
    matrix = generator.random((points, count))
    base = generator.random(points)
    real = base * np.exp(matrix @ generator.standard_normal(count))
    return matrix, base / base.sum(), real / real.sum() @ matrix


def exact_projection(matrix: np.ndarray, base: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Newton's method on the dual with 60 digits."""
    with mpmath.workdps(60):
        values = [
            [mpmath.mpf(float(x)) - mpmath.mpf(float(a)) for x, a in zip(row, targets, strict=True)] for row in matrix
        ]
        theta = mpmath.zeros(len(targets), 1)
        for _ in range(30):
            raw = [
                mpmath.mpf(float(b)) * mpmath.exp(mpmath.fdot(row, theta)) for b, row in zip(base, values, strict=True)
            ]
            weights = [w / mpmath.fsum(raw) for w in raw]
            k = range(len(targets))
            means = mpmath.matrix([mpmath.fsum(w * row[i] for w, row in zip(weights, values, strict=True)) for i in k])
            curvature = mpmath.matrix(len(targets))
            for i in k:
                for j in k:
                    product = mpmath.fsum(w * row[i] * row[j] for w, row in zip(weights, values, strict=True))
                    curvature[i, j] = product - means[i] * means[j]
            theta -= mpmath.lu_solve(curvature, means)
        assert max(abs(m) for m in means) < mpmath.mpf(10) ** -50
        return np.array([float(w) for w in weights])


def test_where_weights_reach_the_targets_they_are_the_exact_projection() -> None:
    matrix, base, targets = reachable()
    exact = exact_projection(matrix, base, targets)
    boxed = fit_box(MatrixStatistics(matrix), targets, 0.0, base=base)
    assert boxed.settled
    assert np.abs(boxed.weights - exact).sum() < 1e-10
    soft = fit_tilt(MatrixStatistics(matrix), targets, np.full(4, 1e-3), base=base, strength=1e-6)
    assert np.abs(soft.weights - exact).sum() < 1e-8


@pytest.mark.parametrize("gamma", [1e-5, 0.01, 0.05, 0.5])
def test_the_box_holds_and_no_weights_in_it_are_nearer(gamma: float) -> None:
    matrix, base, targets = reachable()
    found = fit_box(MatrixStatistics(matrix), targets, gamma, base=base)
    assert found.settled
    assert np.abs(found.residuals).max() <= gamma + 1e-9
    divergence = found.weights @ np.log(found.weights / base)
    # the dual's value is a bound on the divergence of all weights in the box
    raw = base * np.exp((matrix - targets) @ found.theta)
    assert divergence == pytest.approx(-np.log(raw.sum()) - gamma * np.abs(found.theta).sum(), abs=1e-9)
    if gamma == 0.5:
        np.testing.assert_allclose(found.weights, base, atol=1e-12)


def test_a_box_out_of_reach_does_not_settle() -> None:
    matrix, base, targets = reachable()
    for off in (0.5, 5.0):
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            assert not fit_box(MatrixStatistics(matrix), targets + off, 1e-5, base=base).settled


def test_denoised_targets_are_the_nearest_ones_in_the_hull() -> None:
    matrix, _, targets = reachable()
    sds = np.array([0.01, 0.02, 0.03, 0.04])
    inside = denoise(MatrixStatistics(matrix), targets, sds)
    np.testing.assert_array_equal(inside.targets, targets)
    assert inside.distance_sd == 0
    outside = targets + np.array([0.9, 0, -0.4, 0])
    found = denoise(MatrixStatistics(matrix), outside, sds)
    seen = ((matrix - outside) / sds).T
    weights, _ = nnls(np.vstack([seen, np.full(len(matrix), 50.0)]), np.append(np.zeros(4), 50.0))
    nearest = seen @ (weights / weights.sum())
    assert found.distance_sd == pytest.approx(np.linalg.norm(nearest), rel=1e-6)
    np.testing.assert_allclose(found.targets, outside + sds * nearest, atol=1e-6)


def test_weights_do_not_depend_on_how_steps_are_found() -> None:
    matrix, base, targets = reachable(count=12, points=400)
    given = MatrixStatistics(matrix), targets, np.full(12, 0.01)
    formed = fit_tilt(*given, base=base, strength=100)
    for rough in (None, RoughCurvature(given[0], base)):
        other = fit_tilt(*given, base=base, strength=100, dense=0, rough=rough)
        assert np.abs(other.weights - formed.weights).sum() < 1e-3
        assert other.settled


def test_degrees_of_freedom_are_how_much_the_fit_follows_its_targets() -> None:
    matrix, base, targets = reachable(count=6, points=200)
    statistics, sds = MatrixStatistics(matrix), np.full(6, 0.02)
    ridge = 50 * sds**2

    def means(wanted: np.ndarray) -> np.ndarray:
        return statistics.means(fit_tilt(statistics, wanted, sds, base=base, strength=50).weights)

    step = 1e-5
    followed = sum(
        (means(targets + step * unit) - means(targets - step * unit)) @ unit / (2 * step) for unit in np.eye(6)
    )
    weights = fit_tilt(statistics, targets, sds, base=base, strength=50).weights
    assert _freedom(statistics, weights, ridge, 100, None) == pytest.approx(followed, rel=1e-5)
    probed = _freedom(statistics, weights, ridge, 0, None)
    assert probed == pytest.approx(followed, rel=0.3)
    curvature = Curvature(statistics, weights, ridge)
    np.testing.assert_allclose(curvature.times(curvature.solved(targets, forcing=1e-9)), targets, rtol=1e-6)


def test_the_price_by_the_noise_is_nearly_the_best_there_is() -> None:
    """Over several draws of the noise; the real statistics are known here, and to nobody else."""
    generator = np.random.default_rng(7)
    matrix, base, real = reachable(count=20, points=500)
    statistics, sds = MatrixStatistics(matrix), np.full(20, 0.03)
    by_price: dict[float, list[float]] = {float(strength): [] for strength in LADDER}
    chosen, estimated = [], []
    for _ in range(20):
        noisy = real + sds * generator.standard_normal(20)
        for strength, errors in by_price.items():
            tilt = fit_tilt(statistics, noisy, sds, base=base, strength=strength)
            errors.append(float(np.mean(((statistics.means(tilt.weights) - real) / sds) ** 2)))
        found = fit_by_noise(statistics, noisy, sds, base=base, dense=100)
        chosen.append(float(np.mean(((statistics.means(found.tilt.weights) - real) / sds) ** 2)))
        estimated.append(found.error_est)
    best = min(np.mean(errors) for errors in by_price.values())
    assert np.mean(chosen) <= 1.25 * best
    assert np.mean(chosen) < 0.5 * np.mean(by_price[float(LADDER[-1])])
    assert abs(np.mean(estimated) - np.mean(chosen)) < 0.3


def test_a_base_within_the_noise_stays_as_it_is() -> None:
    matrix, base, _ = reachable()
    found = fit_by_noise(MatrixStatistics(matrix), base @ matrix, np.full(4, 0.1), base=base, dense=100)
    np.testing.assert_array_equal(found.tilt.weights, base)
    assert found.strength == np.inf


def test_a_general_minimiser_finds_the_same_box() -> None:
    matrix, base, targets = reachable(count=3, points=8)
    gamma = 0.01
    found = fit_box(MatrixStatistics(matrix), targets, gamma, base=base)
    limits = [
        {"type": "ineq", "fun": lambda w, s=s: gamma - s * (w @ matrix - targets)}  # type: ignore[misc]
        for s in (-1, 1)
    ]
    other = minimize(
        lambda w: w @ np.log(np.maximum(w, 1e-12) / base),
        base,
        bounds=[(1e-9, 1)] * 8,
        constraints=[{"type": "eq", "fun": lambda w: w.sum() - 1}, *limits],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    np.testing.assert_allclose(found.weights, other.x, atol=1e-4)
