"""Regressions from whole releases: true coefficients inside, short intervals with little noise, and refusals."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

from bounds.errors import DataError, NotApplicable, ParameterError, UsageError
from bounds.inference.linear_explained import explained_square
from mechanisms.infer.noisy_matrix import noisy_matrix
from mechanisms.infer.regression.answer import RegressionAnswer
from mechanisms.infer.regression.ask import coefficients_from_release
from mechanisms.infer.regression.design import design_of
from mechanisms.infer.regression.equation import equations
from mechanisms.infer.regression.explained import explained_share
from mechanisms.infer.regression.float_pivot import FloatPivot
from mechanisms.models.train.newton import train
from release.data.columns import BINS, LevelColumn, NumberColumn
from release.data.schema import Schema
from release.moments.file import MomentRelease
from release.moments.make import make_release
from release.statistics.features import FeatureMap, build_feature_map
from tests.bounds.inference.linear_examples import allowed_gap, largest_gap
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
    assert {one.note.split(";")[0] for one in found.conclusions if one.about == "population"} == {
        "asymptotic, if all residuals vary alike",
        "asymptotic, however residuals vary",
    }
    assert {one.level for one in found.conclusions} == {Fraction(9, 10)}
    assert [one.name for one in found.conclusions[:5]] == [
        "age",
        "owns",
        "intercept",
        "R squared",
        "R squared, first order",
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
    for one, most in zip(found.explained, (1e-2, 4e-3), strict=True):
        assert one.lo is not None
        assert one.hi is not None
        assert float(one.lo) - 1e-3 <= wanted <= float(one.hi) + 1e-3
        assert float(one.hi - one.lo) < most


def test_r_squared_without_an_intercept_is_about_zero() -> None:
    found = coefficients_from_release(release(epsilon=EXACT), "pays ~ age + owns - 1")
    x, y = real(found.release.feature_map, found)
    wanted = 1 - ((y - x @ solved(found)) ** 2).mean() / (y**2).mean()
    assert found.explained[0].estimate == pytest.approx(wanted, abs=3e-3)
    assert {one.name for one in found.explained} <= {"R squared, uncentred", "R squared, uncentred, first order"}


def share_of(inner: np.ndarray, right: np.ndarray, square: float | None) -> float:
    """R squared from the moments, the intercept last; without a square the response is -1 or 1."""
    count = inner[-1, -1]
    mean = right[-1] ** 2 / count
    explained = right @ np.linalg.solve(inner, right)
    return float((explained - mean) / ((count if square is None else square) - mean))


@pytest.mark.parametrize(
    ("formula", "adjacency"),
    [("pays ~ age + size", "replace-one"), ("pays ~ age + size", "add-remove"), ("age ~ owns + size", "add-remove")],
)
def test_r_squared_first_order_is_that_of_differences(formula: str, adjacency: str) -> None:
    made = release(epsilon=30, adjacency=adjacency)
    matrix = noisy_matrix(made)
    design = design_of(formula, made.feature_map, matrix)
    pivot = equations(matrix, response=design.response_place, regressors=design.places)
    told = explained_share(matrix, design, pivot, Fraction(3, 4), is_bounded=True, certified=False)[0]
    inner, right = np.array(pivot.matrix, dtype=float), np.array(pivot.right, dtype=float)
    own = (
        None
        if formula.startswith("pays") and adjacency == "add-remove"
        else matrix.entry(design.response_place, design.response_place)
    )
    square = None if own is None else float(own.value)
    assert told.estimate == pytest.approx(share_of(inner, right, square), rel=1e-9)
    step, variance, size = 1e-6, 0.0, len(right)
    for i in range(size):
        moved = step * np.eye(size)[i]
        slope = (share_of(inner, right + moved, square) - share_of(inner, right - moved, square)) / (2 * step)
        variance += slope**2 * float(pivot.right_variances[i])
        for k in range(i, size):
            shift = np.zeros((size, size))
            shift[i, k] = shift[k, i] = step
            slope = (share_of(inner + shift, right, square) - share_of(inner - shift, right, square)) / (2 * step)
            variance += slope**2 * float(pivot.variances[i][k])
    if own is not None:
        ahead, behind = (share_of(inner, right, (square or 0) + sign * step) for sign in (1, -1))
        variance += ((ahead - behind) / (2 * step)) ** 2 * float(own.deviation) ** 2
    assert (told.width or 0) / 2 == pytest.approx(1.150349 * variance**0.5, rel=1e-4)


def test_r_squared_certified_has_the_corners() -> None:
    """What is explained, the mean and the count at their ends, all recomputed."""
    made = release(epsilon=30, adjacency="add-remove")
    matrix = noisy_matrix(made)
    design = design_of("age ~ owns", made.feature_map, matrix)
    pivot = equations(matrix, response=design.response_place, regressors=design.places)
    told = explained_share(matrix, design, pivot, Fraction(19, 20), is_bounded=True)[0]
    failure = 0.05
    ends = explained_square(pivot, failure=Fraction(1, 40), set_failure=Fraction(1, 80))
    assert ends is not None
    sixteenth = stats.norm.isf(failure / 32)

    def entry_ends(i: int, j: int, z: float) -> tuple[float, float]:
        one = matrix.entry(i, j)
        return float(one.value) - z * float(one.deviation), float(one.value) + z * float(one.deviation)

    response, last = design.response_place, matrix.intercept
    square, count = entry_ends(response, response, sixteenth), entry_ends(last, last, sixteenth)
    mean = np.abs(entry_ends(response, last, stats.norm.isf(failure / 16)))
    least, most = mean.min() ** 2 / count[1], mean.max() ** 2 / max(count[0], 1)
    assert float(told.lo or 0) == pytest.approx((float(ends[0]) - most) / (square[1] - most), rel=1e-6)
    assert float(told.hi or 0) == pytest.approx((float(ends[1]) - least) / (square[0] - least), rel=1e-6)


def test_rounding_is_that_of_all_noisy_entries() -> None:
    made = release()
    matrix = noisy_matrix(made)
    design = design_of("pays ~ age + owns", made.feature_map, matrix)
    pivot = equations(matrix, response=design.response_place, regressors=design.places)
    deviations, two = made.deviations, Fraction(1, 2)
    # age squared is noisy, the squares of owns and of the intercept are public; three products, three with the label
    wanted = (two / deviations.second_diagonal) ** 2 + 3 * (two / deviations.second_off_diagonal) ** 2
    wanted += 3 * (two / deviations.first) ** 2
    assert float(pivot.rounding) == pytest.approx(float(wanted) ** 0.5, rel=1e-9)
    assert pivot.rounding > 0


def test_sampling_error_is_that_of_the_table() -> None:
    found = coefficients_from_release(release(epsilon=EXACT), "pays ~ age + owns")
    x, y = real(found.release.feature_map, found)
    residual = y - x @ solved(found)
    usual = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * (residual**2).mean())
    for one, deviation in zip(found.population, usual, strict=True):
        assert one.width_without_privacy == pytest.approx(2 * 1.959964 * deviation, rel=0.02)


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
    with pytest.raises(UsageError, match="can be explained but cannot explain anything"):
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
    # of one coefficient the set of all is the interval: no level is split
    assert found.coefficients[0].width == pytest.approx(2 * 1.959964 * float(deviation), rel=1e-3)


def test_bad_ridges_are_refused() -> None:
    with pytest.raises(ParameterError, match="ridge = -2: must be at least 0"):
        coefficients_from_release(release(), "pays ~ age", ridge=Fraction(-2))


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


@pytest.mark.parametrize(
    ("formula", "label", "adjacency"),
    [
        ("pays ~ age + town", "pays", "add-remove"),
        ("owns ~ age + pays + size", "pays", "replace-one"),
        ("age ~ owns + town", "age", "replace-one"),
    ],
)
def test_distances_of_releases_have_their_law(formula: str, label: str, adjacency: str) -> None:
    """Noise, divisors, lattices and public entries of real releases at once, at the coefficients of the table."""
    count, found, b = 150, [], None
    for seed in range(count):
        made = release(epsilon=1, seed=seed, label=label, adjacency=adjacency, n=1000)
        matrix = noisy_matrix(made)
        design = design_of(formula, made.feature_map, matrix)
        pivot = equations(matrix, response=design.response_place, regressors=design.places)
        if b is None:
            codes, features = table(1000), made.feature_map
            f = features.features(codes) / features.one
            whole = np.column_stack([f, features.labels(codes) / features.label_one])
            b = np.linalg.lstsq(whole[:, list(design.places)], whole[:, design.response_place], rcond=None)[0]
        found.append(float(FloatPivot.of(pivot).distances(b[None])[0]))
    size, gap = len(b) if b is not None else 0, allowed_gap(count)
    assert largest_gap(np.array(found), stats.chi2(size)) <= gap
    assert largest_gap(2 * np.array(found), stats.chi2(size)) > gap
