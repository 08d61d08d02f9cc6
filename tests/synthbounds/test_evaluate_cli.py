"""The command `evaluate`: stamped in every format, its picture, and what it refuses."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import synthbounds as sb
from bounds.errors import DataError, UsageError
from mechanisms.evaluate.evaluation import NEVER_PRIVATE
from release.data.schema import read_schema
from synthbounds.api.evaluating import answer_of
from synthbounds.cli import main
from tests.paths import ROOT

INPUTS = ROOT / "tests" / "recorded" / "inputs"
PEOPLE, SCHEMA = str(INPUTS / "people.csv"), str(INPUTS / "people.schema.json")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Another table of these columns, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    lines = Path(PEOPLE).read_text(encoding="utf-8").splitlines()
    (tmp_path / "made.csv").write_text("\n".join([lines[0], *lines[1:400:2]]) + "\n", encoding="utf-8")
    return "made.csv"


@pytest.mark.parametrize("name", ["text", "json", "latex", "markdown"])
def test_every_format_says_that_nothing_is_private(name: str, made: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", PEOPLE, made, "--schema", SCHEMA, "--format", name]) == 0
    told = capsys.readouterr()
    assert NEVER_PRIVATE in " ".join(told.out.split())
    assert NEVER_PRIVATE in told.err
    if name == "json":
        assert json.loads(told.out)["stamp"] == NEVER_PRIVATE


def test_the_report_labels_its_protocol(made: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["evaluate", PEOPLE, made, "--schema", SCHEMA, "--label", "insured", "--held-out", "1/4", "--seed", "5"]
    assert main(asked) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Scores on test rows, in sample" in text
    assert "300 rows, 0.25 of REAL drawn with seed 5" in text
    assert "in sample, as is assumed unless you say otherwise (--protocol)" in text
    assert main([*asked, "--protocol", "out-of-sample"]) == 0
    assert "out of sample, as you say" in " ".join(capsys.readouterr().out.split())


def test_a_picture_is_stamped_and_names_its_columns(made: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", PEOPLE, made, "--schema", SCHEMA, "--picture", "errors.svg"]) == 0
    text = Path("errors.svg").read_text(encoding="utf-8")
    for said in (NEVER_PRIVATE, "NOT PRIVATE", "married", "Pairs of columns"):
        assert f">{said}<" in text
    assert text.count(">married<") == 3  # as a bar, as a row and as a column of the map
    assert ">share of rows that would have to change<" in text


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ("P made.csv", 2, "schema is missing"),
        ("P made.csv --schema S --picture x.gif", 2, "must end with .svg"),
        ("P made.csv --schema S --label insured", 2, "--test FILE or --held-out SHARE, one of them"),
        ("P made.csv --schema S --label insured --test P", 2, "test: is the real table itself"),
        ("P L --schema S", 3, "table labels.csv"),
        ("P N --schema S", 3, "no-rows.csv"),
        ("P made.csv --schema S --output P", 6, "is the real that is read"),
        ("P made.csv --schema S --label insured --held-out 0.2 --protocol maybe", 2, "protocol = maybe"),
    ],
)
def test_what_is_refused(options: str, code: int, says: str, made: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"P": PEOPLE, "S": SCHEMA, "L": str(INPUTS / "labels.csv"), "N": str(INPUTS / "no-rows.csv")}
    force = ["--force"] if "--output" in options else []
    assert main(["evaluate", *(names.get(word, word) for word in options.split()), *force]) == code
    told = capsys.readouterr()
    assert says in told.err
    assert told.err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == [made]


SCORES = ["--label", "insured", "--held-out", "1/4"]


@pytest.mark.parametrize("more", [[], pytest.param(SCORES, marks=pytest.mark.slow)])
def test_workers_say_the_same(more: list[str], made: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["evaluate", PEOPLE, made, "--schema", SCHEMA, "--degree", "3", *more]
    said = []
    for workers in ([], ["--workers", "2"]):
        assert main([*asked, *workers]) == 0
        said.append(capsys.readouterr())
    assert said[0] == said[1]


def test_where_answers_of_a_real_table_may_go(made: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["evaluate", PEOPLE, made, "--schema", SCHEMA, "--scheduler", "tcp://cluster.example:8786"]
    assert main(asked) == 2
    assert "evaluate, whose answers are about the real table, needs tls://" in capsys.readouterr().err
    digest = sha256(Path(made).read_bytes()).hexdigest()
    files, more = [(PEOPLE, digest), (made, digest), (SCHEMA, digest), None], (2, None, None, 0, None, False)
    with pytest.raises(DataError, match=r"people.csv: is a different file on the worker"):
        answer_of((files, more, ("errors", 2)))
    records = np.zeros((3, 4), dtype=np.uint8)
    with pytest.raises(UsageError, match="read the tables themselves, which must be files"):
        sb.evaluate_table(records, records, read_schema(SCHEMA), workers=2)
