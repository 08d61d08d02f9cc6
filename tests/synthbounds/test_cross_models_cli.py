"""`train` and `certify` on a release of cross moments: the whole way on the command line, its JSON and its refusals."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import synthbounds as sb
from mechanisms.models.certify import from_cross_moments as certifying
from release.cross_moments.file import CrossMoments
from release.noise.kinds import NOT_A_RELEASE
from release.statistics.blocks import LINEAR, NONE
from release.statistics.cross_moments import TableEncoding
from synthbounds.cli import certify_command, main
from synthbounds.schemas import json_schema
from tests.cross_examples import SCHEMA, made
from tests.paths import ROOT


def released() -> CrossMoments:
    """Of a table with few features, so that certificates are quick."""
    return made(epsilon=4, encoding=TableEncoding(SCHEMA, (LINEAR, NONE, LINEAR, LINEAR, NONE), "pays"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of cross moments, and a model that `train` made of it."""
    found = tmp_path_factory.mktemp("cross")
    (found / "release.json").write_text(released().to_text(), encoding="utf-8")
    asked = ["--tau", "1", "--points", "500", "--output", str(found / "model.json"), "--format", "json"]
    with (found / "report.json").open("w", encoding="utf-8") as report, redirect_stdout(report):
        assert main(["train", str(found / "release.json"), *asked]) == 0
    return found


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*arguments, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_file_is_valid_by_its_schema(folder: Path) -> None:
    body = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    Draft202012Validator(json_schema("release-cross-moments")).validate(body)
    open_release = sb.models.open_release(folder / "release.json")
    assert open_release == released()
    for changed in ({"kind": "moments"}, {"n": None}, {"cross": "none"}, {"extra": 1}):
        assert not Draft202012Validator(json_schema("release-cross-moments")).is_valid({**body, **changed})


def test_the_report_on_a_model_is_valid_and_says_what_it_is(folder: Path) -> None:
    body, model = (json.loads((folder / name).read_text(encoding="utf-8")) for name in ("report.json", "model.json"))
    Draft202012Validator(json_schema("output-train-cross-moments")).validate(body)
    Draft202012Validator(json_schema("model")).validate(model)
    assert body["label"] == "pays"
    assert body["stamp"] == NOT_A_RELEASE
    assert body["coefficients"] == model["coefficients"]


def test_a_certificate_from_cross_moments(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Any] = []

    @wraps(sb.certify_cross_moments)
    def once(*given: Any, **asked: Any) -> Any:
        """One search serves both formats."""
        if not answers:
            answers.append(sb.certify_cross_moments(*given, **asked))
        return answers[0]

    monkeypatch.setattr(certifying, "SPLITS", 0)
    monkeypatch.setattr(certify_command, "certify_cross_moments", once)
    files = [str(folder / "release.json"), str(folder / "model.json")]
    body = said(["certify", *files], capsys)
    Draft202012Validator(json_schema("output-certify-cross-moments")).validate(body)
    assert body["release"]["label"] == "pays"
    assert body["uniform_over_models"]
    assert main(["certify", *files, "--label", "pays", "--positive", "yes"]) == 0
    text = capsys.readouterr().out
    assert "docs/proofs/synthbounds.cross-moments.md" in text
    assert body["statement"][:40] in text


REFUSED = [
    (["certify", "RELEASE", "MODEL", "--query", "q.json"], "query is for a release of moments, and these are cross"),
    (["certify", "RELEASE", "MODEL", "--certificate", "c.json"], "certificate is for a release of moments"),
    (["certify", "RELEASE", "MODEL", "--one-hot", "town"], "one-hot is for marginals: a release of cross moments has"),
    (["certify", "RELEASE", "MODEL", "--label", "town"], "label = town with 3 values: must be a column with exactly"),
    (["certify", "RELEASE", "MODEL", "--label", "owns"], "the model was made for other features|names"),
    (["certify", "RELEASE", "MODEL", "--positive", "no"], "the model was made for other features"),
    (["train", "RELEASE", "--output", "m.json", "--label", "nobody"], "label = nobody: must be a column of the schema"),
    (
        ["train", "RELEASE", "--output", "m.json", "--synthetic", "s.csv"],
        "synthetic is for a release of moments; `synth",
    ),
    (
        ["train", "RELEASE", "--output", "m.json", "--k", "10"],
        "k is for a release of moments; `synthbounds synth` makes",
    ),
    (
        ["train", "RELEASE", "--output", "m.json", "--seed", "1"],
        "seed is for a release of moments, and these are cross",
    ),
]


@pytest.mark.parametrize(("arguments", "line"), REFUSED, ids=[f"{a[0]}-{a[-2]}-{a[-1]}" for a, _ in REFUSED])
def test_what_does_not_go_with_cross_moments_is_refused(
    arguments: list[str],
    line: str,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.json").write_text("{}", encoding="utf-8")
    files = {"RELEASE": str(folder / "release.json"), "MODEL": str(folder / "model.json")}
    assert main([files.get(a, a) for a in arguments]) in (2, 3)
    error = capsys.readouterr().err
    assert any(part in error for part in line.split("|"))
    assert error.count("\n") == 1


def test_a_label_is_not_asked_of_a_release_that_has_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    examples = ROOT / "docs" / "examples"
    asked = ["--schema", str(examples / "survey.schema.json"), "--epsilon", "1", "--dp-delta", "1e-9"]
    for kind, more in (("moments", ["--label", "insured"]), ("marginals", ["--pairs"])):
        target = str(tmp_path / f"{kind}.json")
        table = str(examples / "survey.csv")
        assert main(["release", kind, table, *asked, "--mode", "simulate", *more, "--output", target]) == 0
    capsys.readouterr()
    output = str(tmp_path / "model.json")
    assert main(["train", str(tmp_path / "moments.json"), "--label", "insured", "--output", output]) == 2
    assert "label is for a release of cross moments: one of moments has its own" in capsys.readouterr().err
    assert main(["train", str(tmp_path / "marginals.json"), "--output", output]) == 2
    assert "label is missing" in capsys.readouterr().err
    assert main(["confirm", "table.csv", str(folder / "release.json"), str(folder / "model.json"), "--output", output])
    assert 'kind = "cross-moments": must be "moments"' in capsys.readouterr().err
