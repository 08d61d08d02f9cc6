"""Regressions asked of whole releases: true coefficients inside, little noise leaves little, and what has no answer."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from bounds.errors import DataError, NotApplicable, ParameterError, UsageError
from mechanisms.infer.noisy_matrix import noisy_matrix
from mechanisms.infer.regression.answer import RegressionAnswer
from mechanisms.infer.regression.ask import coefficients_from_release
from mechanisms.infer.regression.design import design_of
from mechanisms.infer.regression.equation import equations
from mechanisms.infer.regression.explained import explained_share
from mechanisms.models.train.newton import train
from release.data.columns import BINS, LevelColumn, NumberColumn
from release.data.schema import Schema
from release.moments.file import MomentRelease
from release.moments.make import make_release
from release.statistics.features import FeatureMap, build_feature_map
from tests.moment_examples import feature_map, table

N = 4000
EXACT = 1000
"""Of epsilon: little noise."""


@cache
def release(
    *, epsilon: int = 8, adjacency: str = "replace-one", seed: int = 0, label: str = "pays", n: int = N
) -> MomentRelease:
    features = build_feature_map(feature_map().schema, label=label, one_hot=("town",))
    return make_release(
        table(n),
        features,
        epsilon=epsilon,
        dp_delta="1e-6",
        adjacency=adjacency,
        mode="simulate",
        n0=n - 10 if adjacency == "add-remove" else None,
        seed=seed,
    )


def real(features: FeatureMap, answer: RegressionAnswer, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Regressors and response of every record."""
    codes = table(n)
    whole = np.column_stack([features.features(codes) / features.one, features.labels(codes) / features.label_one])
    names = [*features.names, features.label]
    return whole[:, [names.index(name) for name in answer.names]], whole[:, names.index(answer.response)]


def solved(answer: RegressionAnswer, n: int = N) -> np.ndarray:
    """The least squares coefficients of the table itself."""
    x, y = real(answer.release.feature_map, answer, n)
    ridge = float(answer.ridge) * answer.release.feature_map.squared_norm
    return np.asarray(np.linalg.solve(x.T @ x / n + ridge * np.eye(x.shape[1]), x.T @ y / n))


FORMULAS = ("pays ~ .", "pays ~ age + owns - 1", "owns ~ age + pays", "town=west ~ age + size")


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_little_noise_leaves_the_coefficients_of_the_table(formula: str, adjacency: str) -> None:
    if adjacency == "add-remove" and formula == "owns ~ age + pays":
        formula = "owns ~ age"
    found = coefficients_from_release(release(epsilon=EXACT, adjacency=adjacency), formula)
    wanted = solved(found)
    assert found.is_bounded
    for j, name in enumerate(found.names):
        alone, joint, population = found.coefficients[j], found.joint[j], found.population[j]
        assert (alone.name, joint.name, population.name) == (name, f"{name}, all at once", f"{name}, population")
        deviation = found.first_order[j].deviation
        assert alone.estimate == pytest.approx(wanted[j], abs=6 * deviation)
        assert deviation < 1e-3
        for one in (alone, joint, population):
            assert one.lo is not None
            assert one.hi is not None
            assert float(one.lo) - 4 * deviation <= wanted[j] <= float(one.hi) + 4 * deviation
        assert alone.width == pytest.approx(2 * 2.00465 * deviation, rel=0.02)
        assert joint.width is not None
        assert alone.width < joint.width < 2.2 * alone.width
        assert population.width_without_privacy == pytest.approx(population.width, rel=0.08)


def test_kinds_and_levels_are_told() -> None:
    found = coefficients_from_release(release(), "pays ~ age + owns", level=Fraction(9, 10))
    kinds = {(one.about, one.kind, one.is_certified, one.simultaneous) for one in found.conclusions}
    assert kinds == {
        ("table", "exact", False, False),
        ("table", "exact", True, True),
        ("table", "asymptotic", False, False),
        ("table", "exact", True, False),
        ("population", "asymptotic", False, False),
    }
    assert {one.level for one in found.conclusions} == {Fraction(9, 10)}
    assert [one.name for one in found.conclusions[:5]] == [
        "age",
        "owns",
        "intercept",
        "R squared",
        "R squared, certified",
    ]
    assert found.conclusions[0] is found.coefficients[0]
    assert found.is_simulated


