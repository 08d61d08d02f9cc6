"""The release command: a file that can be read back, reports that say what happened, bad input in one line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from mechanisms.models.event import moment_radii
from release.data.schema import read_schema
from release.data.tables import read_codes
from release.moments.read import read_release
from release.statistics.features import build_feature_map
from release.statistics.moments import moment_sums
from synthbounds.cli import main

SCHEMA = {
    "synthbounds_schema": 1,
    "source": "public",
    "columns": [
        {"name": "a", "levels": ["no", "yes"]},
        {"name": "b", "levels": ["low", "middle", "high"]},
        {"name": "y", "levels": ["bad", "good"]},
    ],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    generator = np.random.Generator(np.random.Philox(3))
    columns = [generator.choice(column["levels"], 1713) for column in SCHEMA["columns"]]  # type: ignore[index,attr-defined]
    lines = ["a,b,y", *(",".join(row) for row in zip(*columns, strict=True))]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "drafted.json").write_text(json.dumps(SCHEMA | {"source": "data-dependent"}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


BARE = ["release", "moments", "table.csv"]
ASK = [*BARE, "--schema", "schema.json", "--label", "y", "--epsilon", "1", "--dp-delta", "1e-6"]
SIMULATE = [*ASK, "--mode", "simulate", "--output", "out.json"]
RELEASE = [*ASK, "--mode", "release", "--adjacency", "replace-one", "--output", "out.json"]


def test_the_file_is_the_release_and_the_report_is_printed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RELEASE, "--one-hot", "b", "--reserve", "0.2"]) == 0
    said = capsys.readouterr()
    found = read_release("out.json")
    assert (found.mode, found.stated_size, found.reservation_state) == ("release", 1713, "open")
    assert found.feature_map.names == ("a", "b=low", "b=middle", "b=high", "intercept")
    assert said.err == ""
    assert "adjacency replace-one; n = 1,713 is public" in " ".join(said.out.split())
    assert "epsilon = 1, dp-delta = 0.000001 in total" in " ".join(said.out.split())
    assert "sqrt(3.125)" in said.out
    assert found.digest in said.out
    assert "a share of 0.2, for one later query: open" in " ".join(said.out.split())
    assert "synthbounds train out.json" in said.out
    assert "synthbounds infer out.json --pca 2" in said.out
    assert "synthbounds certify out.json" in said.out
    assert sorted(os.listdir(place)) == ["drafted.json", "out.json", "schema.json", "table.csv"]


def test_the_moments_are_near_the_true_ones(place: Path) -> None:
    assert main([*RELEASE, "--epsilon", "1000", "--positive", "bad", "--fourth"]) == 0
    found = read_release("out.json")
    schema = read_schema("schema.json")
    exact = moment_sums(
        read_codes("table.csv", schema), build_feature_map(schema, label="y", positive="bad"), fourth=True
    )
    assert found.fourth_sums is not None
    assert exact.fourth is not None
    near = zip((*found.first_sums, *found.fourth_sums), (*exact.first, *exact.fourth), strict=True)
    assert found.deviations.fourth is not None
    assert all(abs(a - b) < 8 * max(found.deviations.first, found.deviations.fourth[0]) for a, b in near)
    assert found.feature_map.positive == "bad"


def test_the_json_report(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main([*RELEASE, "--format", "json", "--fourth", "--weight", "2", "--fourth-weight", "1/4", "--linear", "all"])
        == 0
    )
    report = json.loads(capsys.readouterr().out)
    found = read_release("out.json")
    assert (report["command"], report["kind"], report["mode"], report["stamp"]) == (
        "release",
        "moments",
        "release",
        None,
    )
    assert (report["digest"], report["feature_map_digest"]) == (found.digest, found.feature_map.digest)
    assert (report["n"], report["least_size"], report["n_is_public"]) == (1713, None, True)
    assert (report["weight"], report["fourth_weight"]) == ("2", "0.25")
    assert 0.99 < float(report["epsilon_spent"]) <= 1
    assert report["reservation"] is None
    assert sum(row["entries"] for row in report["noise"]) == 3 + 6 + 15
    assert "table" not in report["inputs"]


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "json"])
def test_a_simulation_is_stamped_in_every_format(place: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, "--format", form]) == 0
    said = capsys.readouterr()
    assert "NOT A RELEASE" in said.out
    assert "NOT A RELEASE" in said.err
    assert json.loads(Path("out.json").read_text())["stamp"].startswith("NOT A RELEASE")
    assert read_release("out.json").is_simulated


def test_the_number_of_records_stays_hidden_under_add_remove(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = [*ASK, "--mode", "release", "--adjacency", "add-remove", "--least-size", "1500", "--epsilon", "0.01"]
    for form in ("text", "json"):
        assert main([*ask, "--output", "out.json", "--force", "--format", form]) == 0
    said = capsys.readouterr()
    body = json.loads(Path("out.json").read_text())
    assert body["least_size"] == 1500
    assert "n" not in body
    assert not any(text in said.out + said.err for text in ("1713", "1,713"))
    assert "n is private, at least 1,500" in " ".join(said.out.split())
    assert said.err == ""


def test_too_few_records_are_said_in_a_simulation_alone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = [*ASK, "--mode", "release", "--adjacency", "add/remove", "--least-size", "1714", "--output", "out.json"]
    assert main(ask) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "fewer records" not in said.out + Path("out.json").read_text()
    simulated = ["simulate" if word == "release" and i > 1 else word for i, word in enumerate(ask)]
    assert main([*simulated, "--force"]) == 0
    assert "fewer records" in capsys.readouterr().err
    Path("table.csv").write_text("a,b,y\n")
    assert main([*ask, "--force"]) == 0
    assert main([*RELEASE, "--force"]) == 3
    assert "has no rows" in capsys.readouterr().err


def test_a_simulation_does_not_depend_on_the_hash_seed(place: Path) -> None:
    found = set()
    for seed in ("0", "12345"):
        subprocess.run(
            [sys.executable, "-m", "synthbounds", *SIMULATE, "--seed", "9", "--force"],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        found.add(Path("out.json").read_bytes())
    assert len(found) == 1
    assert read_release("out.json").seed == 9


def without(*options: str) -> list[str]:
    """The simulation without some options and their values."""
    kept = list(SIMULATE)
    for option in options:
        at = kept.index(option)
        del kept[at : at + 2]
    return kept


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["release", "medians", *SIMULATE[2:]], 2, "kind = medians: must be one of moments"),
        (without("--mode"), 2, "mode is missing"),
        (without("--schema"), 2, "schema is missing"),
        (without("--label"), 2, "label is missing"),
        (without("--epsilon"), 2, "epsilon is missing"),
        (without("--dp-delta"), 2, "dp-delta is missing"),
        (without("--output"), 2, "output is missing"),
        ([*ASK, "--mode", "release", "--output", "out.json"], 2, "adjacency is missing"),
        ([*RELEASE, "--seed", "1"], 2, "operating system"),
        ([*RELEASE, "--least-size", "10"], 2, "least-size is for"),
        ([*RELEASE, "--schema", "drafted.json"], 3, "public knowledge"),
        ([*RELEASE, "--adjacency", ""], 2, "adjacency"),
        ([*SIMULATE, "--adjacency", "add-remove"], 2, "least-size is for"),
        ([*SIMULATE, "--mode", "pretend"], 2, "mode = pretend"),
        ([*SIMULATE, "--label", "b"], 2, "exactly two values"),
        ([*SIMULATE, "--label", "z"], 2, "label = z"),
        ([*SIMULATE, "--positive", "fine"], 2, "positive = fine: must be bad or good"),
        ([*SIMULATE, "--one-hot", "z"], 2, "one_hot = z"),
        ([*SIMULATE, "--epsilon", "0"], 2, "epsilon = 0"),
        ([*SIMULATE, "--epsilon", "nan"], 2, "finite"),
        ([*SIMULATE, "--dp-delta", "1"], 2, "dp_delta = 1"),
        ([*SIMULATE, "--reserve", "1"], 2, "reserve = 1"),
        ([*SIMULATE, "--weight", "0"], 2, "weight = 0"),
        ([*SIMULATE, "--fourth-weight", "1"], 2, "fourth-weight is for --fourth"),
        ([*SIMULATE, "--seed", "x"], 2, "seed"),
        ([*SIMULATE, "--schema", "nowhere.json"], 3, "nowhere.json"),
        ([*SIMULATE, "--output", "nowhere/out.json"], 6, "does not exist"),
        ([*SIMULATE, "--output", "table.csv", "--force"], 6, "is the table that is read"),
        ([*SIMULATE, "--output", "schema.json"], 6, "exists"),
    ],
)
def test_refusals(place: Path, arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(os.listdir(place))
    assert main(arguments) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("synthbounds: error: ")
    assert words in said.err
    assert said.err.count("\n") == 1
    assert "as spent" not in said.err
    assert sorted(os.listdir(place)) == before


@pytest.mark.parametrize("cell", ["SECRET", "", '"SEC\nRET"'])
def test_errors_of_a_release_show_no_data(place: Path, cell: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("table.csv").write_text(f"a,b,y\nyes,low,good\nno,{cell},bad\n")
    assert main(RELEASE) == 3
    said = capsys.readouterr().err
    assert "row 2, column 'b'" in said
    assert "SEC" not in said
    assert "as spent" not in said
    assert main(SIMULATE) == 3
    assert ("SECRET" in capsys.readouterr().err) == (cell == "SECRET")
    Path("table.csv").write_text("a,b,y,SECRET\nyes,low,good,1\n")
    assert main(RELEASE) == 3
    assert "SECRET" not in capsys.readouterr().err
    assert main([*RELEASE, "--ignore-extra"]) == 0


@pytest.mark.parametrize("ask", [RELEASE, SIMULATE])
def test_a_place_that_cannot_be_written_costs_nothing(
    place: Path, ask: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("fsync", "link"):  # while the file is written, and when it takes its place
        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            assert main(ask) == 6
        said = capsys.readouterr().err
        assert "No space left" in said
        assert "count epsilon as spent" not in said  # writing is tried before the noise
        assert not list(Path().glob("out.json*"))


def test_a_report_that_cannot_be_printed_says_that_the_budget_is_spent(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    with contextlib.redirect_stdout(Full()):
        assert main(RELEASE) == 6
    said = capsys.readouterr().err
    assert "the files are complete" in said
    assert "count epsilon as spent" in said
    assert read_release("out.json").mode == "release"


def test_radii_are_stated_on_request(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RELEASE, "--beta", "0.05", "--format", "json"]) == 0
    radii = json.loads(capsys.readouterr().out)["radii"]
    first, second = moment_radii(read_release("out.json"), Fraction(1, 20))
    assert radii["failure"] == "0.05"
    assert first <= Fraction(radii["first"]) <= first * Fraction(1001, 1000)
    assert second <= Fraction(radii["second"]) <= second * Fraction(1001, 1000)
    assert main([*RELEASE[:-1], "other.json", "--beta", "1"]) == 2
    assert "beta = 1" in capsys.readouterr().err
