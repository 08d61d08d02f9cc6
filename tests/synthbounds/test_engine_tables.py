"""`--from` and `--table`: the same answers as from a file, byte for byte, and one line where something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from synthbounds.cli import main
from tests.paths import ROOT

EXAMPLES = ROOT / "docs" / "examples"
SURVEY, SCHEMA = str(EXAMPLES / "survey.csv"), str(EXAMPLES / "survey.schema.json")
SIMULATE = ["--mode", "simulate", "--seed", "3", "--epsilon", "1"]
DELTA = ["--dp-delta", "1e-6"]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    import duckdb

    file = tmp_path_factory.mktemp("engine") / "survey.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE SCHEMA poll")
        connection.execute(f"CREATE TABLE poll.survey AS FROM read_csv('{SURVEY}', all_varchar = true)")
    return ["--from", f"duckdb:{file}", "--table", "poll.survey"]


SAME = [
    ["schema", "TABLE", "--output", "FILE"],
    ["synth", "TABLE", "--schema", SCHEMA, "--method", "aim", *SIMULATE, *DELTA, "--synthetic", "FILE.csv"],
    ["synth", "TABLE", "--schema", SCHEMA, "--method", "mst", *SIMULATE, *DELTA, "--synthetic", "FILE.csv"],
    ["synth", "TABLE", "--schema", SCHEMA, "--method", "independent", *SIMULATE, "--synthetic", "FILE.csv"],
    ["release", "moments", "TABLE", "--schema", SCHEMA, "--label", "smoker", *SIMULATE, *DELTA, "--output", "FILE"],
    ["release", "marginals", "TABLE", "--schema", SCHEMA, *SIMULATE, "--pairs", "age:smoker", "--output", "FILE"],
    ["release", "distance", "TABLE", SURVEY, "--schema", SCHEMA, "--label", "smoker", *SIMULATE, "--output", "FILE"],
    ["regress", "TABLE", "--schema", SCHEMA, "--label", "smoker", *SIMULATE, *DELTA, "--output", "FILE"],
    ["evaluate", "TABLE", SURVEY, "--schema", SCHEMA, "--degree", "1", "--output", "FILE"],
]


@pytest.mark.share(3)
@pytest.mark.parametrize("line", SAME, ids=lambda line: " ".join(line[:2]))
def test_an_engine_gives_the_release_of_the_file(line: list[str], engine: list[str], tmp_path: Path) -> None:
    written: list[dict[str, bytes]] = []
    for name in ("file", "engine"):
        folder = tmp_path / name
        folder.mkdir()
        target = str(folder / "made.json")
        asked = [{"FILE": target, "FILE.csv": str(folder / "made.csv")}.get(part, part) for part in line]
        if name == "file":
            asked[asked.index("TABLE")] = SURVEY
        else:
            asked.remove("TABLE")
            asked += engine
        assert main(asked) == 0
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1]
    assert written[0]


def test_a_plan_counts_records_that_are_public(engine: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for known in (["--n", "4000"], engine):
        assert main(["plan", "--schema", SCHEMA, *known, "--format", "json"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert main(["plan", "--schema", SCHEMA, *engine, "--adjacency", "add-remove"]) == 2
    assert "not public under add-remove" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (["schema", SURVEY, "--table", "t"], 2, "also give its address (--from)"),
        (["schema", "--from", "duckdb:x"], 2, "name it, too (--table NAME)"),
        (["schema", "--from", "postgres://a:hunter2@h/d", "--table", "t"], 2, "contains a password"),
        (["schema", SURVEY, "--from", "duckdb:x", "--table", "t"], 2, "is one argument too many"),
        (["schema", "--from", "duckdb:/nowhere/x", "--table", "t"], 3, "table t: there is no such DuckDB file"),
        (["plan", "--schema", SCHEMA, "--n", "5", "--from", "duckdb:x", "--table", "t"], 2, "give only one of them"),
    ],
)
def test_what_is_wrong_is_one_line(line: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line) == code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert "hunter2" not in error
