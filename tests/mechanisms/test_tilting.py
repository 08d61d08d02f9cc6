"""Synthetic tables from noisy moments: maximum-entropy weights, the product base, rows in proportion to weights."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from bounds.errors import NotApplicable, ParameterError
from mechanisms.models.train.synthetic import column_distribution, synthetic_rows, tilted_points
from mechanisms.models.train.targets import MomentTargets, release_targets
from mechanisms.projection import tilting
from mechanisms.projection.kinds import MomentStatistics
from mechanisms.projection.tilting import STRENGTH, fit_tilt
from release.data.columns import LevelColumn
from release.data.schema import Schema
from release.statistics.features import build_feature_map
from tests.moment_examples import SCHEMA, feature_map, table, targets


def small_statistics(rows: int = 40, seed: int = 1) -> tuple[MomentStatistics, np.ndarray]:
    """Statistics at random points, and the matrix of all their values, written out."""
    generator = np.random.default_rng(seed)
    f = np.column_stack([generator.uniform(-1, 1, (rows, 3)), np.ones(rows)])
    y = generator.choice([-1.0, 1.0], rows)
    pairs = (np.array([0, 0, 1, 2, 2]), np.array([0, 1, 3, 2, 3]))
    explicit = np.column_stack([y[:, None] * f[:, [0, 3]], *(f[:, i] * f[:, j] for i, j in zip(*pairs, strict=True))])
    return MomentStatistics(f, y, np.array([0, 3]), pairs), explicit


def test_statistics_without_their_matrix_are_those_of_the_matrix() -> None:
    statistics, explicit = small_statistics()
    generator = np.random.default_rng(2)
    weights, theta = generator.random(40), generator.standard_normal(7)
    assert statistics.count == explicit.shape[1] == 7
    np.testing.assert_allclose(statistics.combined(theta), explicit @ theta, atol=1e-12)
    np.testing.assert_allclose(statistics.means(weights), weights @ explicit, atol=1e-12)
    np.testing.assert_allclose(statistics.gram(weights), (explicit * weights[:, None]).T @ explicit, atol=1e-12)


def test_weights_are_those_of_a_general_minimiser() -> None:
    """The same problem, stated in the weights instead of its dual, by another method."""
    statistics, explicit = small_statistics(rows=12)
    wanted = explicit[:5].mean(axis=0)
    sds = np.full(7, 0.05)

    def primal(free: np.ndarray) -> float:
        weights = np.exp(free - free.max())
        weights /= weights.sum()
        entropy = (weights * np.log(weights * len(weights))).sum()
        return float(entropy + (((weights @ explicit - wanted) / sds) ** 2).sum() / (2 * STRENGTH))

    found = fit_tilt(statistics, wanted, sds)
    best = minimize(primal, np.zeros(12), method="BFGS", options={"gtol": 1e-9})
    assert primal(np.log(found.weights)) == pytest.approx(best.fun, abs=1e-9)
    reached = np.exp(best.x - best.x.max())
    np.testing.assert_allclose(found.weights, reached / reached.sum(), atol=1e-5)
    np.testing.assert_allclose(found.residuals_sd, -STRENGTH * sds * found.theta, atol=1e-6)


def test_base_weights_are_what_no_information_leaves() -> None:
    statistics, _ = small_statistics()
    base = np.arange(1, 41) / 820
    found = fit_tilt(statistics, np.zeros(7), np.full(7, 1e6), base=base)
    np.testing.assert_allclose(found.weights, base, rtol=1e-6)


def test_impossible_moments_are_projected() -> None:
    """A square of mean 2 does not exist for features of at most 1 in size."""
    statistics, explicit = small_statistics()
    wanted = explicit.mean(axis=0)
    wanted[2] = 2.0
    found = fit_tilt(statistics, wanted, np.full(7, 0.01))
    assert np.isfinite(found.weights).all()
    assert found.weights.sum() == pytest.approx(1)
    reached = found.weights @ explicit[:, 2]
    assert 0.9 * explicit[:, 2].max() < reached <= 1
    assert found.largest_residual_sd > 50
    assert 1 <= found.effective_size < 40


def test_single_precision_in_the_curvature_does_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    given = targets(feature_map(), table(3000), 0.003)
    double = tilted_points(given, points=2000)
    monkeypatch.setattr(tilting, "_DOUBLE_STATISTICS", 0)
    single = tilted_points(given, points=2000)
    np.testing.assert_allclose(single.weights, double.weights, atol=1e-9)


@pytest.mark.parametrize("one_hot", [False, True])
def test_points_have_the_moments_of_the_targets(one_hot: bool) -> None:
    features = feature_map(one_hot=one_hot)
    given = targets(features, table(5000), 0.002)
    points = tilted_points(given, points=5000)
    assert points.tilt.largest_residual_sd < 4  # what is left is noise that no table can have
    y, f, w = points.labels, points.features, points.weights
    assert np.abs((y * w) @ f - given.first).max() < 0.005
    fixed = np.abs(f.T @ (f * w[:, None]) - given.second) / given.second_sd
    assert np.median(fixed) < 1
    assert points.codes.shape == (5000, 5)
    assert (points.codes < np.array(SCHEMA.domain.sizes)).all()
    assert points.tilt.effective_size > 500


def test_without_noise_to_speak_of_moments_are_met() -> None:
    features = feature_map(one_hot=False)
    codes = table(5000)
    given = targets(features, codes, 1e-6)
    points = tilted_points(given, points=5000)
    f, y = features.features(codes) / features.one, features.labels(codes)
    np.testing.assert_allclose((points.labels * points.weights) @ points.features, y @ f / 5000, atol=1e-5)
    np.testing.assert_allclose(
        points.features.T @ (points.features * points.weights[:, None]), f.T @ f / 5000, atol=1e-5
    )


def test_the_same_seed_gives_the_same_points_and_another_one_others() -> None:
    given = targets(feature_map(), table(500), 0.01)
    first, again, other = (tilted_points(given, points=500, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.codes, again.codes)
    assert np.array_equal(first.weights, again.weights)
    assert np.array_equal(synthetic_rows(first, 77).codes, synthetic_rows(again, 77).codes)
    assert not np.array_equal(first.codes, other.codes)


def test_columns_of_the_base_have_most_entropy() -> None:
    features = feature_map()
    codes = table(20_000)
    given = targets(features, codes, 1e-5)
    age = column_distribution(given, 0)
    values = np.linspace(-1, 1, 7)
    assert age @ values == pytest.approx(given.second[0, -1], abs=1e-4)
    assert age @ values**2 == pytest.approx(given.second[0, 0], abs=1e-4)
    # Two moments: the logarithm is a parabola in the feature, up to the rounding of features to 2^-16.
    np.testing.assert_allclose(np.diff(np.log(age), 3), 0, atol=1e-3)
    town = column_distribution(given, 1)
    np.testing.assert_allclose(town, np.bincount(codes[:, 1]) / 20_000, atol=1e-4)


def test_impossible_marginals_become_possible_ones() -> None:
    features = feature_map()
    given = targets(features, table(100), 1e-3)
    second = given.second.copy()
    second[1:4, -1] = second[-1, 1:4] = [1.2, -0.1, -0.1]
    second[[1, 2, 3], [1, 2, 3]] = [1.2, -0.1, -0.1]
    town = column_distribution(MomentTargets(features, given.first, second, given.first_sd, given.second_sd), 1)
    assert town.sum() == pytest.approx(1)
    assert town[0] > 0.99
    assert (town >= 0).all()


@pytest.mark.parametrize("k", [1, 10, 999, 20_000])
def test_rows_are_weights_rounded_up_or_down(k: int) -> None:
    points = tilted_points(targets(feature_map(), table(2000), 0.01), points=1000)
    rows = synthetic_rows(points, k)
    assert rows.codes.shape == (k, 5)
    distinct, place = np.unique(points.codes, axis=0, return_inverse=True)
    wanted = k * np.bincount(place.ravel(), points.weights)
    drawn = np.zeros(len(distinct))
    copies = np.bincount(place.ravel())
    numbers = {row.tobytes(): i for i, row in enumerate(distinct)}
    for row in rows.codes:
        drawn[numbers[row.tobytes()]] += 1
    assert (np.abs(drawn - wanted) < copies).all()
    label = SCHEMA.names.index("pays")
    share = points.weights @ (points.codes[:, label] == 1)
    assert abs((rows.codes[:, label] == 1).sum() - k * share) <= 1


def test_more_rows_keep_closer_to_the_moments() -> None:
    points = tilted_points(targets(feature_map(), table(2000), 0.01), points=1000)
    few, many = synthetic_rows(points, 50), synthetic_rows(points, 100_000)
    assert many.largest_residual_sd < few.largest_residual_sd
    assert many.largest_residual_sd == pytest.approx(points.tilt.largest_residual_sd, abs=0.1)


def test_what_is_constant_is_not_fitted() -> None:
    """owns is two-valued, town one-hot: their squares and products within the column are known."""
    points = tilted_points(targets(feature_map(), table(500), 0.01), points=500)
    p = 7  # age, three towns, owns, size, intercept
    assert points.tilt.theta.size == p + p * (p + 1) // 2 - 1 - 1 - 3


class _Release:
    """The few attributes of a release that targets are read from."""

    feature_map = feature_map(one_hot=False)
    first = (0.5, 0, 0, 0, 0.25)
    second = tuple(tuple(1 if i == j else 0 for j in range(5)) for i in range(5))
    noise_first = 0.01
    noise_second = 0.02


def test_noise_of_a_release_in_the_scale_of_its_features() -> None:
    found = release_targets(_Release())  # type: ignore[arg-type]
    assert _Release.feature_map.squared_norm == 5
    np.testing.assert_allclose(found.first_sd, 0.01 * np.sqrt(5))
    np.testing.assert_allclose(found.second_sd.diagonal(), 0.02 * 5)
    assert found.second_sd[0, 1] == pytest.approx(0.02 * 5 / np.sqrt(2))
    assert found.first[-1] == 0.25


def test_what_cannot_be_fitted_is_refused() -> None:
    features = feature_map()
    given = targets(features, table(100), 0.01)
    with pytest.raises(ParameterError, match="points = 10: must be at least 100"):
        tilted_points(given, points=10)
    with pytest.raises(ParameterError, match="seed"):
        tilted_points(given, points=100, seed=-1)
    with pytest.raises(ParameterError, match="k = 0: must be at least 1"):
        synthetic_rows(tilted_points(given, points=100), 0)
    with pytest.raises(ParameterError, match="shape"):
        MomentTargets(features, given.first[:-1], given.second, given.first_sd, given.second_sd)
    with pytest.raises(ParameterError, match="NaN"):
        MomentTargets(features, given.first * np.nan, given.second, given.first_sd, given.second_sd)
    with pytest.raises(ParameterError, match="asymmetric"):
        MomentTargets(features, given.first, np.triu(given.second), given.first_sd, given.second_sd)
    with pytest.raises(ParameterError, match="standard deviation"):
        MomentTargets(features, given.first, given.second, given.first_sd * 0, given.second_sd)
    levels = tuple(str(i) for i in range(101))
    wide = Schema((LevelColumn("many", levels), LevelColumn("y", ("0", "1"))), "public")
    large = build_feature_map(wide, label="y", one_hot=("many",))
    p = large.size
    whole = MomentTargets(large, np.zeros(p), np.eye(p), np.ones(p), np.ones((p, p)))
    with pytest.raises(NotApplicable, match="102 features"):
        tilted_points(whole)
