"""What levels of regressions depend on: curvature of R squared, unequal residuals, rounding, formulas chosen late."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from bounds.inference.linear_pivot import LinearPivot, joint_radius
from bounds.inference.linear_region import surround
from mechanisms.infer.noisy_matrix import NoisyMatrix, noisy_matrix
from mechanisms.infer.regression.any_formula import radius_of_any
from mechanisms.infer.regression.ask import coefficients_from_release
from mechanisms.infer.regression.design import Design, design_of
from mechanisms.infer.regression.equation import equations
from mechanisms.infer.regression.explained import explained_share
from mechanisms.infer.regression.float_pivot import FloatPivot
from mechanisms.infer.regression.one_by_one import COARSE, Split
from mechanisms.infer.regression.penalised import lasso_from_release
from mechanisms.infer.regression.population import largest_covariance, largest_residual, sampling_covariance
from mechanisms.infer.regression.rounding import VARIATION, Rounding
from release.data.columns import LevelColumn
from release.data.schema import Schema
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.moments import MomentSums
from tests.bounds.inference.linear_examples import truth
from tests.moment_examples import feature_map, table

LEVEL = Fraction(19, 20)


def two_valued(columns: int) -> FeatureMap:
    names = [f"x{j}" for j in range(columns)] + ["y"]
    return build_feature_map(Schema(tuple(LevelColumn(name, ("0", "1")) for name in names), "public"), label="y")


def whole(features: FeatureMap, codes: np.ndarray) -> np.ndarray:
    """Features and label of records."""
    return np.column_stack([features.features(codes) / features.one, features.labels(codes) / features.label_one])


def sums_of(features: FeatureMap, codes: np.ndarray, counts: np.ndarray) -> MomentSums:
    """Of records that stand there as often."""
    x, y = features.features(codes).astype(float), features.labels(codes).astype(float)
    second, first = np.rint((x * counts[:, None]).T @ x), np.rint((y * counts) @ x)
    upper = tuple(tuple(map(int, row[j:])) for j, row in enumerate(second))
    return MomentSums(n=int(counts.sum()), first=tuple(map(int, first)), second=upper, fourth=None)


def released(features: FeatureMap, sums: MomentSums, *, epsilon: int, run: int) -> MomentRelease:
    asked = MomentRequest(
        features, epsilon=epsilon, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=11, run=run
    )
    return asked.release_sums(sums)


def asked(made: MomentRelease, formula: str) -> tuple[NoisyMatrix, Design, LinearPivot]:
    matrix = noisy_matrix(made)
    design = design_of(formula, made.feature_map, matrix)
    return matrix, design, equations(matrix, response=design.response_place, regressors=design.places)


@pytest.mark.parametrize(("columns", "slope", "shown"), [(12, 0.0, 0), (25, 0.0, 0), (12, 0.1, 20)])
def test_the_first_order_of_r_squared_is_left_out_where_little_is_explained(
    columns: int, slope: float, shown: int
) -> None:
    """Without slopes it was told, and missed in most releases."""
    features = two_valued(columns)
    half = np.random.default_rng(0).integers(0, 2, (1000, columns))
    codes = np.vstack([np.column_stack([half, np.full(1000, y)]) for y in (0, 1)]).astype(np.uint8)
    x = 2.0 * codes[:, :columns] - 1
    counts = np.rint(20 * (1 + slope * x.mean(axis=1) * columns**0.5 * (2.0 * codes[:, columns] - 1)))
    sums, found = sums_of(features, codes, counts), 0
    for run in range(20):
        matrix, design, pivot = asked(released(features, sums, epsilon=1, run=run), "y ~ .")
        found += len(explained_share(matrix, design, pivot, LEVEL, is_bounded=True, certified=False))
    assert found == shown


def test_unequal_residuals_need_the_wider_interval() -> None:
    """One value of x is rare, and all the residuals are there."""
    features, count = two_valued(1), 60
    cells = np.array([[0, 0], [1, 0], [1, 1]], np.uint8)
    source, b = np.random.default_rng(1), np.array([0.5, -0.5])
    missed = {"alike": 0, "anyhow": 0}
    for run in range(count):
        counts = source.multinomial(20_000, [0.99, 0.005, 0.005]).astype(float)
        matrix, design, pivot = asked(
            released(features, sums_of(features, cells, counts), epsilon=8, run=run), "y ~ x0"
        )
        floats = FloatPivot.of(pivot)
        sampling = {
            "alike": sampling_covariance(matrix, design, floats)[0],
            "anyhow": largest_covariance(features, matrix, design, floats),
        }
        for name, added in sampling.items():
            (told,) = FloatPivot.of(pivot, added=added).statistics(b[None], np.zeros(1, np.int64))
            missed[name] += bool(abs(told) > 1.96)
    assert missed["alike"] > count / 2
    assert missed["anyhow"] <= stats.binom.isf(1e-6, count, 0.05)


@pytest.mark.parametrize("formula", ["pays ~ .", "pays ~ age + owns - 1", "town=west ~ age + pays", "size ~ town"])
def test_the_largest_residual_is_that_of_all_records(formula: str) -> None:
    features = feature_map()
    design = design_of(formula, features, noisy_matrix(released(features, sums(features), epsilon=8, run=0)))
    b = np.random.default_rng(2).standard_normal(len(design.regressors))
    sizes = [column.size for column in features.schema.columns]
    every = whole(features, np.indices(sizes).reshape(len(sizes), -1).T.astype(np.uint8))
    wanted = np.abs(every[:, design.response_place] - every[:, list(design.places)] @ b).max()
    assert largest_residual(features, design, b) == pytest.approx(wanted, rel=1e-12)


def sums(features: FeatureMap) -> MomentSums:
    codes = table(1000)
    return sums_of(features, codes, np.ones(len(codes)))


@pytest.mark.parametrize("deviation", [0.4, 1.0, 5.0])
def test_half_steps_make_a_rounded_number_nearly_gaussian(deviation: float) -> None:
    """Total variation: on each step the density against its mean."""
    step = np.arange(-40, 41)
    fine = (np.arange(2000) + 0.5) / 2000 - 0.5
    density = stats.norm.pdf(step[:, None] + fine, scale=deviation)
    apart = 0.5 * np.abs(density - density.mean(axis=1, keepdims=True)).mean(axis=1).sum()
    assert apart <= float(VARIATION) / deviation
    assert apart >= 0.45 * float(VARIATION) / deviation or deviation < 1


def test_half_steps_are_those_of_the_lattice() -> None:
    matrix, design, pivot = asked(released(feature_map(), sums(feature_map()), epsilon=8, run=0), "pays ~ age + owns")
    rounding = Rounding.of(matrix, response=design.response_place, regressors=design.places)
    floats = FloatPivot.of(pivot)
    shifted = rounding.added(floats)
    inner, outer = (shifted.matrix - floats.matrix), (shifted.right - floats.right)
    assert np.array_equal(inner, inner.T)
    halves = [[matrix.entry(i, j).rounding for j in design.places] for i in design.places]
    assert (np.abs(inner) <= np.array(halves, float) * (1 + 1e-6)).all()
    assert ((inner == 0) == (np.array(halves, float) == 0)).all()
    assert len({*np.round(np.abs(outer) / rounding.right, 6)}) == len(outer)
    noise = released(feature_map(), sums(feature_map()), epsilon=8, run=0).deviations
    wanted = 0.2 * (1 / noise.second_diagonal + 3 / noise.second_off_diagonal + 3 / noise.first)
    assert float(rounding.variation) == pytest.approx(float(wanted), rel=1e-9)


def test_rounding_is_taken_from_the_level() -> None:
    pivot = truth(3, noise=0.01).drawn(0)
    split = Split.of(pivot, LEVEL, Fraction(1, 1000))
    assert split.is_exact
    assert split.z == pytest.approx(stats.norm.isf((0.045 - 0.001) / 2), abs=1e-6)
    assert split.set_failure == Fraction(1, 200)
    coarse = Split.of(pivot, LEVEL, Fraction(1001, 10**6))
    assert not coarse.is_exact
    assert not Split.of(pivot, 1 - Fraction(1, 1000), Fraction(1, 2000)).is_exact


def test_a_coarse_lattice_is_not_called_exact() -> None:
    features = build_feature_map(feature_map().schema, label="pays", bits=4, one_hot=())
    codes = table(200)
    made = released(features, sums_of(features, codes, np.ones(200)), epsilon=400, run=0)
    found = coefficients_from_release(made, "pays ~ age + owns")
    assert found.coefficients[0].is_bounded
    assert {(one.kind, one.note) for one in found.coefficients} == {("asymptotic", COARSE)}
    assert {one.kind for one in found.joint} == {"exact"}


def test_one_coefficient_has_the_whole_level() -> None:
    pivot = truth(1, noise=0.01, public=False).drawn(0)
    split = Split.of(pivot, LEVEL)
    assert split.z == split.radius == float(joint_radius(pivot, Fraction(1, 20)))


def formulas(columns: int) -> Iterator[str]:
    names = [f"x{j}" for j in range(columns)]
    for chosen in (*combinations(names, 1), *combinations(names, 2)):
        yield f"y ~ {' + '.join(chosen)}"
    yield from (f"{one} ~ {other} - 1" for one, other in combinations(names, 2))


def test_a_formula_that_was_chosen_afterwards_is_covered() -> None:
    """The worst of all formulas: the usual radius misses it far too often, and the norm of all noise never."""
    columns, runs = 5, 40
    features = two_valued(columns)
    codes = np.random.default_rng(4).integers(0, 2, (3000, columns + 1)).astype(np.uint8)
    real, true = whole(features, codes), sums_of(features, codes, np.ones(3000))
    usual = late = 0
    for run in range(runs):
        made = released(features, true, epsilon=1, run=run)
        matrix = noisy_matrix(made)
        exact = real.T @ real / 3000
        noise = [
            (float(entry.value) - exact[i, j]) / float(entry.deviation)
            for i in range(len(matrix.names))
            for j, entry in enumerate(matrix.rows[i])
            if j >= i and entry is not None and not entry.is_exact
        ]
        radius = radius_of_any(matrix, 1 - LEVEL)
        assert float(radius) == pytest.approx(stats.chi2.isf(0.05, len(noise)) ** 0.5, rel=1e-4)
        worst = worst_usual = 0.0
        for formula in formulas(columns):
            _, design, pivot = asked(made, formula)
            chosen = list(design.places)
            b = np.linalg.solve(exact[np.ix_(chosen, chosen)], exact[chosen, design.response_place])
            distance = float(FloatPivot.of(pivot).distances(b[None])[0])
            worst = max(worst, distance)
            worst_usual = max(worst_usual, distance / float(joint_radius(pivot, 1 - LEVEL)) ** 2)
        assert worst <= np.square(noise).sum() * (1 + 1e-6)
        late += worst > float(radius) ** 2
        usual += worst_usual > 1
    assert usual > runs / 3
    assert late <= stats.binom.isf(1e-6, runs, 0.05)


def test_an_answer_for_any_formula_has_what_holds_for_all() -> None:
    features = feature_map()
    codes = table(20_000)
    made = released(features, sums_of(features, codes, np.ones(len(codes))), epsilon=8, run=0)
    found = coefficients_from_release(made, "pays ~ age + owns", any_formula=True)
    usual = coefficients_from_release(made, "pays ~ age + owns")
    assert found.coefficients == found.population == found.population_anyhow == found.first_order == ()
    assert [one.name for one in found.conclusions] == [*(one.name for one in usual.joint), "R squared"]
    assert all(one.kind == "exact" and one.is_certified for one in found.conclusions)
    matrix, design, pivot = asked(made, "pays ~ age + owns")
    around = surround(pivot, radius_of_any(matrix, 1 - LEVEL))
    assert tuple((one.lo, one.hi) for one in found.joint) == tuple(zip(around.lo, around.hi, strict=True))  # type: ignore[union-attr]
    real = whole(features, codes)[:, [*design.places, design.response_place]]
    residual = real[:, -1] - real[:, :-1] @ np.linalg.lstsq(real[:, :-1], real[:, -1], rcond=None)[0]
    share, (told,) = 1 - residual.var() / real[:, -1].var(), found.explained
    assert float(told.lo or 0) < share < float(told.hi or 0)
    assert (told.width or 0) > (usual.explained[0].width or 1)
    late = lasso_from_release(made, "pays ~ age + owns", penalty=Fraction(1, 20), any_formula=True)
    soon = lasso_from_release(made, "pays ~ age + owns", penalty=Fraction(1, 20))
    assert late.any_formula
    assert all(
        (a.width or 0) > (b.width or 0) for a, b in zip(late.coefficients, soon.coefficients, strict=True) if b.width
    )