def test_joint_intervals_have_all_true_coefficients() -> None:
    inside, alone = 0, 0
    for seed in range(16):
        found = coefficients_from_release(release(epsilon=2, seed=seed), "pays ~ age + owns + size")
        wanted = solved(found)
        assert found.is_bounded
        inside += all(float(j.lo or 0) <= w <= float(j.hi or 0) for j, w in zip(found.joint, wanted, strict=True))
        alone += sum(float(j.lo or 0) <= w <= float(j.hi or 0) for j, w in zip(found.coefficients, wanted, strict=True))
        assert found.certain == sum(one.sign != 0 for one in found.joint)
    # binomial tails at the nominal .95: below 1e-6
    assert inside >= 9
    assert alone >= 46


@pytest.mark.parametrize("ridge", ["0.01", "1"])
def test_ridge_is_that_of_train(ridge: str) -> None:
    found = coefficients_from_release(release(epsilon=EXACT), "pays ~ .", ridge=Fraction(ridge))
    features = found.release.feature_map
    assert found.names == features.names
    assert found.references == ()
    assert found.population == ()
    assert found.explained == ()
    x, y = real(features, found)
    trained = train(x, y, squared_norm=features.squared_norm, loss="squared", ridge=Fraction(ridge)).coefficients
    assert np.allclose([one.estimate for one in found.coefficients], solved(found), atol=3e-3)
    assert np.allclose(np.array(trained, dtype=float), solved(found), atol=1e-5)


def test_a_ridge_needs_a_public_size() -> None:
    with pytest.raises(NotApplicable, match="must be 0 under add-remove"):
        coefficients_from_release(release(adjacency="add-remove"), "pays ~ age", ridge=Fraction(1))


@pytest.mark.parametrize(
    ("formula", "adjacency"),
    [("pays ~ .", "replace-one"), ("pays ~ .", "add-remove"), ("age ~ owns + size", "replace-one")],
)
def test_r_squared_is_that_of_the_table(formula: str, adjacency: str) -> None:
    found = coefficients_from_release(release(epsilon=EXACT, adjacency=adjacency), formula)
    x, y = real(found.release.feature_map, found)
    residual = y - x @ solved(found)
    wanted = 1 - residual.var() / y.var()
    for one, most in zip(found.explained, (4e-3, 1e-2), strict=True):
        assert one.lo is not None
        assert one.hi is not None
        assert float(one.lo) - 1e-3 <= wanted <= float(one.hi) + 1e-3
        assert float(one.hi - one.lo) < most


def test_r_squared_without_an_intercept_is_about_zero() -> None:
    found = coefficients_from_release(release(epsilon=EXACT), "pays ~ age + owns - 1")
    x, y = real(found.release.feature_map, found)
    wanted = 1 - ((y - x @ solved(found)) ** 2).mean() / (y**2).mean()
    assert found.explained[0].estimate == pytest.approx(wanted, abs=3e-3)


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_r_squared_first_order_has_the_deviation_that_it_says(adjacency: str) -> None:
    told, half = [], []
    for seed in range(60):
        made = release(epsilon=30, seed=seed, adjacency=adjacency)
        matrix = noisy_matrix(made)
        design = design_of("pays ~ age", made.feature_map, matrix)
        pivot = equations(matrix, response=design.response_place, regressors=design.places)
        one = explained_share(matrix, design, pivot, Fraction(3, 4), is_bounded=True)[0]
        assert one.estimate is not None
        told.append(one.estimate)
        half.append((one.width or 0) / 2 / 1.1503)
    # 60 draws: the ratio of deviations is within .6 and 1.5 but for a probability below 1e-5
    assert 0.6 < np.std(told) / np.mean(half) < 1.5


def number_release(epsilon: int) -> MomentRelease:
    features = build_feature_map(feature_map().schema, label="age", one_hot=("town",))
    return make_release(
        table(N), features, epsilon=epsilon, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=4
    )


