"""`synth` on real-life tables: gaps, dates, constants, empty tables; and nothing is said about good cells."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from release.data.schema import read_schema
from release.data.tables import read_codes
from synthbounds.cli import main

SCHEMA: dict[str, Any] = {
    "synthbounds_schema": 1,
    "source": "public",
    "missing_values": ["", "?"],
    "ignored": ["id"],
    "columns": [
        {"name": "sex", "levels": ["F", "M"]},
        {"name": "ward", "levels": ["north", "east", "south"], "missing": True},
        {"name": "age", "range": ["0", "100"], "bins": 5, "whole": True, "missing": True},
        {"name": "seen", "date": "%Y-%m-%d", "first": "2020-01-01", "last": "2021-12-31", "by": "quarter",
         "missing": True},
        {"name": "ill", "levels": ["no", "yes"]},
    ],
}  # fmt: skip
HEADER = ["id", "sex", "ward", "age", "seen", "ill"]
GOOD = ["canary-7731", "F", "east", "37", "2020-05-17", "no"]
PRIVATE = ("canary", "7731", "2020-05-17", "37")
"""What no message may show."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mechanisms.tilt.fit.COARSE", 200)
    monkeypatch.setattr("mechanisms.tilt.fit.FINE", 400)
    Path("s.json").write_text(json.dumps(SCHEMA))
    return tmp_path


def write(rows: list[list[str]], header: list[str] = HEADER) -> None:
    with Path("t.csv").open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([header, *rows])


def synth(*more: str, mode: str = "simulate") -> int:
    asked = ["t.csv", "--schema", "s.json", "--epsilon", "1", "--mode", mode, "--synthetic", "o.csv"]
    return main(["synth", *asked, *more])


METHODS = {
    "moments": ["--dp-delta", "1e-6"],
    "labelled": ["--dp-delta", "1e-6", "--label", "ill"],
    "independent": ["--method", "independent"],
    "lp": ["--method", "lp", "--degree", "1", "--anyway"],
}
ADJACENCY = {"public": ["--adjacency", "replace-one"], "hidden": ["--adjacency", "add-remove", "--least-size", "50"]}


@pytest.mark.parametrize("adjacency", ADJACENCY)
@pytest.mark.parametrize("method", METHODS)
def test_a_table_of_constants_and_gaps_goes_through(
    place: Path, capsys: pytest.CaptureFixture[str], method: str, adjacency: str
) -> None:
    """Every column constant or all missing, the label too: a release is made, and reads back by the same schema."""
    write([["1", "F", "", "?", "", "no"]] * 60)
    assert synth(*METHODS[method], *ADJACENCY[adjacency], mode="release") == 0, capsys.readouterr().err
    said = capsys.readouterr()
    assert said.err == "" or method == "lp"
    rows = read_codes("o.csv", read_schema("s.json"))
    if method != "lp":
        assert len(rows) == (60 if adjacency == "public" else 50)
        assert Path("o.release.json").exists()
    assert not Path("o.csv.recovery.json").exists()


