"""The schema command: a line for every column, a draft that reads its table, warns, and is refused for a release."""

from __future__ import annotations

import json
from datetime import date
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from jsonschema import Draft202012Validator
from pyarrow import parquet

from bounds.errors import DataError
from release.data.columns import LevelColumn, NumberColumn
from release.data.schema import parse_schema, read_schema
from release.data.tables import read_codes
from release.data.template import template_from_table
from synthbounds.cli import main
from synthbounds.schemas import json_schema
from tests.paths import ROOT


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [f"{'FM'[i % 2]},{i % 91},{i / 7:.3f},{i % 3},{'=cmd' if i % 2 else 'b'}" for i in range(200)]
    path.write_text("\n".join(["sex,age,x,children,label", *rows]) + "\n", encoding="utf-8")
    return path


def test_json_is_the_schema_itself_with_a_warning(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", str(people), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    schema = parse_schema(out)
    assert not schema.is_public
    assert "publicly known" in schema.note
    assert err.startswith("synthbounds: warning: this draft was made from the data")
    assert err.count("\n") == 1
    assert schema.columns == (
        LevelColumn("sex", ("F", "M")),
        NumberColumn("age", "bins", 10, (Fraction(0), Fraction(90)), whole=True),
        NumberColumn("x", "bins", 10, (Fraction(0), Fraction("28.429"))),
        LevelColumn("children", ("0", "1", "2")),
        LevelColumn("label", ("=cmd", "b")),
    )


def test_the_draft_reads_its_table(
    people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    target = Path("people.schema.json")
    assert main(["schema", str(people), "--output", str(target), "--bins", "5", "--most-levels", "3"]) == 0
    out, _ = capsys.readouterr()
    assert all(name in out for name in ("sex", "age", "children", "whole numbers from 0 to 90", str(target)))
    schema = read_schema(target)
    assert schema.domain.sizes == (2, 5, 5, 3, 2)
    assert len(read_codes(people, schema)) == 200
    with pytest.raises(DataError, match="public knowledge"):
        schema.require_public()
    assert main(["schema", str(people), "--output", str(target)]) == 6
    assert read_schema(target) == schema


RELEASING = {
    "moments": ["synth", "--synthetic", "o.csv"],
    "lp": ["synth", "--synthetic", "o.csv", "--method", "lp"],
    "aim": ["synth", "--synthetic", "o.csv", "--method", "aim", "--dp-delta", "1e-9"],
    "marginals": ["release", "marginals", "--output", "o.json"],
    "of moments": ["release", "moments", "--output", "o.json", "--label", "sex", "--dp-delta", "1e-9"],
    "floors": ["release", "floors", "--output", "o.json", "--label", "sex", "--dp-delta", "1e-9"],
    "objpert": ["regress", "--output", "o.json", "--label", "sex", "--method", "objpert", "--adjacency", "add-remove"],
    "ssp": ["regress", "--output", "o.json", "--label", "sex", "--method", "ssp", "--dp-delta", "1e-9"],
}


@pytest.mark.parametrize("asked", RELEASING.values(), ids=RELEASING)
def test_a_draft_whose_source_alone_was_changed_is_refused(
    asked: list[str], people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["schema", str(people), "--output", "s.json"]) == 0
    Path("s.json").write_text(Path("s.json").read_text().replace('"data-dependent"', '"public"', 1))
    capsys.readouterr()
    places = 2 if asked[0] == "release" else 1
    size = ["--least-size", "100"] if "add-remove" in asked else ["--adjacency", "replace-one"]
    words = [*asked[:places], str(people), *asked[places:], "--schema", "s.json", "--epsilon", "1", *size]
    assert main([*words, "--mode", "release"]) == 3
    said = capsys.readouterr().err
    assert "the note is still that of a draft: check every column" in said
    assert said.count("\n") == 1
    assert not list(tmp_path.glob("o.*"))
    if asked[0] == "release":
        assert main([*words, "--mode", "simulate"]) == 0
        assert "a release refuses this schema: the note is still" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json", "markdown", "latex"])
def test_every_format_has_a_line_for_every_column(
    form: str, people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--output", str(tmp_path / "s.json")] if form == "json" else []
    assert main(["schema", str(people), "--format", form, *options]) == 0
    out, _ = capsys.readouterr()
    out = " ".join(out.split())
    assert all(name in out for name in ("sex", "age", "x", "children", "label", "numbers", "levels"))
    if form == "json":
        body = json.loads(out)
        assert body["command"] == "schema"
        assert [column["kind"] for column in body["columns"]] == ["levels", "numbers", "numbers", "levels", "levels"]
        assert list(Draft202012Validator(json_schema("output-schema")).iter_errors(body)) == []


def test_parquet_drafts(tmp_path: Path) -> None:
    table = {
        "sex": pa.array(["F", "M"] * 30).dictionary_encode(),
        "flag": [True, False] * 30,
        "few": [1, 10] * 30,
        "many": [7 * i for i in range(60)],
        "id": list(range(60)),
        "day": [date(2013, 1 + i % 12, 1) for i in range(60)],
        "gap": [None, *range(1, 60)],
        "lists": [[i] for i in range(60)],
        "weight": [0.1 * i for i in range(60)],
        "constant": [2.5] * 60,
        "only": ["other"] * 60,
        "text": [f"{i}.50" for i in range(60)],
    }
    parquet.write_table(pa.table(table), tmp_path / "t.parquet")
    schema = template_from_table(tmp_path / "t.parquet")
    columns = {column.name: column for column in schema.columns}
    assert columns["flag"].texts == ("false", "true")
    assert columns["few"].texts == ("1", "10")
    assert columns["only"].texts == ("other", "not other")
    for name in ("many", "weight", "constant", "text", "gap"):
        assert isinstance(columns[name], NumberColumn)
    assert columns["gap"].missing == ("",)
    assert columns["day"].to_json()["by"] == "month"
    assert schema.ignored == ("id", "lists")
    assert len(read_codes(tmp_path / "t.parquet", schema)) == 60


def test_ends_are_rounded_outward(tmp_path: Path) -> None:
    numbers = [f"0.{i:02d}12345678901234567" for i in range(30)]
    (tmp_path / "t.csv").write_text("a\n" + "\n".join(numbers) + "\n")
    column = template_from_table(tmp_path / "t.csv").columns[0]
    assert column.to_json()["range"] == ["0.00123456789012", "0.291234567891"]


BAD: list[tuple[bytes, list[str], int, str]] = [
    (b"", [], 3, "is empty"),
    (b"a,b\n", [], 3, "has no rows"),
    (b"a,b\n,\n", [], 3, "no column is left for a schema: 'a' every cell is missing; 'b' every cell is missing"),
    (b"a\n1\n\xff\n", [], 3, "'a' row 2 is not UTF-8 text"),
    (b"a,a\n1,2\n", [], 3, "no column has a unique name"),
    (b"a;b\n1;2\n", [], 3, "this file seems to be separated by ';'; save it with commas"),
    (b"a\n" + b"".join(b"name%d\n" % i for i in range(30)), [], 3, "nearly every row has a different text"),
    (b"a\n1\n", ["--bins", "1"], 2, "bins = 1"),
    (b"a\n1\n", ["--bins", "many"], 2, "bins = 'many'"),
    (b"a\n1\n", ["--most-levels", "65537"], 2, "most-levels = 65537"),
    (b"a\n1\n", ["--format", "xml"], 2, "format = xml"),
    (b"a\n" + b"".join(b"1e%d\n" % i for i in range(60)), [], 3, "at most 1e40"),
]


@pytest.mark.parametrize(("data", "options", "code", "said"), BAD)
def test_bad_questions(
    data: bytes, options: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    target = tmp_path / "s.json"
    assert main(["schema", str(path), "--output", str(target), *options]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert not target.exists()


def test_no_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["schema", str(tmp_path / "none.csv")]) == 3
    assert "No such file" in capsys.readouterr().err
    assert main(["schema"]) == 2


def test_the_page_shows_a_schema_that_reads() -> None:
    page = (ROOT / "docs" / "schema.md").read_text(encoding="utf-8")
    shown = page.split("```json\n", 1)[1].split("```", 1)[0]
    schema = parse_schema(shown)
    assert schema.to_json() == json.loads(shown)
