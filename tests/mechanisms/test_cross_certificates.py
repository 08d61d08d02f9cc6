"""Moments of a label from cross moments: exact except for noise; radii and certificates hold as often as stated."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds import clopper_pearson
from bounds.errors import DataError, ParameterError, UsageError
from mechanisms.models.certify import cross_radii as radii_module
from mechanisms.models.certify import from_cross_moments as certifying
from mechanisms.models.certify.cross_radii import ColumnNoise, MatrixNoise, cross_radii
from mechanisms.models.certify.from_cross_moments import certify_from_cross_moments, known_cross_moments
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.certify.norm_bounds import arrow_above, independent_radius
from mechanisms.models.cross_event import LabelledMoments
from mechanisms.models.model import Model
from mechanisms.models.train.from_cross_moments import train_from_cross_moments
from mechanisms.models.train.newton import train
from release.cross_moments.file import CrossMoments
from release.cross_moments.planned import CrossMomentPlan
from release.statistics.blocks import LINEAR, NONE, ONE_HOT, SMOOTH, block_of
from release.statistics.cross_moments import TableEncoding, cross_sums, encode_table
from release.statistics.features import FeatureMap
from tests.cross_examples import SCHEMA, made, plan, schema_of, table
from tests.speeds import some

Floats = np.ndarray[Any, Any]
BETA = Fraction(1, 5)
SURE = 0.999
RECORDS = table(2000)


def floats(rows: Any) -> Floats:
    return np.array([[float(x) for x in row] for row in rows])


def without_noise(release: CrossMoments, records: Floats = RECORDS) -> CrossMoments:
    sums = cross_sums(records, release.encoding)
    return replace(release, one_way_counts=sums.one_way, cross_sums=sums.cross)


# --- moments -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("label", "positive"), [(None, None), ("pays", "no"), ("owns", "yes")])
def test_without_noise_the_moments_are_those_of_the_table(adjacency: str, label: Any, positive: Any) -> None:
    """As integers over their units: nothing is rounded."""
    found = LabelledMoments.of(without_noise(made(adjacency=adjacency)), label=label, positive=positive)
    features = found.feature_map
    values, labels = features.features(RECORDS).astype(object), features.labels(RECORDS).astype(object)
    unit = 2000 * features.one
    assert list(found.first) == [Fraction(int(x), unit) for x in labels @ values]
    exact = values.T @ values
    assert [list(row) for row in found.second] == [[Fraction(int(x), unit * features.one) for x in r] for r in exact]
    assert found.count == 2000


def test_counts_add_up_to_the_number_of_records() -> None:
    for adjacency in ("replace-one", "add-remove"):
        found = LabelledMoments.of(made(adjacency=adjacency, size=1900 if adjacency == "add-remove" else 2000))
        assert {sum(counts) for counts in found.tables} == {found.count}
        assert found.second[-1][-1] == found.count / found.release.size


def test_two_values_have_a_known_square() -> None:
    found = LabelledMoments.of(made())
    place = found.feature_map.names.index("owns")
    assert found.second[place][place] == 1


@pytest.mark.parametrize(
    ("label", "error", "line"),
    [
        ("nobody", ParameterError, "label = nobody: must be a column of the schema"),
        ("town", ParameterError, "label = town with 3 values: must be a column with exactly two values"),
        (None, UsageError, "label is missing: this release names none"),
        ("owns", ParameterError, "label = owns: must be a column with features"),
    ],
)
def test_a_label_that_cannot_be_one_is_refused_by_name(label: str | None, error: Any, line: str) -> None:
    encoding = TableEncoding(SCHEMA, (SMOOTH, ONE_HOT, LINEAR, NONE, SMOOTH))
    with pytest.raises(error, match=line):
        LabelledMoments.of(made(encoding=encoding), label=label)


def test_a_least_size_that_the_tables_contradict_is_refused() -> None:
    found = made(adjacency="add-remove", size=5000)
    with pytest.raises(DataError, match="least_size = 5000: the noisy tables say that there are at most about"):
        known_cross_moments(LabelledMoments.of(found), BETA)
    known_cross_moments(LabelledMoments.of(made(adjacency="add-remove", size=2050)), BETA)  # chance explains it


# --- radii -------------------------------------------------------------------------------------------------------

WIDE = schema_of(
    [
        {"name": "y", "levels": ["no", "yes"]},
        {"name": "a", "range": ["0", "1"], "bins": 25},
        {"name": "b", "range": ["0", "1"], "bins": 12, "missing": True},
        {"name": "c", "levels": [f"v{i}" for i in range(9)]},
        {"name": "d", "levels": ["f", "m"]},
    ]
)
ALONE = schema_of([{"name": "y", "levels": ["no", "yes"]}, {"name": "a", "range": ["0", "1"], "bins": 40}])
TALL = schema_of(
    [
        {"name": "y", "levels": ["no", "yes"]},
        {"name": "a", "range": ["0", "1"], "bins": 100},
        {"name": "b", "levels": ["u", "v", "w"]},
    ]
)
CASES = {
    "small": (SCHEMA, "pays", "pays"),
    "unnamed": (SCHEMA, None, "pays"),
    "another": (SCHEMA, "pays", "owns"),
    "wide": (WIDE, "y", "y"),
    "alone": (ALONE, "y", "y"),
    "tall": (TALL, None, "y"),
}


def case(name: str, adjacency: str) -> tuple[CrossMomentPlan, FeatureMap]:
    schema, named, label = CASES[name]
    encoding = encode_table(schema, smooth=name != "tall", label=named)
    found = plan(encoding, adjacency=adjacency)
    others = tuple(e for u, e in enumerate(encoding.encodings) if schema.names[u] != label)
    return found, FeatureMap(schema, label, schema.columns[schema.names.index(label)].texts[-1], others)


def simulated_errors(found: CrossMomentPlan, features: FeatureMap, runs: int) -> tuple[Floats, Floats]:
    """Norms of the errors of first and second moments, by the definition of the estimate and nothing of its code."""
    stream = np.random.Generator(np.random.Philox(77))
    encoding, schema = found.encoding, found.schema
    sizes, label = schema.domain.sizes, schema.names.index(features.label)
    deviation = float(found.one_way_deviation)
    noise = [np.round(stream.normal(0, deviation, (runs, t))) for t in sizes]
    totals = np.array([z.sum(axis=1) / z.shape[1] for z in noise]).sum(axis=0) / sum(1 / t for t in sizes)
    if found.size_is_exact:
        totals = np.zeros(runs)
    counts = [z + (totals - z.sum(axis=1))[:, None] / z.shape[1] for z in noise]
    scales = np.array([float(found.cross_deviations[int(w)]) for w in encoding.pair_weights]) / 4.0**16
    left, right = encoding.pairs
    whole = np.zeros((runs, encoding.size, encoding.size))
    whole[:, left, right] = stream.normal(0, 1, (runs, len(left))) * scales
    whole += whole.transpose(0, 2, 1)
    inner = np.array([i for i, owner in enumerate(encoding.owners) if owner != label])
    p = features.size
    second = np.zeros((runs, p, p))
    second[:, :-1, :-1] = whole[:, inner[:, None], inner[None, :]]
    start = 0
    for place, block in zip(features.places, features.blocks, strict=True):
        values = np.array(block, float) / features.one
        here = slice(start, start + values.shape[1])
        second[:, here, here] += np.einsum("ra,ai,aj->rij", counts[place], values, values)
        second[:, here, -1] = second[:, -1, here] = counts[place] @ values
        start += values.shape[1]
    second[:, -1, -1] = totals
    own = encoding.starts[label]
    first = np.column_stack([whole[:, own, inner], counts[label][:, 1] - counts[label][:, 0]])
    return np.linalg.norm(first, axis=1), np.linalg.norm(second, ord=2, axis=(1, 2))


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("name", CASES)
def test_radii_are_missed_no_more_often_than_they_say(name: str, adjacency: str) -> None:
    found, features = case(name, adjacency)
    radii = cross_radii(found, features, BETA)
    runs = 1000
    first, second = simulated_errors(found, features, runs)
    misses = int(((first > float(radii.first)) | (second > float(radii.second))).sum())
    assert clopper_pearson.interval(misses, runs, SURE)[0] <= float(BETA)
    assert (first > 0.75 * float(radii.first)).any()  # not idle either
    assert np.quantile(second, 0.99) > 0.3 * float(radii.second)


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("name", ["small", "another", "wide"])
def test_the_gaussian_matrix_covers_every_product(name: str, adjacency: str) -> None:
    """A direction between two columns, of length 1, has at most the variance of the matrix, and some have all of it."""
    found, features = case(name, adjacency)
    noise = MatrixNoise(found, features)
    label = features.schema.names.index(features.label)
    deviations = [
        float(found.cross_deviations[int(weight)]) / 4.0**16
        for i, j, weight in zip(*found.encoding.pairs, found.encoding.pair_weights, strict=True)
        if label not in (found.encoding.owners[i], found.encoding.owners[j])
    ]
    # (e_i e_j' + e_j e_i')/sqrt 2 has length 1, and picks sqrt 2 times an entry
    assert max(2 * sd**2 for sd in deviations) == pytest.approx(float(noise.main_variance))


def test_a_border_is_as_noisy_as_the_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """No direction of a column's row has more variance than the entries of the border that stands for it."""
    found, features = case("tall", "replace-one")
    noise = MatrixNoise(found, features)
    asked: list[list[tuple[Fraction, int]]] = []

    def recorded(parts: Any, failure: Fraction) -> Fraction:
        asked.append(list(parts))
        return independent_radius(asked[-1], failure)

    monkeypatch.setattr(radii_module, "independent_radius", recorded)
    noise.radius(BETA)
    borders = asked[1::2]  # before each the excess alone is asked for
    assert borders
    for block, entries in zip(features.blocks, zip(*borders, strict=True), strict=True):
        values = np.array(block, float) / features.one
        covariance = float(found.one_way_deviation) ** 2 * np.atleast_2d(np.cov(values.T, bias=True)) * len(values)
        assert min(float(variance) for variance, _ in entries) >= np.linalg.eigvalsh(covariance)[-1] * (1 - 1e-9)


