"""The pairwise law: moves leave it invariant, its fit reaches its targets, and rows keep their counts."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from bounds.privacy.adjacency import Adjacency
from mechanisms.mechanism import Public
from mechanisms.synth.moments_plan import plan_moments
from mechanisms.tilt import law as law_module
from mechanisms.tilt.fit import systematic
from mechanisms.tilt.law import Features, PairwiseLaw, Points
from mechanisms.tilt.quasi_newton import minimise
from mechanisms.tilt.rows import draw_rows
from mechanisms.tilt.targets import Targets, nearest_shares, positive_shares
from release.cross_moments.file import CrossMoments
from release.cross_moments.make import release_cross_moments
from release.data.schema import Schema, parse_schema
from release.noise.randomness import read_randomness
from release.statistics.cross_moments import cross_sums, encode_table

COLUMNS = [
    {"name": "sex", "levels": ["F", "M"]},
    {"name": "age", "range": ["0", "100"], "bins": 5, "missing": True},
    {"name": "region", "levels": ["north", "east", "south"]},
    {"name": "ill", "levels": ["no", "yes"]},
]


def schema() -> Schema:
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": COLUMNS}))


SCHEMA = schema()
DOMAIN = np.array(list(itertools.product(*(range(size) for size in SCHEMA.domain.sizes))), dtype=np.int32)


def stream(key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key))


def exact_law(law: PairwiseLaw) -> np.ndarray[Any, Any]:
    """Every point of the domain with its probability, by enumeration."""
    points = Points.of(DOMAIN, law.features)
    values = points.values.astype(float)
    scores = 0.5 * np.einsum("ij,jk,ik->i", values, law.pairwise.astype(float), values)
    scores += sum(logs[DOMAIN[:, u]] for u, logs in enumerate(law.logs))
    found: np.ndarray[Any, Any] = np.exp(scores - scores.max())
    return found / found.sum()


def some_law(key: int, strength: float = 1.0) -> PairwiseLaw:
    encoding = encode_table(SCHEMA, smooth=True)
    features, drawn = Features.of(encoding), stream(key)
    matrix = np.zeros((features.size, features.size), np.float32)
    left, right = encoding.pairs
    matrix[left, right] = drawn.normal(0, strength, len(left))
    logs = tuple(drawn.normal(0, 0.5, size) for size in SCHEMA.domain.sizes)
    return PairwiseLaw(features, logs, matrix + matrix.T)


@pytest.mark.parametrize("most_direct", [64, 2])
@pytest.mark.parametrize("key", range(3))
def test_a_sweep_leaves_the_law_as_it_is(monkeypatch: pytest.MonkeyPatch, most_direct: int, key: int) -> None:
    """Points drawn from the exact law still have it after a sweep, by direct moves and by moves in groups."""
    monkeypatch.setattr(law_module, "MOST_DIRECT_CODES", most_direct)
    law, count = some_law(key), 60_000
    wanted = exact_law(law)
    places = stream(100 + key).choice(len(DOMAIN), size=count, p=wanted)
    points = Points.of(DOMAIN[places].copy(), law.features)
    law.sweep(points, stream(200 + key))
    assert np.array_equal(points.values, Points.of(points.codes, law.features).values)
    seen = np.bincount(SCHEMA.domain.numbers(points.codes), minlength=len(DOMAIN))
    expected = np.zeros(len(DOMAIN))
    expected[SCHEMA.domain.numbers(DOMAIN)] = wanted * count
    statistic = float(((seen - expected) ** 2 / expected)[expected > 5].sum())
    assert statistic < 2.2 * len(DOMAIN)  # about 1 a cell; a wrong move is off by hundreds


@pytest.mark.parametrize("most_direct", [64, 2])
def test_sweeps_reach_the_law_from_anywhere(monkeypatch: pytest.MonkeyPatch, most_direct: int) -> None:
    monkeypatch.setattr(law_module, "MOST_DIRECT_CODES", most_direct)
    law, count = some_law(5, strength=0.5), 30_000
    points = Points.of(np.zeros((count, 4), dtype=np.int32), law.features)
    drawn = stream(6)
    for _ in range(25):
        law.sweep(points, drawn)
    seen = np.bincount(SCHEMA.domain.numbers(points.codes), minlength=len(DOMAIN)) / count
    wanted = np.zeros(len(DOMAIN))
    wanted[SCHEMA.domain.numbers(DOMAIN)] = exact_law(law)
    assert np.abs(seen - wanted).sum() / 2 < 0.02


def release_of(records: np.ndarray[Any, Any], *, epsilon: str = "1", label: str | None = "ill") -> CrossMoments:
    public = Public(schema=SCHEMA, adjacency=Adjacency.REPLACE_ONE, size=len(records))
    plan = plan_moments(public, epsilon=Fraction(epsilon), dp_delta=Fraction(1, 10**9), label=label)
    return release_cross_moments(records, plan, read_randomness("simulate", seed=3))


def records_of(law: PairwiseLaw, count: int, key: int = 9) -> np.ndarray[Any, Any]:
    return DOMAIN[stream(key).choice(len(DOMAIN), size=count, p=exact_law(law))].astype(np.uint8)


def test_little_noise_gives_the_law_back() -> None:
    """A table of a pairwise law, hardly any noise: all pairs of columns of the rows are those of the table."""
    law = some_law(11, strength=0.6)
    records = records_of(law, 40_000)
    drawn = draw_rows(release_of(records, epsilon="50"), 20_000)
    assert drawn.codes.shape == (20_000, 4)
    assert drawn.effective > 0.9
    for u, v in itertools.combinations(range(4), 2):
        size = SCHEMA.domain.sizes[v]
        tables = [
            np.bincount(t[:, u].astype(int) * size + t[:, v], minlength=size * SCHEMA.domain.sizes[u]) / len(t)
            for t in (records, drawn.codes)
        ]
        assert np.abs(tables[0] - tables[1]).sum() / 2 < 0.03


def test_rows_are_a_function_of_the_release() -> None:
    release = release_of(records_of(some_law(2), 2_000))
    first, second = draw_rows(release, 700), draw_rows(release, 700)
    assert np.array_equal(first.codes, second.codes)
    assert first.codes.dtype == SCHEMA.domain.code_type


def test_many_rows_are_made_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    release = release_of(records_of(some_law(2), 2_000))
    monkeypatch.setattr("mechanisms.tilt.rows._MOST_AT_ONCE", 300)
    rows = draw_rows(release, 1_000).codes
    assert rows.shape == (1_000, 4)
    assert (rows < np.array(SCHEMA.domain.sizes)).all()


def test_the_dual_has_the_gradient_it_states() -> None:
    from mechanisms.tilt.fit import Fitter

    release = release_of(records_of(some_law(4), 3_000))
    fitter = Fitter(Targets.of(release), Features.of(release.encoding), stream(1))
    place = stream(2).normal(0, 0.05, len(fitter.terms))
    _, gradient = fitter._dual(place)
    for i in range(0, len(place), 7):
        up, down = place.copy(), place.copy()
        up[i] += 1e-2
        down[i] -= 1e-2
        slope = (fitter._dual(up)[0] - fitter._dual(down)[0]) / 2e-2
        assert slope == pytest.approx(gradient[i], abs=2e-4, rel=2e-2)


@settings(deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=1, max_size=12))
def test_nearest_shares_are_the_projection(noisy: list[float]) -> None:
    """On the simplex, and no other share is nearer: (noisy - x) . (y - x) <= 0 at every corner y."""
    given_shares = np.array(noisy)
    found = nearest_shares(given_shares)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    step = given_shares - found
    assert max(step) - step @ found <= 1e-9
    assert positive_shares(given_shares, 0.01).min() > 0


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(1, 500), st.integers(0, 2**32))
def test_systematic_choice_keeps_counts(weights: list[float], count: int, key: int) -> None:
    given_weights = np.array(weights) + 1e-6
    places = systematic(given_weights, count, stream(key))
    counts = np.bincount(places, minlength=len(weights))
    assert len(places) == count
    assert np.all(np.abs(counts - count * given_weights / given_weights.sum()) < 1 + 1e-6)


def test_steps_reach_the_minimum_that_scipy_finds() -> None:
    drawn = stream(8)
    root = drawn.normal(size=(30, 12))
    target = drawn.normal(size=12)

    def function(x: np.ndarray[Any, Any]) -> tuple[float, np.ndarray[Any, Any]]:
        scores = root @ x
        weights = np.exp(scores - scores.max())
        value = scores.max() + np.log(weights.sum()) - target @ x + 0.1 * x @ x
        return float(value), root.T @ (weights / weights.sum()) - target + 0.2 * x

    ours = minimise(function, np.zeros(12), steps=60)
    theirs = optimize.minimize(function, np.zeros(12), jac=True, method="BFGS", options={"gtol": 1e-9})
    assert function(ours)[0] == pytest.approx(theirs.fun, abs=1e-8)


def test_sums_are_those_of_plain_arithmetic() -> None:
    """Counts and products, record by record in whole numbers."""
    records = records_of(some_law(1), 200)
    encoding = encode_table(SCHEMA, smooth=True, label="ill")
    found = cross_sums(records, encoding)
    rows = [[value for u, code in enumerate(record) for value in encoding.blocks[u][code]] for record in records]
    left, right = encoding.pairs
    expected = [sum(row[a] * row[b] for row in rows) for a, b in zip(left, right, strict=True)]
    assert list(found.cross) == expected
    assert sum(found.one_way) == 200 * 4
    assert found.n == 200
