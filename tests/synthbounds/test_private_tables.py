"""Only private numbers are said about a table that fits its schema: no value, no gap, no column that is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from release.data.schema import parse_schema, read_schema
from release.data.tables import read_codes
from release.data.template import draft_of_table
from synthbounds.cli import main
from tests.paths import ROOT, SHARED

CANARIES = ("Zzyzx", "41.7190234", "1987-03-14 15:09", "0.618033", "2718281", "n/a?", "Quetzal")
SCHEMA: dict[str, Any] = {
    "synthbounds_schema": 1,
    "source": "public",
    "missing_values": ["n/a?", "", "0.618033"],
    "spaces": "strip",
    "ignored": ["secret", ""],
    "columns": [
        {"name": "level", "levels": ["a", "b"], "missing": True},
        {"name": "number", "range": ["0", "100"], "bins": 3, "outside": "clip", "missing": True},
        {"name": "day", "date": "%Y-%m-%d %H:%M", "first": "1980-01-01", "last": "1999-12-31", "by": "hour"},
        {"name": "whole", "edges": ["0", "10", "20"], "whole": True, "outside": "clip"},
        {"name": "grid", "range": ["0", "100"], "grid": 3},
        {"name": "gone", "levels": ["only"], "missing": ["n/a?", "Quetzal"]},
        {"name": "label", "levels": ["no", "yes"]},
    ],
}
ROW = "Zzyzx,a, 41.7190234 ,1987-03-14 15:09,2718281,41.7190234,Quetzal,no,7"
OTHER = "Zzyzx,n/a?,0.618033,1987-03-14 15:09,3,0,only,yes,2718281"
COMMANDS = {
    "moments": "release moments t.csv --schema s.json --label label --epsilon 1 --dp-delta 1e-6 --mode release "
    "--adjacency {} --output out.json",
    "marginals": "release marginals t.csv --schema s.json --epsilon 1 --mode release --adjacency {} --output out.json",
    "synth": "synth t.csv --schema s.json --epsilon 1 --degree 1 --m 50 --k 20 --anyway --mode release --adjacency {} "
    "--synthetic out.csv --output out.json --format json",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(json.dumps(SCHEMA))
    return tmp_path


def write(*rows: str) -> None:
    names = ["secret", *(column["name"] for column in SCHEMA["columns"]), ""]
    Path("t.csv").write_text("\n".join([",".join(names), *rows]) + "\n")


def ask(command: str, adjacency: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    options = COMMANDS[command].format(adjacency).split()
    options += ["--least-size", "20"] if adjacency == "add-remove" else []
    code = main([*options, "--force"])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_of_the_table_is_said(
    command: str, adjacency: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for rows in ([ROW] * 30, [OTHER] * 30, [ROW, OTHER] * 15):
        write(*rows)
        code, out, err = ask(command, adjacency, capsys)
        assert code == 0, err
        said.append(err)
        written = "".join(path.read_text() for path in place.glob("out.*"))
        body = json.loads(Path("out.json").read_text())
        stated = {*body.get("schema", {}).get("missing_values", []), "Quetzal", "n/a?"}  # what the public schema says
        for canary in CANARIES:
            assert canary not in out + err
            assert canary in stated or canary not in written
    assert len(set(said)) == 1  # not even which warnings there are depends on the rows


@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_without_rows_passes_where_their_number_is_private(
    command: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write()
    code, _, err = ask(command, "add-remove", capsys)
    assert code == 0, err
    assert (place / "out.json").exists()


BAD = {
    "level": "Zzyzx",
    "number": "41.7190234x",
    "day": "1987-03-14 15:09:00",
    "whole": "2718281.5",
    "grid": "",
    "gone": "Zzyzx",
    "label": "n/a?",
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_does_not_fit_is_told_by_row_and_column_alone(
    command: str, name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = ROW.split(",")
    cells[1 + [column["name"] for column in SCHEMA["columns"]].index(name)] = BAD[name]
    write(ROW, ROW, ",".join(cells), *[ROW] * 5)
    code, out, err = ask(command, "replace-one", capsys)
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert f"row 3, column '{name}'" in err
    assert not any(canary in err for canary in CANARIES)
    assert not list(place.glob("out.*"))


EXAMPLES = {"adult_raw": (48_842, 13), "compas_raw": (7_214, 13)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_public_schemas_of_the_page(name: str) -> None:
    path = ROOT / "docs" / "examples" / f"{name}.schema.json"
    schema = read_schema(path)
    assert schema.is_public
    assert parse_schema(schema.to_text()) == schema
    assert path.read_text(encoding="utf-8") == schema.to_text()


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.skipif(not (SHARED / "raw").exists(), reason="not run: the tables are not here")
def test_raw_tables_are_read_and_drafted(name: str) -> None:
    table = SHARED / "raw" / f"{name}.csv"
    rows, columns = EXAMPLES[name]
    codes = read_codes(table, read_schema(ROOT / "docs" / "examples" / f"{name}.schema.json"))
    assert codes.shape == (rows, columns)
    draft = draft_of_table(table)
    assert len(draft.columns) == len(table.read_text(encoding="utf-8").partition("\n")[0].split(","))
    assert len(read_codes(table, draft.schema)) == draft.rows == rows
    assert not np.array_equal(codes[0], codes[1])