def test_a_radius_without_the_one_way_tables_would_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulation sees what the bound would forget."""
    found, features = case("alone", "replace-one")
    _, second = simulated_errors(found, features, 300)
    monkeypatch.setattr(ColumnNoise, "needs", lambda self, least: (least, least))
    forgot = cross_radii(found, features, BETA).second
    assert (second > float(forgot)).mean() > float(BETA)


def test_the_split_of_the_failure_looks_at_no_noise() -> None:
    """Two releases of one plan have the same radii of sums."""
    one, other = (LabelledMoments.of(made(adjacency="add-remove", size=1800, run=run)) for run in (0, 1))
    sums = {known_cross_moments(found, BETA).second_radius * found.release.size for found in (one, other)}
    assert one.count != other.count
    assert len(sums) == 1


@given(
    st.integers(2, 60),
    st.sampled_from([LINEAR, SMOOTH, ONE_HOT]),
    st.booleans(),
    st.fractions(Fraction(1, 20), 20),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=some(60), deadline=None)
def test_the_room_of_a_column_holds_its_noise(
    codes: int, encoding: str, missing: bool, least: Fraction, seed: int
) -> None:
    """In random directions (M, m): the variance of what one-way noise does there is at most what is claimed."""
    bins = 2 + codes % 5 if encoding == ONE_HOT else codes
    schema = schema_of([{"name": "c", "range": ["0", "1"], "bins": bins, **({"missing": True} if missing else {})}])
    column = schema.columns[0]
    block = block_of(column, encoding, 1 << 16)
    noise = ColumnNoise(0, encoding == ONE_HOT, block, 1 << 16, Fraction(1))
    room, row = noise.needs(least)
    assert room >= least
    values = np.array(block, float) / 2**16
    width = values.shape[1]
    stream = np.random.Generator(np.random.Philox(seed))
    centred: Floats = np.eye(len(values)) - 1 / len(values)
    parts = [np.outer(z, z).ravel() for z in values]
    matrices = np.array([np.concatenate([p, z, z]) for p, z in zip(parts, values, strict=True)])  # block, row, column
    covariance = matrices.T @ centred @ matrices
    for _ in range(20):
        square: Floats = stream.normal(size=(width, width))
        outer: Floats = stream.normal(size=(width,)) * stream.exponential()
        inner = (square + square.T) / 2
        direction = np.concatenate([inner.ravel(), outer, outer])
        claimed = float(room) * (inner**2).sum() + 2 * float(row) * (outer**2).sum()
        assert direction @ covariance @ direction <= claimed * (1 + 1e-9)
    norms = np.concatenate([np.full(width**2, float(room)), np.full(2 * width, float(row))]) ** 0.5
    most = np.linalg.eigvalsh(covariance / norms[:, None] / norms)[-1]
    assert most <= 1 + 1e-6
    if encoding == ONE_HOT or row == 0:
        return
    assert most > 0.99  # no more room than is needed
    for _ in range(6):  # exact elimination decides as eigenvalues do
        factors = [Fraction(int(x), 64) for x in stream.integers(16, 192, size=2)]
        tried = room * factors[0], row * factors[1]
        norms = np.concatenate([np.full(width**2, float(tried[0])), np.full(2 * width, float(tried[1]))]) ** 0.5
        most = np.linalg.eigvalsh(covariance / norms[:, None] / norms)[-1]
        assert noise._dominated(*tried) == (most <= 1) or abs(most - 1) < 1e-6


@given(st.lists(st.tuples(st.fractions(0, 9), st.integers(1, 9)), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
@settings(max_examples=some(40), deadline=None)
def test_the_norm_of_unequal_entries(parts: list[tuple[Fraction, int]], seed: int) -> None:
    radius = float(independent_radius(parts, BETA))
    deviations = np.concatenate([np.full(count, float(variance) ** 0.5) for variance, count in parts])
    drawn = np.random.Generator(np.random.Philox(seed)).normal(size=(400, len(deviations))) * deviations
    misses = int((np.linalg.norm(drawn, axis=1) > radius).sum())
    assert clopper_pearson.interval(misses, 400, 1 - 1e-6)[0] <= float(BETA)
    assert (radius == 0) == (not deviations.any())


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=some(40), deadline=None)
def test_an_arrow_is_not_longer_than_its_parts_allow(size: int, seed: int) -> None:
    stream = np.random.Generator(np.random.Philox(seed))
    block = stream.normal(size=(size, size))
    block, row, corner = block + block.T, stream.normal(size=size), float(stream.exponential())
    whole = np.block([[block, row[:, None]], [row[None, :], np.array([[corner]])]])
    parts = (Fraction(float(np.linalg.norm(block, 2))), Fraction(float(np.linalg.norm(row))), Fraction(corner))
    assert np.linalg.norm(whole, 2) <= float(arrow_above(*parts)) * (1 + 1e-9)


def test_no_scale_of_the_gaussian_matrix_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each gives a bound; the least is taken."""
    found, features = case("wide", "replace-one")
    noise = MatrixNoise(found, features)
    least = noise.radius(BETA)
    each = []
    for scale in radii_module._SCALES:
        monkeypatch.setattr(radii_module, "_SCALES", (scale,))
        each.append(noise.radius(BETA))
    assert min(each) == least
    assert len(set(each)) > 1


