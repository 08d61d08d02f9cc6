"""Second moments as a matrix: true up to the noise of each entry, and exact where an entry is public."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bounds.errors import UsageError
from mechanisms.infer.noisy_matrix import noisy_matrix
from mechanisms.infer.public_entries import public_entries
from release.data.columns import BINS, LevelColumn, NumberColumn
from release.data.schema import Schema
from release.moments.file import MomentRelease
from release.moments.make import make_release
from release.statistics.features import FeatureMap, build_feature_map
from tests.moment_examples import feature_map, table

N = 4000
EXACT = 1000
"""Of epsilon: little noise."""


def release(*, epsilon: Fraction | int = 1, adjacency: str = "replace-one", seed: int = 0) -> MomentRelease:
    return make_release(
        table(N),
        feature_map(),
        epsilon=epsilon,
        dp_delta="1e-6",
        adjacency=adjacency,
        mode="simulate",
        n0=N // 2 if adjacency == "add-remove" else None,
        seed=seed,
    )


def real_matrix(features: FeatureMap, divisor: int) -> np.ndarray:
    codes = table(N)
    f = features.features(codes) / features.one
    whole = np.column_stack([f, features.labels(codes) / features.label_one])
    return np.asarray(whole.T @ whole / divisor)


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_entries_are_means_up_to_their_noise(adjacency: str) -> None:
    made = release(adjacency=adjacency)
    found = noisy_matrix(made)
    real = real_matrix(made.feature_map, found.divisor)
    assert found.divisor == (N if adjacency == "replace-one" else N // 2)
    assert found.names == (*made.feature_map.names, "pays")
    scaled = []
    for i, row in enumerate(found.rows):
        for j, entry in enumerate(row):
            assert entry == found.rows[j][i]
            if entry is None:
                assert (i, j) == (found.label, found.label)
            elif entry.is_exact:
                assert float(entry.value) == real[i, j]
            elif i <= j:
                scaled.append((float(entry.value) - real[i, j]) / float(entry.deviation))
    assert 0.6 < np.std(scaled) < 1.5
    assert np.abs(scaled).max() < 4


def test_little_noise_leaves_little_error() -> None:
    made = release(epsilon=EXACT)
    found = noisy_matrix(made)
    real = real_matrix(made.feature_map, found.divisor)
    for i, row in enumerate(found.rows):
        for j, entry in enumerate(row):
            if entry is not None:
                allowed = float(entry.rounding) + 8 * float(entry.deviation) + 1e-12
                assert abs(float(entry.value) - real[i, j]) <= allowed


def test_deviations_are_those_of_the_release() -> None:
    made = release()
    found, unit = noisy_matrix(made), N * made.feature_map.one**2
    age = found.place("age")
    assert found.entry(age, age).deviation == made.deviations.second_diagonal / unit
    assert found.entry(age, found.intercept).deviation == made.deviations.second_off_diagonal / unit
    assert found.entry(age, age).rounding == Fraction(1, 2 * unit)
    label_unit = N * made.feature_map.one
    assert found.entry(age, found.label).deviation == made.deviations.first / label_unit
    assert found.entry(found.label, age).rounding == Fraction(1, 2 * label_unit)


def test_what_is_public_is_exact() -> None:
    features = feature_map()
    found = public_entries(features, n_is_public=True)
    names = features.names
    town = [names.index(f"town={level}") for level in ("north", "south", "west")]
    owns, intercept = names.index("owns"), len(names) - 1
    indicators = {(a, b): Fraction(0) for a in town for b in town if a < b}
    ones = {(owns, owns): Fraction(1), (intercept, intercept): Fraction(1), (intercept + 1, intercept + 1): Fraction(1)}
    assert found == indicators | ones
    assert public_entries(features, n_is_public=False) == indicators


def test_a_column_that_may_be_missing_has_no_public_square() -> None:
    columns = (
        LevelColumn("a", ("x", "y"), missing=("",)),
        NumberColumn("b", BINS, 2, (Fraction(0), Fraction(1))),
        LevelColumn("y", ("0", "1")),
    )
    features = build_feature_map(Schema(columns, "public"), label="y", one_hot=())
    found = public_entries(features, n_is_public=True)
    a, gap, b = (features.names.index(name) for name in ("a", "a is missing", "b"))
    assert (a, a) not in found
    assert found[a, gap] == 0
    assert found[b, b] == 1


def test_a_label_that_is_a_number_has_no_square() -> None:
    features = build_feature_map(feature_map().schema, label="age", one_hot=())
    label = len(features.names)
    assert (label, label) not in public_entries(features, n_is_public=True)


def test_what_the_release_does_not_have_is_refused() -> None:
    private = noisy_matrix(release(adjacency="add-remove"))
    with pytest.raises(UsageError, match="can be explained but cannot explain anything"):
        private.entry(private.label, private.label)
    with pytest.raises(UsageError, match="height is not a feature of the release: it has age, "):
        private.place("height")
