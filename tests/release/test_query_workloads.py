"""Errors of a finished table over public queries of numbers: exact sums, effect of a record, files, certificates."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from bounds.errors import DataError, UsageError
from release import measure as measure_module
from release.accuracy.file import AccuracyRelease
from release.accuracy.make import release_accuracy
from release.accuracy.query_workload import QueryWorkload
from release.accuracy.read import accuracy_of
from release.accuracy.workload import read_workload
from release.data.source import as_source
from release.files.strict_json import parse_json
from release.noise.draw import draw
from release.noise.randomness import read_randomness
from release.statistics.statistic import RECORD_STEPS
from synthbounds.schemas import json_schema
from tests.release import query_oracle
from tests.release.comparison_examples import BUDGETS, SCHEMA, miss_rates, name_of, table

REAL, SYNTHETIC = table(60, 1), table(40, 2)
BETA = Fraction(1, 20)
BODIES: dict[str, dict[str, Any]] = {
    "thresholds": {"kind": "thresholds", "numbers": ["a", "c"], "by": ["b", "y"], "count": 11, "seed": "3"},
    "mixed": {"kind": "mixed", "numbers": ["a", "c"], "by": ["y"], "count": 11, "seed": "3"},
    "moments": {"kind": "moments", "numbers": ["a", "c"], "by": ["y"]},
    "moments of all": {"kind": "moments", "numbers": ["a", "b", "c"], "by": []},
}


def workload_file(body: dict[str, Any], folder: Path) -> Path:
    path = folder / "w.json"
    path.write_text(json.dumps({"synthbounds_workload": 1, "workload": body}))
    return path


@pytest.fixture(params=BODIES)
def body(request: pytest.FixtureRequest) -> dict[str, Any]:
    return BODIES[request.param]


def made(body: dict[str, Any], folder: Path, **changes: Any) -> AccuracyRelease:
    asked: dict[str, Any] = {"epsilon": 1, "adjacency": "replace-one", "mode": "simulate", "seed": 3}
    return release_accuracy(REAL, SYNTHETIC, SCHEMA, workload_file(body, folder), **(asked | changes))


def means(body: dict[str, Any], records: np.ndarray) -> list[Fraction]:
    """Of every answer, by the oracle."""
    each = [query_oracle.answers(body, SCHEMA, record) for record in records.tolist()]
    return [sum(values, Fraction(0)) / len(records) for values in zip(*each, strict=True)]


def errors(body: dict[str, Any]) -> tuple[Fraction, Fraction]:
    found = [abs(a - b) for a, b in zip(means(body, REAL), means(body, SYNTHETIC), strict=True)]
    return max(found), sum(found, Fraction(0)) / len(found)


def test_without_noise_the_numbers_are_the_errors(
    body: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_module, "draw", lambda noise, exact, randomness: tuple(exact))
    found, (largest, mean) = made(body, tmp_path), errors(body)
    unit = RECORD_STEPS * len(REAL)
    assert 0 <= found.numbers[0] - largest * unit < 1
    assert 0 <= found.numbers[1] - mean * unit / found.mean_moved < 1
    for release in (found, made(body, tmp_path, adjacency="add-remove", least_size=50)):
        bound = release.errors(BETA)
        assert bound.largest >= largest
        assert bound.mean >= mean


def test_sums_do_not_depend_on_batches(body: dict[str, Any], tmp_path: Path) -> None:
    workload = read_workload(workload_file(body, tmp_path), SCHEMA)
    assert isinstance(workload, QueryWorkload)
    batches = [REAL[:1], REAL[1:1], REAL[1:30], REAL[30:]]
    (in_parts,), (at_once,) = (workload.sums(as_source(records, SCHEMA.domain)) for records in (iter(batches), REAL))
    assert in_parts.tolist() == at_once.tolist()
    assert len(at_once) == workload.count
    assert [Fraction(int(s), workload.denominator * len(REAL)) for s in at_once] == means(body, REAL)


def test_moments_of_many_records_do_not_overflow(tmp_path: Path) -> None:
    """20,300 moments of 2^20 records are more than 2^63 together."""
    workload = read_workload(workload_file(BODIES["moments"], tmp_path), SCHEMA)
    (sums,) = workload.sums(as_source(REAL, SCHEMA.domain))
    assert sums.dtype == object


@pytest.mark.parametrize("budget", BUDGETS, ids=name_of)
def test_files_are_read_back_and_fit_their_schema(body: dict[str, Any], budget: dict[str, Any], tmp_path: Path) -> None:
    found = made(body, tmp_path, **budget)
    assert found.to_json()["workload"] == body
    again = accuracy_of(parse_json(found.to_text(), "x"), "x")
    assert again.to_json() == found.to_json()
    assert again.errors(BETA) == found.errors(BETA)
    Draft202012Validator(json_schema("release-accuracy")).validate(json.loads(found.to_text()))


@pytest.mark.parametrize("budget", BUDGETS, ids=name_of)
def test_misses_are_compatible_with_beta(
    budget: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand draws of the noise: bounds on the errors of sums over thresholds fail as often as they say."""
    beta, first = Fraction(1, 5), made(BODIES["thresholds"], tmp_path, **budget)
    with monkeypatch.context() as patch:
        patch.setattr(measure_module, "draw", lambda noise, exact, randomness: tuple(exact))
        steps = made(BODIES["thresholds"], tmp_path, **budget).numbers
    fall, misses = first.fall(beta), 0
    for run in range(1000):
        drawn = draw(first.noise, steps, read_randomness("simulate", seed=8, run=run))
        misses += any(max(0, round(value) + fall) < step for value, step in zip(drawn, steps, strict=True))
    lo, hi = miss_rates(misses, 1000)
    assert lo <= float(beta)
    assert hi >= 0.9 * float(beta)


def test_how_far_a_record_moves_the_mean(tmp_path: Path) -> None:
    """A record is in one answer of two, and one that is replaced may change both."""
    assert made(BODIES["mixed"], tmp_path, adjacency="add-remove", least_size=50).mean_moved == Fraction(1, 2)
    assert made(BODIES["mixed"], tmp_path).mean_moved == 1
    assert made(BODIES["moments of all"], tmp_path).mean_moved == 1


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        ({"synthbounds_workload": 1, "workload": {"kind": "walks"}}, r'workload: kind = "walks": must be one of'),
        ({"synthbounds_workload": 1, "workload": BODIES["mixed"] | {"by": ["z"]}}, "workload: by = .* columns of the"),
        ({"synthbounds_workload": 2, "workload": BODIES["mixed"]}, "synthbounds_workload = 2: must be 1"),
        ({"synthbounds_workload": 1, "workload": BODIES["mixed"], "tables": [["a"]]}, "tables"),
        ({"workload": BODIES["mixed"]}, "synthbounds_workload is missing"),
    ],
)
def test_files_that_are_no_workload(whole: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_text(json.dumps(whole))
    with pytest.raises(DataError, match=said):
        read_workload(path, SCHEMA)


def test_queries_of_another_schema(tmp_path: Path) -> None:
    workload = read_workload(workload_file(BODIES["mixed"], tmp_path), SCHEMA)
    other = type(SCHEMA)(SCHEMA.columns[:3], SCHEMA.source)
    with pytest.raises(UsageError, match="another schema"):
        read_workload(workload, other)