# --- certificates ------------------------------------------------------------------------------------------------


@cache
def best_model(label: str, tau: Fraction) -> tuple[Model, float]:
    """The model of least risk on the table itself, and its risk."""
    features = LabelledMoments.of(made(), label=label).feature_map
    values, labels = features.features(RECORDS) / float(features.one), features.labels(RECORDS)
    trained = train(values, labels, squared_norm=features.squared_norm, tau=tau)
    return Model(feature_map=features, coefficients=trained.coefficients, tau=tau), trained.risk_est


def excess(model: Model) -> float:
    """Over the least risk of any model of norm tau, on the table."""
    features = model.feature_map
    scores = features.features(RECORDS) / float(features.one) @ np.array([float(c) for c in model.coefficients])
    assert model.tau is not None
    _, least = best_model(features.label, model.tau)
    return float(np.logaddexp(0, -features.labels(RECORDS) * scores).mean()) - least


def some_model(features: FeatureMap, tau: Fraction, seed: int) -> Model:
    drawn = np.random.Generator(np.random.Philox(seed)).normal(size=features.size)
    drawn *= 0.7 * float(tau) / np.linalg.norm(drawn) / features.squared_norm**0.5
    return Model(feature_map=features, coefficients=tuple(Fraction(round(x * 10**6), 10**6) for x in drawn), tau=tau)