def test_a_label_that_is_a_number_is_explained() -> None:
    found = coefficients_from_release(number_release(EXACT), "age ~ owns + size")
    assert found.explained == ()
    assert np.allclose([one.estimate for one in found.coefficients], solved(found), atol=3e-3)
    assert "taken to be 1" in found.population[0].note
    owns = found.units[0]
    assert owns is not None
    codes = table(N)
    pairs = np.column_stack([codes[:, 3], codes[:, 4] * 2 + 1, np.ones(N)])
    usual = np.linalg.lstsq(pairs, codes[:, 0] * 10.0 + 5, rcond=None)[0]
    assert float(owns.factor) * (found.coefficients[0].estimate or 0) == pytest.approx(usual[0], abs=0.05)
    size = found.units[1]
    assert size is not None
    assert float(size.factor) * (found.coefficients[1].estimate or 0) == pytest.approx(usual[1], abs=0.05)


def test_a_label_that_is_a_number_explains_nothing() -> None:
    with pytest.raises(UsageError, match="can be explained but explains nothing"):
        coefficients_from_release(number_release(8), "owns ~ age")
    found = coefficients_from_release(number_release(8), "owns ~ .")
    assert "age" not in found.names
    assert "the dot leaves age out" in found.notes[0]


def twin_release() -> MomentRelease:
    """Two columns that always agree, and two that differ by chance."""
    columns = tuple(LevelColumn(name, ("0", "1")) for name in ("a", "b", "c", "y"))
    source = np.random.default_rng(0)
    a, c = source.integers(0, 2, (2, N))
    y = (source.random(N) < 0.3 + 0.4 * a).astype(int)
    codes = np.column_stack([a, a, c, y]).astype(np.uint8)
    features = build_feature_map(Schema(columns, "public"), label="y")
    return make_release(codes, features, epsilon=1, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=2)


def test_a_singular_design_has_no_ends_and_says_what_to_drop() -> None:
    found = coefficients_from_release(twin_release(), "y ~ .")
    assert not found.is_bounded
    assert found.weakness is not None
    assert found.weakness.drop in (("a",), ("b",))
    assert found.weakness.signal < found.weakness.needed
    assert abs(np.array(found.weakness.direction) @ np.array([1, -1, 0, 0])) > 1.3
    for one in (*found.coefficients, *found.joint, *found.population, *found.explained):
        assert one.lo is None
        assert one.hi is None
        assert one.note
    kept = coefficients_from_release(twin_release(), f"y ~ . - {found.weakness.drop[0]}")
    assert kept.is_bounded
    assert coefficients_from_release(twin_release(), "y ~ .", ridge=Fraction(1, 10)).is_bounded


def test_equations_that_are_public_are_refused() -> None:
    with pytest.raises(NotApplicable, match="public or singular"):
        coefficients_from_release(release(), "town=west ~ town=north - 1")


def test_exact_equations_leave_the_noise_of_the_right_side() -> None:
    found = coefficients_from_release(release(), "pays ~ owns - 1")
    assert found.is_bounded
    deviation = found.release.deviations.first / (N * found.release.feature_map.one)
    assert found.joint[0].width == pytest.approx(2 * 1.959964 * float(deviation), rel=1e-3)
    assert found.coefficients[0].width == pytest.approx(2 * 2.00465 * float(deviation), rel=1e-3)


def test_bad_levels_are_refused() -> None:
    for level in (Fraction(1), Fraction(1, 3)):
        with pytest.raises(ParameterError, match="level"):
            coefficients_from_release(release(), "pays ~ age", level=level)


def test_a_least_size_that_cannot_be_true_is_refused() -> None:
    columns = (
        LevelColumn("a", ("0", "1")),
        NumberColumn("b", BINS, 3, (Fraction(0), Fraction(1))),
        LevelColumn("y", ("0", "1")),
    )
    features = build_feature_map(Schema(columns, "public"), label="y")
    codes = np.zeros((50, 3), dtype=np.uint8)
    made = make_release(
        codes, features, epsilon=8, dp_delta="1e-6", adjacency="add-remove", n0=5000, mode="simulate", seed=1
    )
    with pytest.raises(DataError, match="nothing can be certified"):
        coefficients_from_release(made, "y ~ a")
