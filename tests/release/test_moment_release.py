"""Releases of moments: exact sums, sensitivity and noise that keep the promise, and files that are read strictly."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import secrets
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bounds.errors import DataError, ParameterError, UsageError
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import gaussian_delta
from bounds.privacy.statements import GaussianDP
from release.data.schema import Schema, parse_schema
from release.files.digest import canonical_json
from release.moments.budget import MULTIPLICITIES, multiplicity, squared_sensitivity
from release.moments.file import MomentRelease, release_text
from release.moments.make import MomentRequest, make_release
from release.moments.read import parse_release, read_release
from release.statistics import moments as sums_module
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.moments import fourth_indices, moment_sums

COLUMNS = [
    {"name": "a", "levels": ["0", "1"]},
    {"name": "b", "range": ["0", "1"], "bins": 4},
    {"name": "c", "levels": ["x", "y", "z"]},
    {"name": "y", "levels": ["no", "yes"]},
]


def schema(source: str = "public") -> Schema:
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": source, "columns": COLUMNS}))


FEATURES = build_feature_map(schema(), label="y", one_hot=["c"])
DOMAIN = np.array(list(itertools.product(range(2), range(4), range(3), range(2))), dtype=np.uint8)
TABLE = DOMAIN[np.random.Generator(np.random.Philox(7)).integers(0, len(DOMAIN), 500)]
WIDE: dict[str, Any] = {"epsilon": 1, "dp_delta": "1e-6", "adjacency": "replace-one", "mode": "simulate", "seed": 5}
KINDS: list[dict[str, Any]] = [
    {**WIDE},
    {**WIDE, "fourth": True, "weight": "1/2", "fourth_weight": "0.3", "reserve": "1/5"},
    {**WIDE, "adjacency": "add-remove", "n0": 400, "reserve": "0.1"},
    {**WIDE, "mode": "release", "seed": None, "fourth": True},
    {**WIDE, "mode": "release", "seed": None, "adjacency": "add-remove", "n0": 400, "fourth": True},
]


def made(**changes: Any) -> MomentRelease:
    return make_release(TABLE, FEATURES, **(WIDE | changes))


# --- sums --------------------------------------------------------------------------------------------------------


def by_hand(codes: Any, features: FeatureMap) -> tuple[list[int], list[list[int]], list[int]]:
    rows, labels = features.features(codes).tolist(), features.labels(codes).tolist()
    p = features.size
    first = [sum(y * row[j] for y, row in zip(labels, rows, strict=True)) for j in range(p)]
    second = [[sum(row[j] * row[k] for row in rows) for k in range(j, p)] for j in range(p)]
    fourth = [sum(row[i] * row[j] * row[k] * row[m] for row in rows) for i, j, k, m in fourth_indices(p)]
    return first, second, fourth


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.integers(0, len(DOMAIN) - 1), max_size=40),
    st.integers(1, 50),
    st.sampled_from([1, 7, 16, 20]),
    st.sampled_from([sums_module._BLOCK_BYTES, 1]),
)
def test_sums_are_exact_however_the_records_arrive(numbers: list[int], batch: int, bits: int, block: int) -> None:
    codes = DOMAIN[numbers]
    features = build_feature_map(schema(), label="y", one_hot=["c"], bits=bits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums_module, "_BLOCK_BYTES", block)
        found = moment_sums((codes[i : i + batch] for i in range(0, len(codes), batch)), features, fourth=True)
    first, second, fourth = by_hand(codes, features)
    assert found.n == len(numbers)
    assert list(found.first) == first
    assert [list(row) for row in found.second] == second
    assert found.fourth is not None
    assert list(found.fourth) == fourth
    assert all(type(value) is int for value in (*found.first, *found.second[0], *found.fourth))


def test_sums_beyond_64_bits_do_not_overflow() -> None:
    features = build_feature_map(schema(), label="y", one_hot=(), bits=20)
    codes = np.tile(np.array([[1, 3, 2, 1]], dtype=np.uint8), (20000, 1))
    found = moment_sums(codes, features, fourth=True)
    assert found.fourth is not None
    assert set(found.fourth) == {20000 * 2**80}
    assert set(found.second[0]) == {20000 * 2**40}


def test_records_that_the_schema_does_not_know_are_refused() -> None:
    with pytest.raises(DataError, match="outside"):
        moment_sums(np.array([[0, 4, 0, 0]]), FEATURES)
    wide = parse_schema(
        json.dumps(
            {
                "synthbounds_schema": 1,
                "source": "public",
                "columns": [{"name": "w", "range": [0, 1], "bins": 41}, COLUMNS[3]],
            }
        )
    )
    with pytest.raises(ParameterError, match="at most 40"):
        moment_sums(np.zeros((1, 2), dtype=np.uint8), build_feature_map(wide, label="y", one_hot=["w"]), fourth=True)


# --- sensitivity and noise ---------------------------------------------------------------------------------------


@pytest.mark.share(3)
@pytest.mark.parametrize("a2", [Fraction(1, 10), Fraction(1), Fraction(2), Fraction(3), Fraction(6), Fraction(50)])
@pytest.mark.parametrize("c2", [None, Fraction(1, 100), Fraction(1), Fraction(9)])
def test_the_sensitivity_is_the_maximum_over_the_unit_ball(a2: Fraction, c2: Fraction | None) -> None:
    stated = squared_sensitivity(Adjacency.REPLACE_ONE, weight=a2, fourth_weight=c2)
    c = c2 or Fraction(0)
    grid = [Fraction(k, 2000) for k in range(-2000, 2001)]
    values = [2 * a2 * (1 - s) + 2 * (1 - s**2) + 2 * c * (1 - s**4) for s in grid]
    assert max(values) <= stated
    # h' is at most 4 + 24 c in its own slope, and a point of the grid is within 1/4000 of the maximum.
    assert stated <= max(values) + (4 + 24 * c) / Fraction(2 * 4000**2) + Fraction(1, 10**12)
    assert squared_sensitivity(Adjacency.ADD_REMOVE, weight=a2, fourth_weight=c2) == a2 + 1 + c


def test_published_sensitivities() -> None:
    assert squared_sensitivity(Adjacency.REPLACE_ONE, weight=Fraction(1), fourth_weight=None) == Fraction(9, 2)
    with_fourth = squared_sensitivity(Adjacency.REPLACE_ONE, weight=Fraction(1), fourth_weight=Fraction(1))
    assert abs(with_fourth - Fraction("6.42960949370572389")) <= Fraction(1, 10**17)


def contribution(row: list[int], label: int) -> list[int]:
    p = len(row)
    found = [label * value for value in row] + [row[j] * row[k] for j in range(p) for k in range(j, p)]
    return found + [row[i] * row[j] * row[k] * row[m] for i, j, k, m in fourth_indices(p)]


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("fourth", [False, True])
@pytest.mark.parametrize("weight", ["1", "1/3", "7"])
def test_no_two_neighbours_are_told_apart_better_than_the_budget_allows(
    adjacency: Adjacency, fourth: bool, weight: str
) -> None:
    """Over the whole domain, exactly: differences of sums in standard deviations, against mu^2."""
    found = made(
        adjacency=adjacency, n0=10 if adjacency is Adjacency.ADD_REMOVE else None, fourth=fourth, weight=weight
    )
    variances = [sd**2 for sd in found.noise.scales]
    rows, labels = FEATURES.features(DOMAIN).tolist(), FEATURES.labels(DOMAIN).tolist()
    moved = [contribution(row, y)[: len(variances)] for row, y in zip(rows, labels, strict=True)]
    inverse = [float(1 / v) for v in variances]

    def distance(one: list[int], other: list[int]) -> float:
        return sum((a - b) ** 2 * w for a, b, w in zip(one, other, inverse, strict=True))

    zero = [0] * len(variances)
    pairs = [(m, zero) for m in moved]
    if adjacency is Adjacency.REPLACE_ONE:
        pairs = list(itertools.combinations(moved, 2))
    largest, *_ = sorted(pairs, key=lambda pair: distance(*pair), reverse=True)
    exact = sum((a - b) ** 2 / v for a, b, v in zip(*largest, variances, strict=True))
    assert exact <= found.mu_squared_spent
    if adjacency is Adjacency.ADD_REMOVE:  # records at corners have norm 1: nothing is wasted
        assert exact >= found.mu_squared_spent * (1 - Fraction(1, 10**12))


@pytest.mark.parametrize("epsilon", ["0.01", "1", "20"])
@pytest.mark.parametrize("reserve", ["0", "0.2", "0.999"])
def test_the_budget_keeps_within_epsilon_and_delta(epsilon: str, reserve: str) -> None:
    budget = made(epsilon=epsilon, dp_delta="1e-7", reserve=reserve)
    assert budget.mu_squared_spent + budget.mu_squared_reserved == budget.mu_squared
    assert budget.ledger.spent == budget.mu_squared_spent
    assert budget.ledger.left == 0
    total = GaussianDP(mu_squared=budget.mu_squared, adjacency=Adjacency.REPLACE_ONE)
    assert gaussian_delta(total, epsilon=epsilon).delta.hi <= Fraction(1, 10**7)
    more = GaussianDP(mu_squared=budget.mu_squared * (1 + Fraction(1, 10**12)), adjacency=Adjacency.REPLACE_ONE)
    assert gaussian_delta(more, epsilon=epsilon).delta.lo > Fraction(1, 10**7)
    assert budget.epsilon_spent <= Fraction(epsilon)


def test_deviations_are_just_above_what_the_contract_says() -> None:
    found = made(fourth=True, weight="1/2", fourth_weight="1/3", reserve="1/4")
    base = found.squared_sensitivity / found.mu_squared_spent
    norm, one = FEATURES.squared_norm, FEATURES.one
    assert found.deviations.fourth is not None
    wanted = [
        (found.deviations.first, base * 2 * norm * one**2),
        (found.deviations.second_diagonal, base * norm**2 * one**4),
        (found.deviations.second_off_diagonal, base * norm**2 * one**4 / 2),
        *((sd, base * 3 * norm**4 * one**8 / m) for m, sd in zip(MULTIPLICITIES, found.deviations.fourth, strict=True)),
    ]
    for sd, variance in wanted:
        assert variance <= sd**2 <= variance * (1 + Fraction(1, 10**13))


@given(st.fractions(Fraction(1, 10**9), 10**9))
def test_roots_are_rounded_up(value: Fraction) -> None:
    root = root_at_least(value)
    assert value <= root**2 <= value * (1 + Fraction(1, 10**13))


def test_multiplicities_add_up_to_the_tensor() -> None:
    counted = Counter(multiplicity(indices) for indices in fourth_indices(6))
    assert sum(m * count for m, count in counted.items()) == 6**4
    assert set(counted) == set(MULTIPLICITIES)


def errors_in_deviations(found: MomentRelease) -> list[float]:
    exact = moment_sums(TABLE, FEATURES, fourth=found.fourth_sums is not None)
    noisy = [*found.first_sums, *itertools.chain(*found.second_sums), *(found.fourth_sums or ())]
    true = [*exact.first, *itertools.chain(*exact.second), *(exact.fourth or ())]
    each = found.noise.scales
    return [float((a - b) / sd) for a, b, sd in zip(noisy, true, each, strict=True)]


@pytest.mark.parametrize("mode", ["simulate", "release"])
def test_noise_has_the_deviations_that_are_stated(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbits", random.Random(11).getrandbits)
    seeds = [{"mode": mode, "seed": seed} if mode == "simulate" else {"mode": mode, "seed": None} for seed in range(8)]
    errors = np.array([errors_in_deviations(made(fourth=True, **choice)) for choice in seeds])
    p = FEATURES.size
    for block in (errors[:, :p], errors[:, p : p + p * (p + 1) // 2], errors[:, p + p * (p + 1) // 2 :]):
        assert stats.kstest(block.ravel(), "norm").pvalue > 1e-3


def test_a_simulation_depends_on_seed_and_run_alone() -> None:
    assert made() == made()
    assert make_release(iter([TABLE[:100], TABLE[100:]]), FEATURES, **WIDE) == made()
    assert len({made().digest, made(seed=6).digest, made(run=1).digest}) == 3


def _refuse(*_: object, **__: object) -> None:
    raise AssertionError("a random number of numpy or of Python's generator was asked for")


def test_a_release_runs_with_numpys_noise_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("Generator", "Philox", "default_rng", "normal", "random", "seed"):
        monkeypatch.setattr(np.random, name, _refuse)
    for name in ("random", "getrandbits", "gauss"):
        monkeypatch.setattr(random, name, _refuse)
    monkeypatch.setitem(sys.modules, "release.noise.simulated", None)
    found = made(mode="release", seed=None)
    assert not found.is_simulated
    assert found != made(mode="release", seed=None)
    with pytest.raises(ImportError):
        made()


# --- the object --------------------------------------------------------------------------------------------------


def test_means_and_their_noise() -> None:
    found = made(fourth=True, weight=1)
    n, one, p = 500, FEATURES.one, FEATURES.size
    assert (found.size, found.size_is_exact) == (n, True)
    assert found.first == tuple(Fraction(value, n * one) for value in found.first_sums)
    for i, j in itertools.product(range(p), repeat=2):
        low, high = min(i, j), max(i, j)
        assert found.second[i][j] == Fraction(found.second_sums[low][high - low], n * one**2)
    assert found.fourth is not None
    assert found.fourth_sums is not None
    assert found.fourth[-1] == Fraction(found.fourth_sums[-1], n * one**4)
    norm, noise = FEATURES.squared_norm, found.deviations
    assert found.noise_first**2 >= (noise.first / (n * one)) ** 2 / norm
    assert found.noise_second**2 >= (noise.second_diagonal / (n * one**2)) ** 2 / norm**2
    assert found.noise_second**2 >= 2 * (noise.second_off_diagonal / (n * one**2)) ** 2 / norm**2
    assert found.noise_fourth is not None
    assert noise.fourth is not None
    for m, sd in zip(MULTIPLICITIES, noise.fourth, strict=True):
        assert found.noise_fourth**2 >= m * (sd / (n * one**4)) ** 2 / norm**4
    base = found.squared_sensitivity / found.mu_squared_spent / n**2
    for stated in (found.noise_first, found.noise_second, found.noise_fourth):  # weights are 1: one deviation for all
        assert base <= stated**2 <= base * (1 + Fraction(1, 10**12))
    assert (found.grid_first, found.grid_second) == (Fraction(1, 2 * n * one), Fraction(1, 2 * n * one**2))


def test_under_add_remove_the_size_is_the_noisy_count_but_not_below_the_least() -> None:
    asked = {**WIDE, "adjacency": "add-remove"}
    for seed in range(5):
        found = make_release(TABLE, FEATURES, **(asked | {"n0": 1, "seed": seed}))
        assert found.size == round(Fraction(found.second_sums[-1][0], FEATURES.one**2))
        assert not found.size_is_exact
    assert make_release(TABLE, FEATURES, **(asked | {"n0": 10**6})).size == 10**6
    assert make_release(TABLE[:0], FEATURES, **(asked | {"n0": 50})).size >= 50
    with pytest.raises(DataError, match="no rows"):
        make_release(TABLE[:0], FEATURES, **WIDE)


def test_a_reservation_is_spent_once() -> None:
    found = made(reserve="0.2")
    spent = found.with_reservation_spent()
    assert (found.reservation_state, spent.reservation_state) == ("open", "spent")
    assert found.reservation_id == spent.reservation_id
    assert found.digest != spent.digest
    assert parse_release(release_text(spent)) == spent
    with pytest.raises(UsageError, match="is spent"):
        spent.with_reservation_spent()
    with pytest.raises(UsageError, match="nothing is reserved"):
        made().with_reservation_spent()
    assert made(reserve="0.2", seed=6).reservation_id != found.reservation_id


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"mode": "release"}, "seed is for"),
        ({"seed": None}, "seed is missing"),
        ({"mode": "pretend"}, "mode"),
        ({"adjacency": "both"}, "adjacency"),
        ({"n0": 5}, "least-size is for"),
        ({"adjacency": "add-remove"}, "least-size is for"),
        ({"adjacency": "add-remove", "n0": 0}, "least_size = 0"),
        ({"epsilon": 0}, "epsilon = 0"),
        ({"epsilon": float("nan")}, "finite"),
        ({"dp_delta": 1}, "dp_delta = 1"),
        ({"reserve": 1}, "reserve = 1"),
        ({"reserve": "-0.1"}, "reserve = -0.1"),
        ({"weight": 0}, "weight = 0"),
        ({"fourth": True, "fourth_weight": 0}, "fourth_weight = 0"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_what_cannot_be_asked_for(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as caught:
        made(**changes)
    assert "\n" not in str(caught.value)


def test_a_release_needs_a_public_schema_and_sums_that_fit() -> None:
    drafted = build_feature_map(schema("data-dependent"), label="y")
    with pytest.raises(DataError, match="public knowledge"):
        make_release(TABLE, drafted, **(WIDE | {"mode": "release", "seed": None}))
    assert make_release(TABLE, drafted, **WIDE).is_simulated
    with pytest.raises(UsageError, match="fourth"):
        MomentRequest(FEATURES, **WIDE).release_sums(moment_sums(TABLE, FEATURES, fourth=True))


# --- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", KINDS)
def test_files_there_and_back(asked: dict[str, Any], tmp_path: Path) -> None:
    found = make_release(TABLE, FEATURES, **asked)
    text = release_text(found)
    (tmp_path / "release.json").write_text(text, encoding="utf-8")
    assert read_release(tmp_path / "release.json") == found
    body = json.loads(text)
    assert ("NOT A RELEASE" in (body["stamp"] or "")) == found.is_simulated
    assert body["synthbounds_release"] == 1
    content = {key: value for key, value in body.items() if key != "digest"}
    assert body["digest"] == hashlib.sha256(canonical_json(content).encode()).hexdigest()
    listed = [*body["first"], *itertools.chain(*body["second"]), *body.get("fourth", [])]
    assert all(isinstance(value, str) == (abs(int(value)) > 2**53) for value in listed)


def test_every_changed_character_is_noticed() -> None:
    """Digits, letters and punctuation of the file, one at a time."""
    text = release_text(made(reserve="0.2"))
    generator = random.Random(1)
    for place in generator.sample(range(len(text)), 150):
        other = "7" if text[place] != "7" else "8"
        if text[place].isspace():
            continue
        with pytest.raises(DataError) as caught:
            parse_release(text[:place] + other + text[place + 1 :])
        assert "\n" not in str(caught.value)


def forged(change: Callable[[dict[str, Any]], object], **asked: Any) -> str:
    """A file with a change and a digest that fits it."""
    body = json.loads(release_text(made(**asked)))
    change(body)
    content = {key: value for key, value in body.items() if key != "digest"}
    return json.dumps(content | {"digest": hashlib.sha256(canonical_json(content).encode()).hexdigest()})


def put(*path: Any) -> Callable[[dict[str, Any]], object]:
    """Set what the path leads to; its last part is the value."""

    def change(body: dict[str, Any]) -> None:
        place: Any = body
        for key in path[:-2]:
            place = place[key]
        place[path[-2]] = path[-1]

    return change


def drop(*path: Any) -> Callable[[dict[str, Any]], object]:
    def change(body: dict[str, Any]) -> None:
        place: Any = body
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (put("synthbounds_release", 2), "synthbounds_release = 2: must be 1"),
        (put("kind", "marginals"), 'kind = "marginals"'),
        (put("mode", "publish"), "mode"),
        (put("mode", "release"), "seed goes with mode simulate"),
        (put("stamp", None), "stamp"),
        (put("statistic", "something else"), "statistic"),
        (put("adjacency", "swap-one"), "adjacency"),
        (put("adjacency", "add-remove"), "least_size"),
        (put("n", 0), "n = 0"),
        (put("n", "500"), "n ="),
        (put("n", 500.0), "whole number"),
        (put("n", True), "n = true"),
        (put("least_size", 100), "not with least_size"),
        (drop("n"), "goes with n"),
        (put("weight", "2"), "sensitivity"),
        (put("weight", "0"), "weight = 0"),
        (put("weight", "NaN"), "finite"),
        (put("weight", 1), "in quotes"),
        (put("weight", "2/2"), "weight"),
        (put("fourth_weight", "1"), "go together"),
        (put("fourth", []), "go together"),
        (put("sensitivity", "squared", "4"), "squared"),
        (put("sensitivity", "norm", "L1"), "norm"),
        (put("sensitivity", "decimal", "2.1"), "decimal"),
        (put("noise", "first", "1000"), "first"),
        (put("noise", "second_off_diagonal", "1"), "second_off_diagonal"),
        (put("noise", "fourth", {}), "is not a field here"),
        (put("noise", "none"), "noise"),
        (put("budget", "epsilon", "2"), "noise: first"),
        (put("budget", "dp_delta", "1"), "dp_delta = 1"),
        (put("budget", "mu_squared", "1"), "mu_squared"),
        (put("budget", "mu_squared_spent", "1"), "mu_squared_spent"),
        (put("budget", "reserve", "1"), "reserve = 1"),
        (put("budget", "reserve", "0"), "goes with a reserve"),
        (put("budget", "reservation", None), "goes with a reserve"),
        (put("budget", "reservation", "state", "lent"), "state"),
        (put("budget", "reservation", "id", "0" * 32), "id"),
        (put("budget", "reservation", "mu_squared", "1"), "mu_squared"),
        (drop("budget", "reservation", "state"), "state is missing"),
        (put("schema", "source", "guess"), "source"),
        (put("schema", "columns", 0, "levels", ["0", "2"]), "feature_map: digest"),
        (put("feature_map", "digest", "0" * 64), "feature_map: digest"),
        (put("feature_map", "bits", 12), "feature_map: digest"),
        (put("feature_map", "encodings", "c", "linear"), "feature_map: digest"),
        (put("feature_map", "positive", "no"), "feature_map: digest"),
        (put("first", 0, "NaN"), r"first\[0\]"),
        (put("first", 0, 0.5), "whole number"),
        (put("first", 0, None), r"first\[0\]"),
        (put("first", 0, "12"), "text above"),
        (put("first", 0, 2**60), "text above"),
        (put("first", []), "must be a list of 6"),
        (drop("first", 0), "has 5 entries"),
        (drop("second", 5), "6 rows"),
        (drop("second", 1, 0), r"second\[1\]: has 4 entries; must be a list of 5"),
        (lambda body: body["second"][1].insert(0, 0), r"second\[1\]: has 6 entries; must be a list of 5"),
        (put("second", 0, 0, [1]), r"second\[0\]\[0\]"),
        (put("seed", 5), "seed"),
        (put("run", "-1"), "run"),
        (drop("run"), "run goes with"),
        (put("more", 1), "is not a field"),
        (drop("noise"), "noise is missing"),
    ],
)
def test_fields_that_do_not_belong_together_are_refused(
    change: Callable[[dict[str, Any]], object], complaint: str
) -> None:
    with pytest.raises(DataError, match=complaint) as caught:
        parse_release(forged(change, reserve="0.2"))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (drop("fourth", 3), "has 125 entries; must be a list of 126"),
        (put("noise", "fourth", "multiplicity_4", "1"), "multiplicity_4"),
        (put("fourth_weight", "2"), "squared"),
        (put("fourth_weight", None), "go together"),
    ],
)
def test_fourth_moments_that_do_not_fit_are_refused(change: Callable[[dict[str, Any]], object], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        parse_release(forged(change, fourth=True))


def test_a_release_with_a_schema_from_data_is_refused() -> None:
    body = json.loads(release_text(made(mode="release", seed=None)))
    body["schema"]["source"] = "data-dependent"
    content = {key: value for key, value in body.items() if key != "digest"}
    body["digest"] = hashlib.sha256(canonical_json(content).encode()).hexdigest()
    with pytest.raises(DataError, match="public knowledge"):
        parse_release(json.dumps(body))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("[]", "must be an object"),
        ("{}", "is missing"),
        ('{"n": NaN}', "NaN is not a number"),
        ('{"n": Infinity}', "Infinity is not a number"),
        ('{"n": 1, "n": 2}', "given twice"),
        ("[" * 100000, "nested too deeply"),
    ],
)
def test_text_that_is_no_release(text: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        parse_release(text)


def test_nan_among_the_moments_is_refused() -> None:
    text = release_text(made()).replace('"first": [', '"first": [NaN, ')
    with pytest.raises(DataError, match="NaN is not a number"):
        parse_release(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"release .nowhere\.json.: cannot be read"):
        read_release(tmp_path / "nowhere.json")
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(DataError, match="not UTF-8"):
        read_release(tmp_path / "latin")