def released(adjacency: str, **asked: Any) -> CrossMoments:
    return made(adjacency=adjacency, size=1900 if adjacency == "add-remove" else 2000, **asked)


@pytest.mark.parametrize(("adjacency", "label"), [("replace-one", "pays"), ("add-remove", "owns")])
def test_a_certificate_covers_the_true_excess(adjacency: str, label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the best model it is small, and of a bad one it is at least what there is to gain."""
    monkeypatch.setattr(certifying, "SPLITS", 0)  # one polynomial is quicker, and no smaller bound is needed
    moments = LabelledMoments.of(released(adjacency, epsilon=4), label=label)
    tau = Fraction(1)
    best, _ = best_model(label, tau)
    found = certify_from_cross_moments(moments, best, class_for(best))
    assert found.verdict == "informative"
    assert found.uniform_over_models
    bad = some_model(moments.feature_map, tau, 1)
    assert 0 < excess(bad) <= float(certify_from_cross_moments(moments, bad, class_for(bad)).bound)


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_certificates_fail_no_more_often_than_they_say(adjacency: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over releases of one table under each adjacency, with models of all sorts."""
    monkeypatch.setattr(certifying, "SPLITS", 0)
    encoding = TableEncoding(SCHEMA, (SMOOTH, NONE, LINEAR, LINEAR, NONE), "pays")
    tau, runs, misses = Fraction(3), 60, 0
    features = LabelledMoments.of(made(encoding=encoding)).feature_map
    values, labels = features.features(RECORDS) / float(features.one), features.labels(RECORDS)
    least = train(values, labels, squared_norm=features.squared_norm, tau=tau).risk_est
    for run in range(runs):
        moments = LabelledMoments.of(released(adjacency, epsilon=2, run=run, encoding=encoding))
        model = some_model(features, tau, run)
        found = certify_from_cross_moments(moments, model, class_for(model), beta=Fraction(1, 2))
        scores = values @ np.array([float(c) for c in model.coefficients])
        misses += float(np.logaddexp(0, -labels * scores).mean()) - least > float(found.bound)
    assert clopper_pearson.interval(misses, runs, SURE)[0] <= 0.5


@pytest.mark.slow
def test_a_model_from_the_release_is_nearly_the_best_and_certified_so() -> None:
    moments = LabelledMoments.of(made(epsilon=4))
    model = train_from_cross_moments(moments, tau=2, points=20_000).model
    found = certify_from_cross_moments(moments, model, class_for(model))
    assert 0 <= excess(model) < 0.005
    assert excess(model) <= float(found.bound) < 0.1


def test_a_model_of_other_features_is_refused() -> None:
    moments = LabelledMoments.of(made())
    other = LabelledMoments.of(made(), label="owns").feature_map
    model = some_model(other, Fraction(1), 0)
    with pytest.raises(UsageError, match="model: its features are not those of the release with this label"):
        certify_from_cross_moments(moments, model, class_for(model))


def test_training_is_a_function_of_the_release() -> None:
    moments = LabelledMoments.of(made())
    one = train_from_cross_moments(moments, points=500)
    assert one.model == train_from_cross_moments(moments, points=500).model
    assert abs(excess(replace(one.model, tau=Fraction(5)))) < 0.1
    assert one.model.release == moments.release.digest
    with pytest.raises(UsageError, match="tau and ridge are both given"):
        train_from_cross_moments(moments, tau=1, ridge="0.1")
