"""Files written by the first version are read, checked and certified as before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from synthbounds.cli import main

HERE = Path(__file__).parent / "recorded"
FILES = HERE / "files_v1"
EXAMPLES = HERE.parent.parent / "docs" / "examples"

CERTIFICATES: dict[str, dict[str, Any]] = {
    "minimax.approximation": {"method": "minimax", "degree": 4},
    "optimal.approximation": {"method": "optimal", "degree": 4},
    "bernstein.approximation": {"method": "bernstein", "degree": 8},
    "monomials.density": {"family": "monomials"},
    "exact.density": {"family": "parities"},
    "cells.density": {"family": "cells"},
    "groups.certificate": {"bound": "0.00181601394873"},
    "ridge.certificate": {"bound": "0.00298745728342"},
    "hinge.certificate": {"bound": "0.101906017652"},
    "private-size.certificate": {"bound": "0.00142979721517"},
    "fourth.certificate": {"bound": "0.00408745395396"},
}
BOUNDS = {
    "plain.moments.json trained.model.json": "0.001816013948724764",
    "plain.moments.json ridge.model.json": "0.002987457283411109",
    "plain.moments.json hinge.model.json": "0.101906017651411681",
    "private-size.moments.json private-size.model.json": "0.001429797215168052",
    "fourth.moments.json fourth.model.json": "0.004087453953959104",
    "two-rounds.moments.json first.model.json": "0.000234538903833488",
    "two-rounds.moments.json first.model.json --query first.query.json": "0.000230789485678",
    "two-rounds.moments.json second.model.json --query second.query.json": "0.00737449304983",
    "open.moments.json first.model.json --query open.query.json": "0.000230789485678",
    "simulated.moments.json survey.model.json --query simulated.query.json": "0.000709181510348",
    "gaussian.marginals.json people.model.json --label insured": "0.006802268183200247",
    "laplace.marginals.json people.model.json --label insured": "0.133758218673671171",
    "linf.marginals.json people.model.json --label insured": "0.017375114736751837",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files, with the tables they are about."""
    for source in (*FILES.iterdir(), EXAMPLES / "survey.csv", HERE / "inputs" / "people.csv"):
        shutil.copy(source, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(arguments: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    code = main([*arguments.split(), "--format", "json"])
    said = capsys.readouterr()
    assert code == 0, said.err + said.out
    found: dict[str, Any] = json.loads(said.out)
    return found


def test_every_file_is_tested() -> None:
    used = {f"{name}.json" for name in CERTIFICATES} | {word for line in BOUNDS for word in line.split()}
    used |= {
        "kinds.csv",
        "kinds.schema.json",
        "survey.schema.json",
        "people.schema.json",
        "draft.schema.json",
        "made.txt",
    }
    assert {path.name for path in FILES.iterdir()} <= used
    assert sum(path.stat().st_size for path in FILES.iterdir()) < 1_500_000


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates_are_valid(name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = report(f"check {name}.json", capsys)
    assert found["valid"] is True
    wanted = CERTIFICATES[name]
    assert {key: found["claims"][key] for key in wanted} == wanted


@pytest.mark.share(3)
@pytest.mark.parametrize("arguments", BOUNDS)
def test_releases_models_and_answers_are_certified(
    arguments: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The search for a polynomial is in floats, and its last digits depend on the machine."""
    found = report(f"certify {arguments}", capsys)
    assert float(found["excess_upper"]) == pytest.approx(float(BOUNDS[arguments]), rel=1e-3)
    assert found["by_query"] is ("--query" in arguments)
    release = json.loads(Path(arguments.split()[0]).read_text(encoding="utf-8"))
    assert found["release"]["digest"] == release["digest"]


@pytest.mark.parametrize("name", ["plain", "private-size", "fourth", "two-rounds", "open", "simulated"])
def test_releases_are_trained_on(name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = report(f"train {name}.moments.json --tau 2 --points 500 --output new.json", capsys)
    release = json.loads(Path(f"{name}.moments.json").read_text(encoding="utf-8"))
    assert found["release_digest"] == release["digest"]
    assert found["feature_map_digest"] == release["feature_map"]["digest"]


def test_what_was_kept_can_be_spent_once(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["confirm", "survey.csv", "open.moments.json", "first.model.json", "--anyway", "--output"]
    assert main([*ask, "new.json"]) == 0
    assert main([*ask, "newer.json"]) == 2
    assert "reservation: is spent" in capsys.readouterr().err


def test_what_an_answer_left_can_be_spent_once(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["confirm", "survey.csv", "two-rounds.moments.json", "second.model.json", "--anyway", "--previous"]
    assert main([*ask, "open.query.json", "--output", "new.json"]) == 0
    assert main([*ask, "open.query.json", "--output", "newer.json"]) == 2
    assert main([*ask, "first.query.json", "--output", "newer.json"]) == 2
    assert "what the query before left is spent" in capsys.readouterr().err
    assert main([*ask[:-2], "--anyway", "--output", "newer.json"]) == 2
    assert "reservation: is spent" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("schema", "table", "cells"),
    [
        ("people", "people", 16 + 8),
        ("kinds", "kinds", 20 + 6 + 18 + 30 + 90 + 27),
        ("survey", "survey", 0),
        ("draft", "survey", 0),
    ],
)
def test_schemas_are_read(schema: str, table: str, cells: int, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = f"release marginals {table}.csv --schema {schema}.schema.json --epsilon 1 --mode"
    found = report(f"{ask} simulate --output new.json", capsys)
    assert not cells or found["cells"] == cells
    if schema == "draft":
        assert main([*ask.split(), "release", "--adjacency", "replace-one", "--output", "other.json"]) == 3
        assert "public knowledge" in capsys.readouterr().err