@pytest.mark.parametrize("method", ["moments", "labelled", "independent"])
def test_an_empty_table_goes_through_where_its_size_is_private(
    place: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    write([])
    assert synth(*METHODS[method], *ADJACENCY["hidden"], mode="release") == 0
    capsys.readouterr()
    assert len(read_codes("o.csv", read_schema("s.json"))) == 50
    assert synth(*METHODS[method], *ADJACENCY["public"], "--force", mode="release") == 3
    assert "has no rows" in capsys.readouterr().err


BAD = {
    "a level that is none": (1, "boy", "is not a level of the schema"),
    "a number outside": (3, "101", "is outside the range of the schema"),
    "no number": (3, "many", "is not a decimal number"),
    "a date that does not parse": (4, "17.05.2020", "is not a date"),
    "a date that is none": (4, "2020-02-30", "is not a date"),
    "a date outside": (4, "2019-12-31", "is outside"),
    "missing where not declared": (5, "", "is missing"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", BAD)
def test_a_cell_against_its_schema(place: Path, capsys: pytest.CaptureFixture[str], bad: str, method: str) -> None:
    """Row and column, no value, exit 3, one line, nothing written."""
    column, cell, reason = BAD[bad]
    rows = [list(GOOD) for _ in range(5)]
    rows[3][column] = cell
    write(rows)
    before = {path.name for path in place.iterdir()}
    assert synth(*METHODS[method], "--adjacency", "replace-one", mode="release") == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert f"row 4, column '{HEADER[column]}'" in said.err
    assert reason in said.err
    assert not any(secret in said.err for secret in PRIVATE)
    assert cell == "" or cell not in said.err
    assert {path.name for path in place.iterdir()} == before


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_said_of_a_table_that_fits(place: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    """A release of many good rows and of one more kind of value: the same lines, but for the noise."""
    write([list(GOOD)] * 80)
    assert synth(*METHODS[method], *ADJACENCY["hidden"], mode="release") == 0
    said = capsys.readouterr()
    assert said.err == "" or method == "lp"  # which says that it promises nothing
    assert "80" not in said.out.replace(".80", "").split()
    assert "canary" not in said.out + Path("o.csv").read_text()
    for path in place.iterdir():
        assert path.name == "t.csv" or "canary" not in path.read_text()


def test_a_release_file_that_is_there_is_not_overwritten(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write([list(GOOD)] * 20)
    Path("o.release.json").write_text("mine")
    assert synth(*METHODS["moments"]) == 6
    assert "o.release.json" in capsys.readouterr().err
    assert Path("o.release.json").read_text() == "mine"
    assert not Path("o.csv").exists()
    assert synth(*METHODS["moments"], "--release", "other.json") == 0


def test_the_choice_is_printed_with_what_a_delta_buys(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write([list(GOOD)] * 20)
    assert synth() == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "independent: no delta is given, and the linear programme could promise nothing here" in said
    assert "--dp-delta 1e-08 would allow the method moments" in said


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--method", "moments"], "dp-delta is missing"),
        (["--method", "aim"], "dp-delta is missing"),
        (["--method", "magic"], "method = magic: must be one of auto, moments, lp, independent, aim, mst, tree, gen"),
        (["--method", "moments", "--dp-delta", "1e-6", "--m", "9"], "m is for --method lp, not for moments"),
        (["--method", "lp", "--release", "r.json"], "release is for --method moments or independent, not for lp"),
        (["--dp-delta", "1e-6", "--label", "nobody"], "label = nobody: must be a column of the schema"),
        (["--values", "outside"], "values = outside"),
    ],
)
def test_wrong_options(place: Path, capsys: pytest.CaptureFixture[str], options: list[str], line: str) -> None:
    write([list(GOOD)] * 20)
    before = {path.name for path in place.iterdir()}
    assert synth(*options) == 2
    said = capsys.readouterr()
    assert line in said.err
    assert said.err.count("\n") == 1
    assert {path.name for path in place.iterdir()} == before


def test_dates_gaps_and_whole_numbers_are_written_as_they_were(place: Path) -> None:
    """In the format of the schema, gaps by their first spelling; inside a bin on request."""
    write([list(GOOD), ["1", "M", "?", "", "", "yes"]] * 200)
    assert synth(*METHODS["moments"], "--k", "300", "--values", "inside") == 0
    with Path("o.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    ages = {row["age"] for row in rows} - {""}
    assert all(age.isdigit() for age in ages)
    assert len(ages) > 5
    assert all(row["seen"] == "" or len(row["seen"]) == 10 for row in rows)
    assert {row["ward"] for row in rows} <= {"north", "east", "south", ""}
    assert len(read_codes("o.csv", read_schema("s.json"))) == 300


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ([], "columns must be a list of 1 to 10000 columns; it is empty"),
        ([SCHEMA["columns"][0], {"name": "ill", "levels": ["no"]}], "must be a list of 2 to 65536 texts"),
        ([SCHEMA["columns"][0], {"name": "ill", "levels": ["no"], "missing": True}], "ill with one level"),
    ],
)
def test_a_schema_that_declares_too_little(
    place: Path, capsys: pytest.CaptureFixture[str], columns: list[dict[str, Any]], line: str
) -> None:
    """A label with one declared level, or no columns at all: exit 2."""
    Path("s.json").write_text(json.dumps({**SCHEMA, "columns": columns, "ignored": []}))
    write([["F", "no"]] * 5, ["sex", "ill"])
    assert synth(*METHODS["labelled"]) == 2
    assert line in capsys.readouterr().err
    assert not Path("o.csv").exists()


def test_the_release_and_the_report_cannot_be_one_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the place of the release was not said: found out before the noise."""
    write([list(GOOD)] * 20)
    asked = [*METHODS["moments"], *ADJACENCY["public"], "--output", "o.release.json"]
    assert synth(*asked, mode="release") == 2
    said = capsys.readouterr().err
    assert "output = o.release.json: is where the release goes" in said
    assert "spent" not in said


def test_a_name_cannot_speak_to_the_terminal(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.json").write_text(
        json.dumps({**SCHEMA, "columns": [{"name": "a\u001b[2J", "levels": ["x", "y"]}], "ignored": []})
    )
    write([["x"], ["y"]], ["a\u001b[2J"])
    assert synth(*METHODS["moments"]) == 0
    assert "\u001b" not in capsys.readouterr().out


@pytest.mark.parametrize("adjacency", ADJACENCY)
def test_a_share_of_the_budget_for_how_far_the_table_is(
    place: Path, capsys: pytest.CaptureFixture[str], adjacency: str
) -> None:
    """Three files, one budget: what was kept pays for the distance, and models are certified from both releases."""
    write([list(GOOD), ["1", "M", "north", "71", "", "yes"]] * 300)
    asked = [*METHODS["labelled"], *ADJACENCY[adjacency], "--distance", "1/5"]
    assert synth(*asked, mode="release") == 0, capsys.readouterr().err
    release, distance = (json.loads(Path(f"o.{kind}.json").read_text()) for kind in ("release", "distance"))
    kept = [entry for entry in release["budget"]["ledger"]["entries"] if entry["state"] == "reserved"]
    spent = [entry for entry in distance["ledger"]["entries"] if entry["reserve"] == "distance"]
    assert [entry["cost"] for entry in kept] == [entry["cost"] for entry in spent]
    assert distance["ledger"]["total"] == release["budget"]["ledger"]["total"]
    assert main(["train", "o.release.json", "--tau", "2", "--points", "500", "--output", "m.json"]) == 0
    assert main(["certify", "o.release.json", "m.json"]) == 0
    assert main(["certify", "o.distance.json", "m.json"]) == 0


def test_a_distance_needs_a_label_of_two_values(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write([list(GOOD)] * 20)
    assert synth(*METHODS["moments"], "--distance", "1/5") == 2
    assert "label is missing" in capsys.readouterr().err
    assert synth("--dp-delta", "1e-6", "--label", "ward", "--distance", "1/5") == 2
    assert "a column with exactly two values" in capsys.readouterr().err
    assert synth(*METHODS["labelled"], "--distance", "1") == 2
    assert not Path("o.csv").exists()
