"""Errors of a finished table over a workload: the sensitivity on many neighbours, misses, workloads, files."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.errors import DataError, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from release import measure as measure_module
from release.accuracy.file import AccuracyRelease
from release.accuracy.make import measure_accuracy, release_accuracy
from release.accuracy.read import accuracy_of
from release.accuracy.workload import TableWorkload, read_workload
from release.data.source import as_source
from release.files.digest import digest_of
from release.files.strict_json import parse_json
from release.noise.draw import draw
from release.noise.randomness import read_randomness
from release.statistics.custom_family import CustomFamily
from release.statistics.families import build_family
from release.statistics.statistic import RECORD_STEPS
from release.statistics.table_errors import error_sensitivity, error_steps
from tests.release.comparison_examples import BUDGETS, DOMAIN, SCHEMA, miss_rates, name_of, table

REAL, SYNTHETIC = table(60, 1), table(40, 2)
BETA = Fraction(1, 20)
WORKLOADS = ("pairs", "degree:1", "degree:4", "monomials:2", "moments:2", "thresholds:3", "cells:2")


def made(records: np.ndarray = REAL, workload: Any = "pairs", **changes: Any) -> AccuracyRelease:
    asked: dict[str, Any] = {"epsilon": 1, "adjacency": "replace-one", "mode": "simulate", "seed": 3}
    synthetic = changes.pop("synthetic", SYNTHETIC)
    return release_accuracy(records, synthetic, SCHEMA, workload, **(asked | changes))


def values(workload: str, codes: np.ndarray) -> np.ndarray:
    """Every query of a workload at every record, queries in rows, without the counting that releases use."""
    known = read_workload(workload, SCHEMA)
    if isinstance(known, TableWorkload):
        sizes = SCHEMA.domain.sizes
        cells = [
            (places, cell) for places in known.tables for cell in itertools.product(*(range(sizes[j]) for j in places))
        ]
        return np.array([(codes[:, places] == cell).all(axis=1) for places, cell in cells], dtype=float)
    name, degree = workload.split(":")
    family = build_family(name, SCHEMA.domain, int(degree))
    return family.values(codes) / family.denominator


def errors_est(workload: str, real: np.ndarray, synthetic: np.ndarray) -> tuple[float, float]:
    """The largest and the mean difference of means."""
    found = np.abs(values(workload, real).mean(axis=1) - values(workload, synthetic).mean(axis=1))
    return float(found.max()), float(found.mean())


# --- the theorem ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workload", ["pairs", "monomials:2", "thresholds:3"])
@pytest.mark.parametrize("adjacency", Adjacency)
def test_no_two_neighbours_are_further_apart_than_is_charged(workload: str, adjacency: Adjacency) -> None:
    """Over 10^5 pairs of neighbouring tables, counted as weights on the records of the domain."""
    rng, at = np.random.default_rng(5), values(workload, DOMAIN)
    count, size = 20_000, 6
    replaced = adjacency is Adjacency.REPLACE_ONE
    mean_moved = float(read_workload(workload, SCHEMA).mean_moved(adjacency))
    records = rng.integers(0, len(DOMAIN), (count, size if replaced else 9))
    other = rng.integers(0, len(DOMAIN), count)
    synthetic = at[:, rng.integers(0, len(DOMAIN), (count, 3))].mean(axis=2)
    sums = at[:, records].sum(axis=2)
    after = sums - at[:, records[:, 0]] + (at[:, other] if replaced else 0)

    def both(totals: np.ndarray, n: int) -> np.ndarray:
        errors = np.abs(totals - size * synthetic)
        largest = errors.max(axis=0) if replaced else np.maximum(errors.max(axis=0), abs(n - size))
        return np.stack([largest, errors.mean(axis=0) / mean_moved])

    n = records.shape[1]
    moved = np.abs(both(sums, n) - both(after, n if replaced else n - 1))
    assert moved.max() <= 1 + 1e-9
    assert moved[0].max() >= 1 - 1e-9
    if workload == "pairs" and not replaced:
        assert moved[1].max() >= 0.8


def test_both_numbers_reach_what_is_charged() -> None:
    """One table of one column: a record that moves to a cell where nothing is moves the largest and the mean by 1."""
    known = read_workload("degree:1", SCHEMA)
    only = TableWorkload(SCHEMA, ((0,),))
    assert only.mean_moved(Adjacency.REPLACE_ONE) == 1
    assert known.mean_moved(Adjacency.REPLACE_ONE) == Fraction(8, 9)
    before, after = (np.array([[code, 0, 0, 0] for code in column], dtype=np.uint8) for column in ((1, 1), (1, 0)))
    synthetic = np.zeros((3, 4), dtype=np.uint8)
    steps = []
    for real in (before, after):
        sums = [only.sums(as_source(codes, SCHEMA.domain)) for codes in (real, synthetic)]
        steps.append(
            error_steps(
                *sums, denominator=1, n=2, rows=3, size=2, mean_moved=Fraction(1), adjacency=Adjacency.REPLACE_ONE
            )
        )
    moved = [abs(x - y) for x, y in zip(*steps, strict=True)]
    assert moved == [RECORD_STEPS, RECORD_STEPS]
    l1, l2_squared = error_sensitivity()
    assert l1 - 2 == sum(moved)
    assert l2_squared == 2 * (RECORD_STEPS + 1) ** 2


@pytest.mark.parametrize("workload", WORKLOADS)
def test_without_noise_the_numbers_are_the_errors(workload: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_module, "draw", lambda noise, exact, randomness: tuple(exact))
    found = made(workload=workload)
    largest, mean = errors_est(workload, REAL, SYNTHETIC)
    unit = RECORD_STEPS * len(REAL)
    assert -1e-6 <= found.numbers[0] - largest * unit <= 1 + 1e-6
    assert -1e-6 <= found.numbers[1] - mean * unit / float(found.mean_moved) <= 1 + 1e-6
    bound = found.errors(BETA)
    assert bound.largest >= largest
    assert bound.mean >= mean
    private = made(workload=workload, adjacency="add-remove", least_size=50)
    bound = private.errors(BETA)
    assert bound.largest >= largest
    assert bound.mean >= mean


@pytest.mark.parametrize("workload", ["degree:1", "monomials:1"])
def test_bounds_with_a_private_size_hold_and_are_needed(workload: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without noise, for stated sizes below and above the real one: every term of the bound is needed somewhere."""
    monkeypatch.setattr(measure_module, "draw", lambda noise, exact, randomness: tuple(exact))
    monkeypatch.setattr("release.comparison.planned.deepest_fall", lambda noise, failure: 0)
    rng = np.random.default_rng(3)
    closest = 1.0
    for _ in range(150):
        real, synthetic = (DOMAIN[rng.integers(0, len(DOMAIN), n)] for n in rng.integers(1, 4, 2))
        size = max(1, len(real) + int(rng.integers(-1, 2)))
        found = made(real, workload, synthetic=synthetic, adjacency="add-remove", least_size=size).errors(BETA)
        largest, mean = errors_est(workload, real, synthetic)
        assert found.largest >= largest - 1e-9
        assert found.mean >= mean - 1e-9
        if found.largest < 1:
            closest = min(closest, float(found.largest) - largest)
    assert closest < 1e-3


