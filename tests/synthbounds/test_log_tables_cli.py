"""`synth` by methods with a log, and `--redraw`: files, refusals before anything is spent, messages after it."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from release.data.schema import read_schema
from release.data.tables import read_codes
from release.log.read import read_log
from synthbounds.cli import main
from tests.synthbounds.test_private_tables_cli import ADJACENCY, GOOD, SCHEMA, write

BUDGET = ["--epsilon", "1", "--dp-delta", "1e-6"]
ROWS = [list(GOOD), ["1", "M", "?", "71", "", "yes"], ["2", "F", "north", "", "2021-03-01", "no"]]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(json.dumps(SCHEMA))
    write([list(row) for row in ROWS * 40])
    return tmp_path


def synth(*more: str, mode: str = "simulate", table: str = "o.csv") -> int:
    asked = ["t.csv", "--schema", "s.json", *BUDGET, "--mode", mode, "--synthetic", table]
    return main(["synth", *asked, *more])


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


@pytest.mark.parametrize("adjacency", ADJACENCY)
@pytest.mark.parametrize("method", ["aim", "mst", "tree", "gen"])
def test_a_release_and_its_rows_again(
    place: Path, capsys: pytest.CaptureFixture[str], method: str, adjacency: str
) -> None:
    """The table and the log beside it, nothing left behind; the log alone gives the same file, for nothing."""
    assert synth("--method", method, *ADJACENCY[adjacency], mode="release") == 0, capsys.readouterr().err
    said = capsys.readouterr()
    assert said.err == ""
    assert "spent in total" in " ".join(said.out.split())
    assert "is the L1 distance, on every" in said.out
    assert not {path.name for path in place.iterdir()} - {"s.json", "t.csv", "o.csv", "o.log.json"}
    rows = 120 if adjacency == "public" else 50
    assert len(read_codes("o.csv", read_schema("s.json"))) == rows
    log = read_log("o.log.json")
    assert log.method == method
    assert log.ledger.left == 0
    Path("t.csv").unlink()
    assert main(["synth", "--redraw", "o.log.json", "--synthetic", "again.csv"]) == 0
    said = capsys.readouterr()
    assert "new rows spend nothing" in " ".join(said.out.split())
    assert Path("again.csv").read_bytes() == Path("o.csv").read_bytes()


def test_other_rows_of_the_same_log(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert synth("--method", "mst", "--log", "l.json") == 0
    capsys.readouterr()
    again = ["synth", "--redraw", "l.json", "--k", "30", "--synthetic"]
    assert main([*again, "a.csv"]) == 0
    assert main([*again, "b.csv", "--seed", "0", "--values", "inside"]) == 0
    capsys.readouterr()
    assert main([*again, "c.csv", "--seed", "1", "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["k"], body["spent"], body["redrawn"], body["method"]) == (30, False, True, "mst")
    assert body["stamp"] is not None
    assert len({Path(name).read_bytes() for name in ("a.csv", "b.csv", "c.csv")}) == 3
    assert main([*again, "a.csv"]) == 6  # what is there is not overwritten


@pytest.mark.parametrize(
    ("option", "line"),
    [
        (["--epsilon", "1"], "epsilon is not for --redraw"),
        (["--schema", "s.json"], "schema is not for --redraw"),
        (["t.csv"], "table is not for --redraw"),
        (["--mode", "release"], "mode is not for --redraw"),
        (["--k", "0"], "k = 0"),
    ],
)
def test_a_log_has_decided_everything_else(
    place: Path, capsys: pytest.CaptureFixture[str], option: list[str], line: str
) -> None:
    assert synth("--method", "mst") == 0
    capsys.readouterr()
    assert main(["synth", *option, "--redraw", "o.log.json", "--synthetic", "x.csv"]) == 2
    assert line in one_line(capsys)
    assert not Path("x.csv").exists()


def test_a_log_that_does_not_add_up_makes_no_rows(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from release.files.digest import digest_of

    assert synth("--method", "mst") == 0
    body = json.loads(Path("o.log.json").read_text())
    del body["digest"]
    body["steps"][0]["counts"][0] += 1
    cheaper = body | {"steps": body["steps"][:-1]}
    wrong: dict[str, Any] = {
        "changed.json": json.loads(Path("o.log.json").read_text()) | {"steps": body["steps"]},
        "cheaper.json": cheaper | {"digest": digest_of(cheaper)},
        "other.json": {"synthbounds_release": 1, "kind": "marginals"},
    }
    capsys.readouterr()
    for name, content in wrong.items():
        Path(name).write_text(json.dumps(content))
        assert main(["synth", "--redraw", name, "--synthetic", "x.csv"]) == 3, name
        one_line(capsys)
    assert main(["synth", "--redraw", "nowhere.json", "--synthetic", "x.csv"]) == 3
    one_line(capsys)
    assert main(["synth", "--synthetic", "x.csv"]) == 2
    assert "table is missing: name the table, or a log to draw new rows from" in one_line(capsys)
    assert not Path("x.csv").exists()


@pytest.mark.parametrize(
    ("options", "code", "line"),
    [
        (["--method", "mst", "--rounds", "9"], 2, "rounds is for --method aim or rap or rap++ or gem, not for mst"),
        (
            ["--method", "moments", "--log", "l.json"],
            2,
            "log is for --method aim or mst or tree or gen or rap or rap++ or gem or merf, not for moments",
        ),
        (["--method", "aim", "--release", "r.json"], 2, "release is for --method moments or independent, not for aim"),
        (["--method", "aim", "--degree", "6"], 2, "degree = 6"),
        (["--method", "aim", "--most-cells", "3"], 2, "most_cells = 3"),
        (["--method", "aim", "--rounds", "2"], 2, "rounds = 2"),
        (["--method", "gen", "--degree", "5", "--model-mb", "0"], 2, "model_mb = 0"),
        (["--method", "tree", "--label", "nobody"], 2, "label = nobody"),
        (
            ["--method", "aim", "--label", "ill"],
            2,
            "label is for --method moments or tree or rap or rap++ or merf, or with --distance",
        ),
        (["--method", "aim", "--distance", "1/5"], 2, "label is missing"),
        (["--method", "aim", "--distance", "1/5", "--label", "ward"], 2, "a column with exactly two values"),
        (["--method", "tree", "--impossible", "nowhere.json"], 3, "nowhere.json"),
        (["--method", "tree", "--impossible", "bad.json"], 3, "nothing"),
        (["--method", "tree", "--log", "s.json"], 6, "s.json"),
        (["--most-cells", "9", "--label", "ill", "--release", "r.json"], 2, "which does not take the other options"),
    ],
)
def test_refused_before_anything_is_spent(
    place: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int, line: str
) -> None:
    Path("bad.json").write_text('{"impossible": [{"columns": ["nothing"], "values": [["F"]]}]}')
    before = {path.name for path in place.iterdir()}
    assert synth(*options, *ADJACENCY["public"], mode="release") == code
    said = one_line(capsys)
    assert line in said
    assert "spent" not in said
    assert {path.name for path in place.iterdir()} == before


def test_a_model_that_is_too_large(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = [{"name": f"c{i}", "levels": [f"v{j}" for j in range(200)]} for i in range(5)]
    Path("s.json").write_text(json.dumps({**SCHEMA, "columns": columns, "ignored": []}))
    write([["v1"] * 5] * 20, [column["name"] for column in columns])
    assert synth("--method", "gen", *ADJACENCY["public"], mode="release") == 4
    said = one_line(capsys)
    assert "model_mb = 100" in said
    assert "spent" not in said
    assert not Path("o.csv").exists()


def test_what_cannot_be_is_in_no_row(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("never.json").write_text(
        json.dumps({"impossible": [{"columns": ["sex", "ill"], "values": [["M", "no"], ["F", "yes"]]}]})
    )
    for method in ("aim", "mst", "tree", "gen"):
        said = ["--method", method, "--impossible", "never.json", "--k", "400", "--force"]
        assert synth(*said, *ADJACENCY["public"], mode="release") == 0, capsys.readouterr().err
        with Path("o.csv").open() as lines:
            assert {(row["sex"], row["ill"]) for row in csv.DictReader(lines)} == {("F", "no"), ("M", "yes")}
    capsys.readouterr()
    rows = [list(row) for row in ROWS * 3]
    rows[4][1] = "F"
    write(rows)
    assert synth("--method", "mst", "--impossible", "never.json", *ADJACENCY["public"], "--force", mode="release") == 3
    said = one_line(capsys)
    assert "row 5, columns sex, ill" in said
    assert "spent" not in said


@pytest.mark.parametrize("method", ["aim", "tree"])
def test_a_share_of_the_budget_for_the_distance_is_in_the_log(
    place: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    for adjacency in ADJACENCY.values():
        asked = ["--method", method, "--label", "ill", "--distance", "1/5", "--force", "--format", "json"]
        assert synth(*asked, *adjacency, mode="release") == 0, capsys.readouterr().err
        body = json.loads(capsys.readouterr().out)
        assert body["distance"] == "o.log.json"
        assert body["rho_parts"]["distance"] == "0.2"
        assert read_log("o.log.json").distance is not None
        assert main(["synth", "--redraw", "o.log.json", "--synthetic", "again.csv", "--force"]) == 0
        assert Path("again.csv").read_bytes() == Path("o.csv").read_bytes()
        said = " ".join(capsys.readouterr().out.split())
        assert re.search(
            r"First [0-9.e-]+: largest distance of (means|real sums) of label times feature.* Second [0-9.e-]+: ", said
        )
        assert "!! VACUOUS" in said


def test_an_account_is_charged_once_and_for_all(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened = ["open", "people.json", "--name", "people", "--adjacency", "replace-one", *BUDGET]
    assert main(["account", *opened]) == 0
    capsys.readouterr()
    asked = ["--method", "aim", "--account", "people.json", *ADJACENCY["public"], "--format", "json"]
    assert synth(*asked, mode="release") == 0, capsys.readouterr().err
    account = json.loads(capsys.readouterr().out)["account"]
    assert len(account["booked"]) == 1
    assert synth(*asked, "--force", mode="release") == 2
    assert one_line(capsys).endswith("; nothing was spent\n")
    again = ["synth", "--redraw", "o.log.json", "--synthetic", "free.csv"]
    assert main([*again, "--account", "people.json"]) == 2
    assert "account is not for --redraw" in one_line(capsys)
    assert main(again) == 0


@pytest.mark.parametrize(
    "where", ["mechanisms.pgm.from_log.estimate_log", "mechanisms.synth.make_by_log.known_from_log"]
)
def test_what_fails_after_the_noise_says_that_it_is_spent(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ValueError("canary-7731")

    monkeypatch.setattr(where, fails)
    assert synth("--method", "mst", *ADJACENCY["public"], mode="release") == 70
    said = one_line(capsys)
    assert "count epsilon as spent; the noisy numbers are kept in o.csv.recovery.json" in said
    assert "canary" not in said
    kept = json.loads(Path("o.csv.recovery.json").read_text())
    assert kept["header"]["kind"] == "marginal-log"
    assert not Path("o.csv").exists()
    assert synth("--method", "mst", *ADJACENCY["public"], mode="release") == 6  # what was paid for is not overwritten
    assert "spent" not in one_line(capsys)


@pytest.mark.parametrize("method", ["aim", "mst", "tree", "gen"])
def test_nothing_is_said_of_a_table_that_fits(place: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    write([list(GOOD)] * 80)
    assert synth("--method", method, *ADJACENCY["hidden"], mode="release") == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "80" not in said.out.replace(".80", "").replace("80%", "").split()
    for path in place.iterdir():
        assert path.name == "t.csv" or "canary" not in path.read_text()


def test_the_log_goes_where_nothing_else_does(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--method", "mst", *ADJACENCY["public"]]
    assert synth(*asked, "--output", "o.log.json", mode="release") == 2
    assert "output = o.log.json: is where the log goes; give another place for it (--log)" in one_line(capsys)
    Path("o.log.json").write_text("mine")
    assert synth(*asked, mode="release") == 6
    assert "spent" not in one_line(capsys)
    assert Path("o.log.json").read_text() == "mine"


_SCRIPT = """
import sys
from synthbounds.cli import main
for method in ("aim", "mst", "tree", "gen"):
    asked = ["t.csv", "--schema", "s.json", "--epsilon", "1", "--dp-delta", "1e-6", "--mode", "simulate"]
    assert main(["synth", *asked, "--method", method, "--synthetic", f"other-{method}.csv"]) == 0
"""


def test_a_simulation_is_the_same_in_any_process(place: Path) -> None:
    """Whatever order sets of Python have: logs and rows of two processes are equal, byte for byte."""
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    found = subprocess.run([sys.executable, "-c", _SCRIPT], env=environment, capture_output=True, check=False)
    assert found.returncode == 0, found.stderr
    for method in ("aim", "mst", "tree", "gen"):
        assert synth("--method", method, table=f"this-{method}.csv") == 0
        for ending in ("csv", "log.json"):
            here, there = (Path(f"{which}-{method}.{ending}").read_bytes() for which in ("this", "other"))
            assert here == there
