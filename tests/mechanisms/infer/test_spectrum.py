"""Principal components from releases: true of their table, exact where public, refused where wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from bounds.errors import DataError, NotApplicable, ParameterError
from bounds.inference import spectrum as statements
from bounds.inference.covariance_noise import CovarianceNoise
from bounds.inference.eigenvalues import eigensystem
from bounds.inference.spectrum_noise import MomentNoise
from mechanisms.infer.findings import Interval
from mechanisms.infer.noisy_matrix import noisy_matrix
from mechanisms.infer.spectrum import _question, spectrum_from_release, spectrum_of, try_eigenvector
from mechanisms.infer.spectrum_answer import Spectrum, SpectrumOf
from mechanisms.infer.spectrum_plan import plan_spectrum
from release.data.columns import LevelColumn
from release.data.schema import Schema
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.moments import moment_sums
from tests.bounds.inference.matrices import RISK, Floats
from tests.moment_examples import SCHEMA, feature_map, table

N, RANK = 4000, 2
BOTH: tuple[SpectrumOf, ...] = ("moments", "covariance")
SLACK = 1e-9
HALF = Fraction(1, 2)


def releases(
    count: int,
    *,
    epsilon: Fraction | int = 1,
    adjacency: str = "replace-one",
    features: FeatureMap | None = None,
    codes: Floats | None = None,
) -> list[MomentRelease]:
    features = feature_map() if features is None else features
    codes = table(N) if codes is None else codes
    sums = moment_sums(codes, features)
    return [
        MomentRequest(
            features,
            epsilon=epsilon,
            dp_delta="1e-6",
            adjacency=adjacency,
            mode="simulate",
            n0=len(codes) // 2 if adjacency == "add-remove" else None,
            seed=3,
            run=run,
        ).release_sums(sums)
        for run in range(count)
    ]


def real_matrix(features: FeatureMap, codes: Floats, of: SpectrumOf, divisor: int) -> Floats:
    f = features.features(codes) / features.one / np.sqrt(features.squared_norm)
    whole: Floats = f.T @ f / divisor
    if of == "moments":
        return whole
    found: Floats = whole[:-1, :-1] - np.outer(whole[:-1, -1], whole[:-1, -1]) / whole[-1, -1]
    return found


def has(found: Interval, truth: float) -> bool:
    return (found.lo is None or float(found.lo) <= truth + SLACK) and (
        found.hi is None or truth <= float(found.hi) + SLACK
    )


def truths(found: Spectrum, real: Floats) -> dict[str, bool]:
    """For every statement whether it holds; the real components are those of numpy."""
    values, vectors = np.linalg.eigh(real)
    values, vectors = values[::-1], vectors[:, ::-1]
    noisy = np.array([one.weights for one in found.components]).T
    along, head, trace = float(np.trace(noisy.T @ real @ noisy)), float(values[: found.rank].sum()), values.sum()
    cosines = np.linalg.svd(vectors[:, : found.rank].T @ noisy, compute_uv=False)
    checked = {
        "share explained": has(found.share_explained, along / trace),
        "loss": has(found.loss, max(head - along, 0)),
        "span": has(found.span_sine, float(np.sqrt(np.maximum(1 - cosines**2, 0).sum()))),
        "share": has(found.share, head / trace),
        "total": has(found.total, head),
        "explained": has(found.explained, along),
        "largest": has(found.largest, values[0]),
        "all": all(has(one, value) for one, value in zip(found.eigenvalues, values, strict=True)),
    }
    for place, one in enumerate(found.components):
        sine = np.sqrt(max(1 - float(vectors[:, place] @ noisy[:, place]) ** 2, 0))
        checked[f"sine {place}"] = has(one.sine, sine)
        checked[f"eigenvalue {place}"] = has(one.eigenvalue, values[place])
    return checked


@pytest.mark.share(3)
@pytest.mark.parametrize("of", BOTH)
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_statements_hold_as_often_as_they_say(of: SpectrumOf, adjacency: str) -> None:
    """At level 1/2, where a bound that is too small shows."""
    count = 16 if of == "covariance" else 30
    made = releases(count, adjacency=adjacency)
    divisor = N if adjacency == "replace-one" else N // 2
    real = real_matrix(feature_map(), table(N), of, divisor)
    held: dict[str, int] = {}
    for release in made:
        for name, is_true in truths(spectrum_from_release(release, rank=RANK, level=HALF, of=of), real).items():
            held[name] = held.get(name, 0) + is_true
    for name, times in held.items():
        assert stats.binom.cdf(times, count, 0.5) > RISK, name
    assert min(held.values()) < count  # at least one statement is no wider than it needs to be


@pytest.mark.parametrize("of", BOTH)
def test_little_noise_tells_nearly_everything(of: SpectrumOf) -> None:
    release = releases(1, epsilon=1000)[0]
    found = spectrum_from_release(release, rank=RANK, of=of)
    real = real_matrix(feature_map(), table(N), of, N)
    assert all(truths(found, real).values())
    assert float(found.span_sine.hi or 1) < 0.05
    assert float(found.loss.hi or 1) < 1e-4
    assert found.share_explained.width is not None
    assert found.share_explained.width < 0.01
    assert all(one.is_told for one in found.components)


def test_it_is_never_worse_than_the_norm_of_the_noise() -> None:
    for release in releases(3, epsilon=20):
        for of in BOTH:
            found = spectrum_from_release(release, rank=RANK, of=of)
            assert found.loss.hi is not None
            assert found.loss.hi < found.classical.loss
        found = spectrum_from_release(release, rank=1)
        assert found.classical.sine is not None
        assert found.components[0].sine.hi is not None
        assert found.components[0].sine.hi < Fraction(3, 4) * found.classical.sine


def test_davis_and_kahan_bound_the_same_number_as_we_do() -> None:
    """For two angles the root of their summed squares is up to the root of 2 times the larger sine."""
    system = eigensystem([[Fraction(x if i == j else 0) for j in range(5)] for i, x in enumerate((10, 9, 3, 2, 1))])
    noise, alpha = MomentNoise(size=5, scale=Fraction(1, 10), rounding=Fraction(0)), Fraction(1, 20)
    for rank, angles in ((1, 1), (2, 2), (3, 2), (4, 1)):
        found = statements.classical(system, noise, rank, alpha)
        gap = system.gap(rank)
        if gap > 2 * found.radius:
            assert found.span_sine is not None
            assert float(found.span_sine) == pytest.approx(float(np.sqrt(angles) * found.radius / (gap - found.radius)))
    assert statements.classical(system, noise, 2, alpha).span_sine is not None


@pytest.mark.parametrize("of", BOTH)
def test_a_higher_level_is_wider(of: SpectrumOf) -> None:
    release = releases(1, epsilon=5)[0]
    answers = [
        spectrum_from_release(release, rank=1, level=level, of=of)
        for level in (HALF, Fraction(19, 20), Fraction(999, 1000))
    ]
    for narrow, wide in pairwise(answers):
        assert (wide.loss.hi or 0) > (narrow.loss.hi or 0)
        assert (wide.largest.hi or 0) > (narrow.largest.hi or 0)
        assert (wide.share.lo or 0) <= (narrow.share.lo or 0)
        assert (wide.eigenvalues[0].lo or 0) < (narrow.eigenvalues[0].lo or 0)


def test_the_exact_set_has_real_eigenvectors_as_often_as_it_says() -> None:
    count, features = 60, feature_map()
    made = [noisy_matrix(release) for release in releases(count)]
    for of in BOTH:
        vector = np.linalg.eigh(real_matrix(features, table(N), of, N))[1][:, -2]
        if of == "covariance":
            means = (features.features(table(N)) / features.one).mean(axis=0)[:-1]
            vector = np.append(vector, -means @ vector)
        tried = [try_eigenvector(matrix, [Fraction(x) for x in vector.tolist()], level=HALF, of=of) for matrix in made]
        inside = sum(one.is_inside for one in tried)
        assert tried[0].is_exact
        assert tried[0].degrees == features.size - 1
        assert RISK < stats.binom.cdf(inside, count, 0.5) < 1 - RISK


def test_public_entries_are_exact() -> None:
    """Columns of two values: only products of different ones are noisy, and squares are 1 over the norm, exactly."""
    columns = tuple(LevelColumn(name, ("0", "1")) for name in "abcy")
    features = build_feature_map(Schema(columns, "public"), label="y", one_hot=())
    codes = np.random.default_rng(1).integers(0, 2, (900, 4)).astype(np.uint8)
    release = releases(1, features=features, codes=codes)[0]
    found = spectrum_from_release(release, rank=1)
    total = sum(one.estimate or 0.0 for one in found.eigenvalues)
    assert total == pytest.approx(1, abs=1e-12)
    matrix = noisy_matrix(release)
    assert all(matrix.entry(i, i).is_exact for i in range(4))
    noisy = np.array([[float(matrix.entry(i, j).value) for j in range(4)] for i in range(4)]) / 4
    assert found.largest.estimate == pytest.approx(np.linalg.eigvalsh(noisy)[-1], rel=1e-9)
    assert found.deviation == pytest.approx(np.sqrt(2) * float(matrix.entry(0, 1).deviation) / 4)


def test_repeated_columns_and_columns_without_variance() -> None:
    """Two columns that are the same, and one that is the same in all records: eigenvalues that are equal, and zeros."""
    generator = np.random.default_rng(4)
    codes = np.column_stack([c := generator.integers(0, 2, 3000), c, np.zeros(3000), 1 - c]).astype(np.uint8)
    columns = tuple(LevelColumn(name, ("0", "1")) for name in "abcy")
    features = build_feature_map(Schema(columns, "public"), label="y", one_hot=())
    for of in BOTH:
        real = real_matrix(features, codes, of, 3000)
        for release in releases(3, features=features, codes=codes):
            found = spectrum_from_release(release, rank=2, of=of)
            assert all(truths(found, real).values())
            if of == "moments":  # 0.506, 0.494 and two zeros: the first two are near each other, far from the others
                assert found.span_sine.hi is not None
                assert found.span_sine.hi < Fraction(1, 50)
            else:  # 0.4999 and two zeros
                assert [one.is_told for one in found.components] == [True, False]
                assert found.span_sine.hi is None


def test_equal_eigenvalues_are_not_told_apart() -> None:
    """The release of a product table: all columns the same variance."""
    codes = np.array([[i >> 0 & 1, i >> 1 & 1, i >> 2 & 1, 0] for i in range(8)] * 500).astype(np.uint8)
    columns = tuple(LevelColumn(name, ("0", "1")) for name in "abcy")
    features = build_feature_map(Schema(columns, "public"), label="y", one_hot=())
    found = spectrum_from_release(releases(1, features=features, codes=codes)[0], rank=1, of="covariance")
    component = found.components[0]
    assert not component.is_told
    assert "do not tell" in component.sine.note
    assert component.eigenvalue.lo is component.eigenvalue.hi is None
    assert found.span_sine.hi is None
    assert "a gap below about" in found.span_sine.note
    assert has(found.total, 0.25)
    assert has(found.share, 1 / 3)


def test_two_columns() -> None:
    columns = (LevelColumn("a", ("0", "1")), LevelColumn("y", ("0", "1")))
    features = build_feature_map(Schema(columns, "public"), label="y", one_hot=())
    codes = np.random.default_rng(0).integers(0, 2, (500, 2)).astype(np.uint8)
    release = releases(1, features=features, codes=codes)[0]
    found = spectrum_from_release(release, rank=1)
    assert len(found.eigenvalues) == 2
    assert all(truths(found, real_matrix(features, codes, "moments", 500)).values())
    with pytest.raises(NotApplicable, match="one column"):
        spectrum_from_release(release, rank=1, of="covariance")


def test_shares_of_what_may_fail_are_one_in_all() -> None:
    for one in (statements.ANGLES, statements.LOSS, statements._TOTAL, statements._SHARE):
        assert one.cross + one.blocks + one.energy + one.head + one.rest == 1
        assert min(one.cross, one.blocks, one.energy) > 0
    assert sum(statements._SINGLE_ANGLE) == sum(statements._SINGLE_VALUE) == 1


@pytest.mark.parametrize("of", BOTH)
def test_what_is_lost_by_noisy_components_is_counted(of: SpectrumOf) -> None:
    """The ends of what they explain are below those of what the real ones do, by the loss at most."""
    found = spectrum_from_release(releases(1, epsilon=5)[0], rank=1, of=of)
    assert found.explained.lo is not None
    assert found.total.lo is not None
    assert found.loss.hi is not None
    assert found.explained.lo < found.total.lo
    assert found.explained.hi == found.total.hi
    assert found.share_explained.lo is not None
    assert found.share.lo is not None
    assert found.share_explained.lo < found.share.lo


def test_a_private_size_has_noise_in_the_covariance() -> None:
    for adjacency in ("replace-one", "add-remove"):
        noise = _question(noisy_matrix(releases(1, adjacency=adjacency)[0]), "covariance")[2]
        assert isinstance(noise, CovarianceNoise)
        assert noise.mass_is_public == (adjacency == "replace-one")
        assert float(noise.most_mean) == pytest.approx(np.sqrt(feature_map().squared_norm - 1))


def test_conclusions_begin_with_what_components_are_worth() -> None:
    found = spectrum_from_release(releases(1)[0], rank=RANK)
    assert found.conclusions[:3] == (found.share_explained, found.loss, found.span_sine)
    assert found.conclusions[-len(found.eigenvalues) :] == found.eigenvalues
    assert len({one.name for one in found.conclusions}) == len(found.conclusions)
    assert all(one.kind == "exact" and one.is_certified and one.about == "table" for one in found.conclusions)
    assert [one.simultaneous for one in found.eigenvalues] == [True] * len(found.eigenvalues)
    assert not found.loss.simultaneous
    assert any("must be fixed before" in note for note in found.notes)  # nobody checked that they were


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rank": 0}, "rank = 0: must be at least 1 and at most 6"),
        ({"rank": 7}, "rank = 7: must be at least 1 and at most 6"),
        ({"rank": 2, "level": Fraction(1)}, "level = 1: must be"),
        ({"rank": 2, "level": Fraction(1, 3)}, "level = 1/3: must be"),
        ({"rank": 2, "of": "correlations"}, "of = correlations: must be one of moments, covariance"),
    ],
)
def test_wrong_questions_are_refused(asked: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        spectrum_from_release(releases(1)[0], **asked)  # type: ignore[arg-type]


def test_a_least_size_that_is_false_is_refused() -> None:
    release = releases(1, adjacency="add-remove")[0]
    with pytest.raises(DataError, match="least_size"):
        spectrum_from_release(replace(release, stated_size=10 * N), rank=1)


def test_a_plan_says_what_the_answer_will() -> None:
    """Radii are those of the answer where no entry is public, and angles those at its gap."""
    release = releases(1)[0]
    found = spectrum_of(noisy_matrix(release), rank=RANK)
    plan = plan_spectrum(
        SCHEMA,
        rank=RANK,
        n=N,
        epsilon=Fraction(1),
        dp_delta=Fraction(1, 10**6),
        adjacency="replace-one",
        label="pays",
    )
    assert plan.columns == len(found.names)
    assert plan.squared_norm == found.squared_norm
    assert float(plan.radius) == pytest.approx(float(found.classical.radius), rel=1e-6)
    assert float(plan.deviation) == pytest.approx(found.deviation, rel=1e-6)
    above = float(found.largest.hi or 0) - (found.largest.estimate or 0)
    assert float(plan.largest_up) == pytest.approx(above, rel=1e-6)
    sines = [one.sine for one in plan.at if one.sine is not None]
    assert sines == sorted(sines, reverse=True)
    assert all((one.sine is not None) == (one.gap >= plan.gap_needed) for one in plan.at if one.gap != plan.gap_needed)
    losses = [one.loss for one in plan.at]
    assert losses == sorted(losses, reverse=True)


def test_plans_of_private_sizes_and_wrong_ones() -> None:
    numbers = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 10**6)}
    private = plan_spectrum(SCHEMA, rank=1, adjacency="add-remove", least_size=2000, **numbers)
    assert not private.n_is_public
    assert private.size == 2000
    with pytest.raises(NotApplicable, match="give n"):
        plan_spectrum(SCHEMA, rank=1, adjacency="replace-one", **numbers)
    with pytest.raises(ParameterError, match="rank = 40"):
        plan_spectrum(SCHEMA, rank=40, n=100, adjacency="replace-one", **numbers)


def test_no_end_is_below_zero_where_all_noisy_eigenvalues_are() -> None:
    """Eigenvalues of second moments are not negative, whatever the noise made of them."""
    noise = MomentNoise(size=2, scale=Fraction(1, 1000), rounding=Fraction(0))
    system = eigensystem(((Fraction(-1, 100), Fraction(0)), (Fraction(0), Fraction(-4, 100))))
    alpha = Fraction(1, 20)
    assert statements.largest_end(system, noise, alpha) == 0
    assert statements.all_values(system, noise, alpha) == ((0, 0), (0, 0))
    for place in range(2):
        value = statements.direction(system, noise, place, alpha).value
        assert value == (0, 0)