def test_large_numbers_do_not_overflow() -> None:
    counts, rows = np.array([2**40, 0]), 2**31
    found = error_steps(
        [counts],
        [np.array([0, rows])],
        denominator=1,
        n=2**40,
        rows=rows,
        size=2**40,
        mean_moved=Fraction(1),
        adjacency=Adjacency.REPLACE_ONE,
    )
    assert found == (2**40 * RECORD_STEPS, 2**40 * RECORD_STEPS)


# --- noise ---------------------------------------------------------------------------------------------------------


def rate_of_misses(found: AccuracyRelease, numbers: list[tuple[int, int]], beta: Fraction) -> tuple[float, float]:
    """How often a bound on the errors of sums is below the truth."""
    size = found.stated_size
    at = np.abs(values("pairs", REAL).sum(axis=1) - size * values("pairs", SYNTHETIC).mean(axis=1))
    largest = at.max() if found.size_is_exact else max(at.max(), abs(len(REAL) - size))
    exact = largest, at.mean() / float(found.mean_moved)
    fall = found.fall(beta)
    misses = sum(
        any(max(0, value + fall) / RECORD_STEPS < true for value, true in zip(pair, exact, strict=True))
        for pair in numbers
    )
    return miss_rates(misses, len(numbers))


@pytest.mark.parametrize("budget", BUDGETS, ids=name_of)
def test_misses_are_compatible_with_beta(budget: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand draws of the noise: the bounds fail as often as they say, and hardly less."""
    beta, first = Fraction(1, 5), made(**budget)
    with monkeypatch.context() as patch:
        patch.setattr(measure_module, "draw", lambda noise, exact, randomness: tuple(exact))
        steps = made(**budget).numbers
    numbers = []
    for run in range(1000):
        one, two = draw(first.noise, steps, read_randomness("simulate", seed=8, run=run))
        numbers.append((round(one), round(two)))
    lo, hi = rate_of_misses(first, numbers, beta)
    assert lo <= float(beta)
    assert hi >= 0.9 * float(beta)


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS, ids=name_of)
def test_misses_of_whole_releases(budget: dict[str, Any]) -> None:
    releases = [made(run=run, **budget) for run in range(1000)]
    lo, hi = rate_of_misses(releases[0], [found.numbers for found in releases], Fraction(1, 5))
    assert lo <= 0.2
    assert hi >= 0.18


# --- workloads -----------------------------------------------------------------------------------------------------


def test_workloads_from_files(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"synthbounds_workload": 1, "tables": [["y", "a"], ["c"]]}))
    found = read_workload(path, SCHEMA)
    assert isinstance(found, TableWorkload)
    assert found.tables == ((0, 3), (2,))
    assert found.count == 7
    assert found.text == "7 cells of 2 tables"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"tables": [["a"]]}, "synthbounds_workload is missing"),
        ({"synthbounds_workload": 1, "tables": []}, "must be a list of 1 to"),
        ({"synthbounds_workload": 1, "tables": [[]]}, r"tables\[0\]: must be a list of columns"),
        ({"synthbounds_workload": 1, "tables": [["x"]]}, r'tables\[0\]: "x": must be a column'),
        ({"synthbounds_workload": 1, "tables": [["a", "a"]]}, "a column is given twice"),
        ({"synthbounds_workload": 1, "tables": [["a", "b"], ["b", "a"]]}, "a set of columns is given twice"),
        ({"synthbounds_workload": 2, "tables": [["a"]]}, "must be 1"),
    ],
)
def test_files_that_are_no_workload(body: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_text(json.dumps(body))
    with pytest.raises(DataError, match=said):
        read_workload(path, SCHEMA)


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        ("triples", "pairs, degree:D"),
        ("degree:0", "between 1 and the number of columns, 4"),
        ("degree:5", "between 1 and the number of columns, 4"),
        ("degree:x", "degree"),
        ("parities:2", "family"),
        ("monomials:9", "degree"),
    ],
)
def test_words_that_are_no_workload(workload: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        read_workload(workload, SCHEMA)


def test_a_family_of_ones_own() -> None:
    domain = SCHEMA.domain
    functions = [("older", lambda codes: codes[:, 2]), ("same", lambda codes: 2 * (codes[:, 0] == codes[:, 1]))]
    family = CustomFamily(domain, functions, denominator=2, ranges=[(0, 2), (0, 2)])
    found = made(workload=family)
    assert found.mean_moved == 1
    again = accuracy_of(parse_json(found.to_text(), "x"), "x")
    assert again.to_json() == found.to_json()
    assert again.errors(BETA) == found.errors(BETA)
    with pytest.raises(UsageError, match="only by its name"):
        made(workload=again.workload)
    wide = CustomFamily(
        domain, [("wide", lambda codes: 2 * codes[:, 2].astype(int) - 2)], denominator=2, ranges=[(-2, 2)]
    )
    with pytest.raises(ParameterError, match=r"values in \[0, 1\]"):
        made(workload=wide)
    other = CustomFamily(type(domain)((2, 2)), [("a", lambda codes: codes[:, 0])], denominator=1, ranges=[(0, 1)])
    with pytest.raises(UsageError, match="another domain"):
        made(workload=other)


# --- files and what goes through -----------------------------------------------------------------------------------


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("budget", BUDGETS, ids=name_of)
def test_files_are_read_back(budget: dict[str, Any], workload: str) -> None:
    found = made(workload=workload, **budget)
    again = accuracy_of(parse_json(found.to_text(), "x"), "x")
    assert again.to_json() == found.to_json()
    assert again.errors(BETA) == found.errors(BETA)


def test_real_noise_and_an_empty_table() -> None:
    for budget in BUDGETS:
        found = made(mode="release", seed=None, **budget)
        assert accuracy_of(parse_json(found.to_text(), "x"), "x").to_json() == found.to_json()
    empty = made(REAL[:0], mode="release", seed=None, adjacency="add-remove", least_size=9)
    assert empty.errors(Fraction(1, 10**12)).largest == 1
    with pytest.raises(DataError, match=r"^the table has no rows$"):
        made(REAL[:0])
    with pytest.raises(DataError, match=r"^synthetic: the table has no rows$"):
        made(synthetic=SYNTHETIC[:0])


def test_a_part_of_a_larger_ledger_pays() -> None:
    ledger = Ledger.in_mu_squared(epsilon=1, dp_delta="1e-6", adjacency="replace-one")
    known = read_workload("pairs", SCHEMA)
    half = ledger.statement(ledger.total / 2)
    _, paid = measure_accuracy(REAL, SYNTHETIC, known, ledger, half, read_randomness("release"))
    assert paid.left == ledger.total / 2
    assert paid.entries[-1].what == "accuracy"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("workload", {"kind": "degree", "degree": 3}, "statistic"),
        ("workload", {"kind": "walks", "degree": 3}, "must be degree, tables, custom or a family"),
        ("workload", {"kind": [], "degree": 3}, "must be degree, tables, custom or a family"),
        ("workload", {"kind": "custom", "queries": []}, "names of queries"),
        ("synthetic", {"rows": 0, "digest": "0" * 64, "largest_mean": "1", "average_mean": "1"}, "at least 1"),
        ("synthetic", {"rows": 1, "digest": "0" * 64, "largest_mean": "1/2", "average_mean": "1"}, "average_mean"),
        ("n", 61, "digest"),
    ],
)
def test_a_file_that_was_changed_is_refused(field: str, value: Any, said: str) -> None:
    body = json.loads(made().to_text()) | {field: value}
    if field != "n":  # the public size enters nothing that could be computed again: the digest alone protects it
        body["digest"] = digest_of(body)
    with pytest.raises(DataError, match=said):
        accuracy_of(parse_json(json.dumps(body), "f"), "f")
