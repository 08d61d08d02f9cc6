"""The command that brings a finished table near to a release: its files, its report, and what it refuses."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import synthbounds as sb
from release.data.schema import read_schema
from release.data.tables import read_codes
from synthbounds.cli import main
from tests.paths import ROOT
from tests.synthbounds.folders import quietly_in

EXAMPLES = ROOT / "docs" / "examples"
SURVEY, SCHEMA = str(EXAMPLES / "survey.csv"), str(EXAMPLES / "survey.schema.json")
PLAIN = ["--schema", SCHEMA, "--epsilon", "1", "--dp-delta", "1e-6", "--mode", "simulate"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished table of few rows, with a column of its own, and two releases."""
    folder = tmp_path_factory.mktemp("improve")
    with quietly_in(folder):
        assert main(["synth", SURVEY, *PLAIN, "--method", "mst", "--k", "300", "--synthetic", "plain.csv"]) == 0
        assert main(["release", "moments", SURVEY, *PLAIN, "--label", "insured", "--output", "moments.json"]) == 0
        assert main(["release", "marginals", SURVEY, *PLAIN, "--output", "marginals.json"]) == 0
    with (folder / "plain.csv").open(newline="") as lines:
        rows = list(csv.reader(lines))
    with (folder / "finished.csv").open("w", newline="") as lines:
        csv.writer(lines).writerows(
            [*row, "remark" if number == 0 else f'row {number}, "so"'] for number, row in enumerate(rows)
        )
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for file in made.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def run(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> tuple[dict[str, Any], str]:
    assert main(["improve", *arguments, "--format", "json"]) == code
    said = capsys.readouterr()
    assert len(said.err.strip().splitlines()) == 1 or code == 0
    return (json.loads(said.out) if code == 0 else {}), said.err


def test_weights_and_rows_are_those_of_the_function(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["finished.csv", "--release", "moments.json", "--ignore-extra"]
    report, _ = run([*asked, "--weights", "w.csv", "--synthetic", "out.csv", "--k", "120"], capsys)
    found = sb.improve("finished.csv", "moments.json", ignore_extra=True, k=120)
    lines = Path("w.csv").read_text().splitlines()
    assert lines[0] == "weight"
    np.testing.assert_allclose([float(line) for line in lines[1:]], found.weights, rtol=1e-9)
    with Path("finished.csv").open(newline="") as before, Path("out.csv").open(newline="") as after:
        whole, taken = list(csv.reader(before)), list(csv.reader(after))
    assert taken == [whole[0], *(whole[place + 1] for place in found.chosen)]
    assert report["effective_size"] == found.effective_size
    assert found.after is not None
    assert report["largest_residual"] == found.after.deviations
    assert report["k"] == 120
    assert report["cost"]["total"] is None
    text = "improved.csv"
    assert main(["improve", *asked, "--synthetic", text]) == 0
    said = capsys.readouterr().out
    assert "asserted" in said.lower()
    assert "unknown (say it with --table-spent" in said
    assert f"synthbounds release distance REAL {text} --label insured" in said


def test_parquet_stays_parquet_with_all_its_columns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Path("finished.csv").open(newline="") as lines:
        head, *rows = list(csv.reader(lines))
    columns = {name: [row[place] for row in rows] for place, name in enumerate(head)}
    parquet.write_table(pa.table(columns), "finished.parquet")
    asked = ["--release", "marginals.json", "--ignore-extra"]
    run(["finished.parquet", *asked, "--synthetic", "out.parquet"], capsys)
    run(["finished.csv", *asked, "--synthetic", "out.csv"], capsys)
    with Path("out.csv").open(newline="") as lines:
        wanted = list(csv.reader(lines))
    assert [list(row.values()) for row in parquet.read_table("out.parquet").to_pylist()] == wanted[1:]
    run(["finished.csv", *asked, "--synthetic", "other.parquet"], capsys, 6)


def test_one_release_after_the_other(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["plain.csv", "--release", "marginals.json", "--weights", "first.csv"], capsys)
    spent = ["--table-spent", "2,2e-6", "--table-adjacency", "replace-one"]
    asked = ["plain.csv", "--release", "moments.json", "--start", "first.csv", *spent, "--weights", "second.csv"]
    report, _ = run(asked, capsys)
    assert report["cost"]["total"] == {"epsilon": "3", "dp_delta": "0.000003"}
    start = [float(line) for line in Path("first.csv").read_text().splitlines()[1:]]
    codes = read_codes("plain.csv", read_schema(SCHEMA))
    again = sb.improve(codes, "moments.json", start=start)
    written = [float(line) for line in Path("second.csv").read_text().splitlines()[1:]]
    np.testing.assert_allclose(written, again.weights, rtol=1e-7, atol=1e-9)


def test_improved_tables_are_measured_like_any_other(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["plain.csv", "--release", "moments.json", "--synthetic", "improved.csv"], capsys)
    pure = [*PLAIN[:4], *PLAIN[6:]]
    for table in ("plain", "improved"):
        asked = [SURVEY, f"{table}.csv", *pure, "--label", "insured", "--output", f"{table}.json"]
        assert main(["release", "distance", *asked]) == 0
    capsys.readouterr()
    near, far = (sb.open_release(f"{table}.json") for table in ("improved", "plain"))
    beta = Fraction(1, 20)
    assert near.distance(beta).second < far.distance(beta).second  # type: ignore[union-attr]


def test_bad_input_is_one_line_and_nothing_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = Path("plain.csv").read_text()
    Path("value.csv").write_text(good.replace("\nF,", "\nX,", 1).replace("\nM,", "\nX,", 1))
    Path("nan.csv").write_text(good.replace(",no,", ",NaN,", 1))
    Path("empty.csv").write_text(good.splitlines()[0] + "\n")
    Path("nothing.csv").write_text("")
    Path("less.csv").write_text("\n".join(line.rpartition(",")[0] for line in good.splitlines()) + "\n")
    head, *rows = good.splitlines()
    place = head.split(",").index("insured")
    same = [",".join("no" if i == place else cell for i, cell in enumerate(row.split(","))) for row in rows]
    Path("label.csv").write_text("\n".join([head, *same]) + "\n")
    Path("start.csv").write_text("weight\n" + "nan\n" * 300)
    before = {path.name for path in folder.iterdir()}
    release = ["--release", "moments.json"]
    cases: list[tuple[list[str], int, str]] = [
        (["value.csv", *release], 3, "row 1, column 'sex'"),
        (["nan.csv", *release], 3, "column"),
        (["empty.csv", *release], 3, "has no rows"),
        (["nothing.csv", *release], 3, "is empty"),
        (["less.csv", *release], 3, "'visits' of the schema is missing"),
        (["finished.csv", *release], 3, "is not in the schema"),
        (["label.csv", *release], 3, "column insured: all 300 rows that count have the value no"),
        (["missing.csv", *release], 3, "missing.csv"),
        (["plain.csv"], 2, "release is missing"),
        (["plain.csv", "--release", "missing.json"], 3, "cannot be read"),
        (["plain.csv", "--release", "plain.csv"], 3, "is a table"),
        (["plain.csv", "--release", SCHEMA], 3, "release"),
        (["plain.csv", *release, "--start", "start.csv"], 3, "row 1 is not a decimal number"),
        (["plain.csv", *release, "--features", "age"], 2, "--fit correlation"),
        (["plain.csv", *release, "--table-spent", "1"], 2, "table-adjacency is missing"),
        (["plain.csv", *release, "--table-spent", "1", "--table-adjacency", "add-remove"], 2, "cannot be added up"),
    ]
    for asked, code, said in cases:
        _, error = run([*asked, "--weights", "new.csv", "--synthetic", "out.csv"], capsys, code)
        assert said in error, error
        assert {path.name for path in folder.iterdir()} == before, asked
    _, error = run(["plain.csv", *release, "--weights", "plain.csv", "--force"], capsys, 6)
    assert "is the table that is read" in error


def test_warnings_are_printed_and_the_exit_is_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, *rows = Path("plain.csv").read_text().splitlines()
    Path("few.csv").write_text("\n".join([head, *(row for row in rows if row.startswith("F"))]) + "\n")
    report, error = run(["few.csv", "--release", "moments.json", "--weights", "w.csv"], capsys)
    assert report["constant_columns"] == ["sex"]
    assert report["out_of_reach_count"] >= 1
    assert report["out_of_reach"][0]["statistic"].startswith("sex")
    assert "warning: out of reach of these rows, whatever their weights: sex" in error
    assert report["effective_size"] > 0.5
