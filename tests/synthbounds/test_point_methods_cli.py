"""`synth` by rap, rap++, gem and merf: releases, rows again, tables of any kind, refusals before anything is spent."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from release.data.schema import read_schema
from release.data.tables import read_codes
from release.log.read import read_log
from synthbounds.cli import main
from tests.synthbounds.test_log_tables_cli import one_line, synth
from tests.synthbounds.test_private_tables_cli import ADJACENCY, SCHEMA

NUMBERS = [
    {"name": "weight", "range": ["40", "120"], "bins": 20},
    {"name": "visits", "range": ["0", "30"], "bins": 30, "whole": True},
]
MIXED: dict[str, Any] = {**SCHEMA, "columns": [*SCHEMA["columns"], *NUMBERS]}
METHODS = {
    "rap": ["--method", "rap", "--points", "60"],
    "rap by labels": ["--method", "rap", "--labels", "sex", "ill", "--points", "60"],
    "rap++": ["--method", "rap++", "--label", "sex", "--thresholds", "90", "--points", "60"],
    "rap++ with mixed marginals": ["--method", "rap++", "--label", "sex", "--mixed", "60", "--points", "60"],
    "gem": ["--method", "gem"],
    "merf": ["--method", "merf", "--label", "sex"],
}


def write(rows: int) -> None:
    """Constants, gaps and numbers that go with a label."""
    stream = np.random.default_rng(4)
    with Path("t.csv").open("w", newline="", encoding="utf-8") as lines:
        table = csv.writer(lines)
        table.writerow(["id", "sex", "ward", "age", "seen", "ill", "weight", "visits"])
        for i in range(rows):
            ill = int(stream.random() < 0.4)
            visits = int(stream.poisson(3 + 9 * ill))
            ward = ["north", "east", "?"][i % 3]
            weight = f"{50 + 2 * visits + stream.random():.1f}"
            table.writerow([f"canary-{i}", "FM"[i % 2], ward, "", "2020-05-17", ["no", "yes"][ill], weight, visits])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(json.dumps(MIXED))
    write(120)
    return tmp_path


@pytest.mark.share(3)
@pytest.mark.parametrize("adjacency", ADJACENCY)
@pytest.mark.parametrize("name", METHODS)
def test_a_release_and_its_rows_again(
    place: Path, capsys: pytest.CaptureFixture[str], name: str, adjacency: str
) -> None:
    """The log holds the whole budget, gives the same rows again, and other rows for a seed; no file shows a record."""
    assert synth(*METHODS[name], *ADJACENCY[adjacency], mode="release") == 0, capsys.readouterr().err
    said = capsys.readouterr()
    assert said.err == ""
    assert "spent in total" in " ".join(said.out.split())
    assert {path.name for path in place.iterdir()} == {"s.json", "t.csv", "o.csv", "o.log.json"}
    assert len(read_codes("o.csv", read_schema("s.json"))) == (120 if adjacency == "public" else 50)
    assert read_log("o.log.json").ledger.left == 0
    Path("t.csv").unlink()
    assert main(["synth", "--redraw", "o.log.json", "--synthetic", "a.csv"]) == 0
    assert Path("a.csv").read_bytes() == Path("o.csv").read_bytes()
    assert main(["synth", "--redraw", "o.log.json", "--seed", "1", "--synthetic", "b.csv"]) == 0
    assert Path("b.csv").read_bytes() != Path("o.csv").read_bytes()
    assert all("canary" not in Path(file).read_text() for file in ("o.csv", "o.log.json", "b.csv"))


@pytest.mark.share(3)
@pytest.mark.parametrize("name", METHODS)
def test_an_empty_table_goes_through_where_its_size_is_private(
    place: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    write(0)
    assert synth(*METHODS[name], *ADJACENCY["hidden"], mode="release") == 0, capsys.readouterr().err
    assert len(read_codes("o.csv", read_schema("s.json"))) == 50


def test_what_is_said_of_queries_and_of_several_labels(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*METHODS["rap++"][:2], "--labels", "sex", "ill", "--thresholds", "90", "--points", "60"]
    assert synth(*asked, "--format", "json") == 0, capsys.readouterr().err
    body = json.loads(capsys.readouterr().out)
    log = read_log("o.log.json")
    (queries,) = body["query_errors"]
    assert queries["queries"] == "90 linear thresholds of 2 numbers, by sex, ill"
    assert 0 < float(queries["largest_error"]) <= 1
    assert body["measured_queries"] == sum(len(step.queries) for step in log.answers) > 0
    assert body["measured_answers"] == 2 * body["measured_queries"]
    assert body["rounds"] == len(log.choices) + body["measured_queries"]
    assert set(body["rho_parts"]) == {"one-way tables", "wider tables", "answers", "choices"}


@pytest.mark.parametrize("name", ["rap++", "merf"])
def test_models_are_made_of_logs_that_have_no_model(place: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert synth(*METHODS[name], "--distance", "1/10") == 0, capsys.readouterr().err
    asked = ["regress", "o.log.json", "--label", "ill", "--method", "dd-ssp", "--tau", "2", "--output", "m.json"]
    assert main(asked) == 0, capsys.readouterr().err
    assert main(["certify", "o.log.json", "m.json", "--label", "ill"]) == 0, capsys.readouterr().err


BAD = {
    "no label": (["--method", "rap++"], 2, "label"),
    "no such label": (["--method", "rap", "--label", "x"], 2, "label = .*: must be a column of the schema"),
    "label and labels": (["--method", "rap", "--label", "sex", "--labels", "ill"], 2, "give either labels or label"),
    "a label twice": (["--method", "rap", "--labels", "ill", "ill"], 2, "labels = a column twice"),
    "a number that has gaps": (["--method", "rap++", "--label", "ill", "--numbers", "age"], 2, "without missing cells"),
    "a label among the numbers": (["--method", "rap++", "--label", "ill", "--numbers", "ill"], 2, "ordered columns"),
    "no such number": (["--method", "rap++", "--label", "ill", "--numbers", "x"], 2, "numbers = .*: must be a column"),
    "more rounds than queries": (
        ["--method", "rap++", "--label", "ill", "--thresholds", "10", "--rounds", "11", "--top", "1"],
        2,
        "rounds|top",
    ),
    "more tables than there are": (["--method", "rap", "--label", "ill", "--rounds", "99"], 2, "rounds"),
    "no points": (["--method", "rap", "--points", "0"], 2, "points = 0"),
    "no thresholds": (["--method", "rap++", "--label", "ill", "--thresholds", "0"], 2, "thresholds = 0"),
    "labels of gem": (["--method", "gem", "--labels", "ill"], 2, "labels is for --method rap or rap"),
    "numbers of rap": (["--method", "rap", "--numbers", "visits"], 2, "numbers is for --method rap"),
    "what is impossible": (["--method", "merf", "--impossible", "s.json"], 2, "impossible is for --method aim"),
}


@pytest.mark.parametrize("name", BAD)
def test_refused_before_anything_is_spent(place: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    options, code, line = BAD[name]
    assert synth(*options, "--adjacency", "replace-one", mode="release") == code
    said = one_line(capsys)
    assert re.search(line, said), said
    assert {path.name for path in place.iterdir()} == {"s.json", "t.csv"}


def test_a_number_of_two_codes_is_one_more_number(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = {**MIXED, "columns": [*MIXED["columns"][:-1], {"name": "visits", "range": ["0", "30"], "bins": 2}]}
    Path("s.json").write_text(json.dumps(body))
    asked = [*METHODS["rap++"], "--numbers", "visits"]
    assert synth(*asked, *ADJACENCY["public"], mode="release") == 0, capsys.readouterr().err


def test_a_recovery_file_is_told_from_a_log(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("o.csv.recovery.json").write_text(json.dumps({"synthbounds_recovery": 1}))
    assert main(["synth", "--redraw", "o.csv.recovery.json", "--synthetic", "a.csv"]) == 3
    assert "what an unfinished release had paid for" in one_line(capsys)
