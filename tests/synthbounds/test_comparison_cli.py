"""release distance, release accuracy and certify from a distance: files, reports, bad input in one line, no leak."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import synthbounds as sb
from release import measure as measure_module
from release.accuracy.read import read_accuracy
from release.distance.read import read_distance
from release.files.strict_json import parse_json
from release.statistics.query_kinds import queries_of
from synthbounds.cli import main
from synthbounds.data import read_codes, read_schema
from tests.moment_examples import SCHEMA, feature_map, table
from tests.synthbounds.test_confirm_cli import write_table

TABLES = ["table.csv", "synthetic.csv"]
PUBLIC = ["--schema", "schema.json", "--epsilon", "1"]
REAL = ["--mode", "release", "--adjacency", "replace-one", "--output", "x.json"]
SIMULATED = ["--mode", "simulate", "--output", "x.json"]
DISTANCE = ["release", "distance", *TABLES, *PUBLIC, "--label", "pays", "--one-hot", "town"]
ACCURACY = ["release", "accuracy", *TABLES, *PUBLIC, "--workload", "pairs"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    write_table(folder / "table.csv", table(600, seed=1))
    write_table(folder / "synthetic.csv", table(400, seed=2))
    (folder / "schema.json").write_text(SCHEMA.to_text())
    features = feature_map()
    model = sb.models.train_on_table(table(400, seed=2), features, tau=2)
    written = sb.models.Model(feature_map=features, coefficients=model.coefficients, tau=Fraction(2))
    (folder / "model.json").write_text(sb.models.model_text(written))
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in made.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_distance_is_written_told_and_certifies_a_model(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*DISTANCE, *REAL]) == 0
    said = capsys.readouterr()
    found = read_distance("x.json")
    assert said.err == ""
    assert found.digest in said.out
    assert "adjacency replace-one; n = 600 is public" in " ".join(said.out.split())
    assert main(["certify", "x.json", "model.json", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["release"]["kind"] == "distance"
    assert report["release"]["synthetic"] == {"rows": 400, "digest": found.synthetic_digest}
    assert report["uniform_over_models"]
    assert float(report["excess_upper"]) > 0
    for option in (["--label", "pays"], ["--query", "x.json"], ["--certificate", "c.json"], ["--held-out"]):
        assert main(["certify", "x.json", "model.json", *option]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_errors_are_written_and_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ACCURACY, *REAL, "--dp-delta", "1e-6", "--format", "json", "--beta", "0.01"]) == 0
    report = json.loads(capsys.readouterr().out)
    found = read_accuracy("x.json")
    errors = found.errors(Fraction(1, 100))
    assert float(report["errors"]["largest"]) == pytest.approx(float(errors.largest))
    assert float(report["errors"]["mean"]) == pytest.approx(float(errors.mean))
    assert report["beta"] == "0.01"
    assert main(["certify", "x.json", "model.json"]) == 2
    assert "errors of a table certify no model" in capsys.readouterr().err


def test_errors_over_thresholds_of_a_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bounds hold, and the second is of the mean over all answers; a report says how many there are."""
    asked = {"kind": "thresholds", "numbers": ["age", "size"], "by": ["pays"], "count": 2000, "seed": "4"}
    Path("w.json").write_text(json.dumps({"synthbounds_workload": 1, "workload": asked}))
    assert main([*ACCURACY[:-1], "w.json", *SIMULATED, "--seed", "1", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["queries"], report["workload"]) == (4000, "2,000 linear thresholds of 2 numbers, by pays")
    schema = read_schema("schema.json")
    queries = queries_of(parse_json(json.dumps(asked), "w"), schema, "w")
    real, rows = (queries.sums(codes) / len(codes) for codes in (read_codes(name, schema) for name in TABLES))
    errors = np.abs(real - rows)
    assert errors.max() <= float(report["errors"]["largest"]) <= errors.max() + 0.05
    assert errors.mean() <= float(report["errors"]["mean"]) <= errors.mean() + 0.05


def test_under_add_remove_nothing_tells_the_number_of_records(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hidden = ["--mode", "release", "--adjacency", "add-remove", "--least-size", "555", "--output", "x.json", "--force"]
    empty = Path("table.csv").read_text().splitlines()[0] + "\n"
    for rows in (None, empty):
        if rows is not None:
            Path("table.csv").write_text(rows)
        for ask in (DISTANCE, ACCURACY):
            assert main([*ask, *hidden]) == 0
            said = capsys.readouterr()
            assert said.err == ""
            assert "600" not in said.out + Path("x.json").read_text().replace(" ", "")[:600]
            assert "555" in said.out


@pytest.mark.parametrize("kind", ["distance", "accuracy"])
def test_the_functions_take_tables_and_arrays(place: Path, kind: str) -> None:
    schema = read_schema("schema.json")
    real, rows = (read_codes(name, schema) for name in TABLES)
    asked: dict[str, Any] = {"mode": "simulate", "epsilon": 1, "seed": 5}
    own: dict[str, Any] = {"label": "pays"} if kind == "distance" else {"workload": "pairs"}
    make = sb.release_distance if kind == "distance" else sb.release_accuracy
    by_file = make("table.csv", "synthetic.csv", "schema.json", **asked, **own)
    by_codes = make(np.asarray(real), np.asarray(rows), schema, **asked, **own)
    assert by_file.to_json() == by_codes.to_json()  # type: ignore[attr-defined]
    Path("r.json").write_text(by_file.to_text())  # type: ignore[attr-defined]
    assert sb.open_release("r.json").to_json() == by_file.to_json()  # type: ignore[attr-defined]


BAD: list[tuple[list[str], int, str]] = [
    (["release", "distance", "table.csv", *PUBLIC, "--label", "pays", *REAL], 2, "synthetic is missing"),
    ([*DISTANCE[:4], *PUBLIC, *REAL], 2, "label is missing"),
    ([*DISTANCE, *REAL, "--workload", "pairs"], 2, "workload is not for a release of distance"),
    ([*DISTANCE, *REAL, "--reserve", "0.1"], 2, "reserve is not for a release of distance"),
    ([*DISTANCE, *REAL, "--seed", "1"], 2, "seed is for --mode simulate"),
    ([*DISTANCE, *REAL, "--dp-delta", "0"], 2, "dp_delta"),
    ([*DISTANCE, *REAL, "--beta", "1"], 2, "beta"),
    ([*DISTANCE, *REAL, "--least-size", "9"], 2, "least-size"),
    ([*DISTANCE, *REAL, "--output", "synthetic.csv", "--force"], 6, "is the synthetic that is read"),
    (["release", "moments", *TABLES, *PUBLIC, "--label", "pays", "--dp-delta", "1e-6", *REAL], 2, "synthetic is for"),
    (["release", "marginals", "table.csv", *PUBLIC, "--workload", "pairs", *REAL], 2, "workload is for"),
    ([*ACCURACY[:-2], *REAL], 2, "workload is missing"),
    ([*ACCURACY, *REAL, "--label", "pays"], 2, "label is not for a release of accuracy"),
    ([*ACCURACY[:-1], "degree:9", *REAL], 2, "between 1 and the number of columns"),
    ([*ACCURACY[:-1], "missing.json", *REAL], 3, "cannot be read"),
    ([*ACCURACY[:-1], "schema.json", *REAL], 3, "is the file of a schema"),
    (["release", "distance", "table.csv", "nowhere.csv", *DISTANCE[4:], *REAL], 3, "nowhere.csv"),
    (["release", "distance", "table.csv", "bad.csv", *DISTANCE[4:], *REAL], 3, "atlantis"),
    (["release", "distance", "table.csv", "wide.csv", *DISTANCE[4:], *REAL], 3, "wide.csv"),
    (["release", "distance", "table.csv", "empty.csv", *DISTANCE[4:], *REAL], 3, "empty.csv"),
]


@pytest.mark.parametrize(("ask", "code", "said"), BAD, ids=lambda value: value if isinstance(value, str) else "")
def test_bad_input_is_one_line_and_nothing_is_written_or_spent(
    ask: list[str],
    code: int,
    said: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    header, *rows = Path("synthetic.csv").read_text().splitlines()
    Path("bad.csv").write_text("\n".join([header, rows[0].replace(rows[0].split(",")[1], "atlantis")]) + "\n")
    Path("wide.csv").write_text("\n".join([f"{header},more", f"{rows[0]},1"]) + "\n")
    Path("empty.csv").write_text(header + "\n")
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))
    assert main(ask) == code
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert said in told.err
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before


def test_a_value_of_the_real_table_is_never_shown(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, first, *rows = Path("table.csv").read_text().splitlines()
    cells = first.split(",")
    cells[1] = "atlantis"
    Path("table.csv").write_text("\n".join([header, ",".join(cells), *rows]) + "\n")
    for ask in (DISTANCE, ACCURACY):
        assert main([*ask, *REAL]) == 3
        told = capsys.readouterr()
        assert "atlantis" not in told.err
        assert told.err.count("\n") == 1
    assert not Path("x.json").exists()


def test_extra_columns_are_left_out_of_both_tables_on_request(place: Path) -> None:
    for name in TABLES:
        header, *rows = Path(name).read_text().splitlines()
        Path(name).write_text("\n".join([f"{header},more", *(f"{row},1" for row in rows)]) + "\n")
    assert main([*DISTANCE, *SIMULATED]) == 3
    assert main([*DISTANCE, *SIMULATED, "--ignore-extra"]) == 0
