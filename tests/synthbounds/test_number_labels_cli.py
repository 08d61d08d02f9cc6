"""A label that is a number at the command line: released, certified, proved again, and refused elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from release.moments.read import read_release
from synthbounds.cli import main
from synthbounds.schemas import json_schema

COLUMNS = [
    {"name": "town", "levels": ["a", "b", "c"]},
    {"name": "pay", "range": ["0", "100"], "bins": 4},
    {"name": "ill", "levels": ["no", "yes"]},
]
SCHEMA = {"synthbounds_schema": 1, "source": "public", "columns": COLUMNS}
BUDGET = ["--schema", "schema.json", "--epsilon", "2", "--dp-delta", "1e-6", "--mode", "simulate", "--force"]
RELEASE = ["release", "moments", "table.csv", "--label", "pay", "--reduced", "all", *BUDGET]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("numbers")
    generator = np.random.Generator(np.random.Philox(5))
    town, ill = generator.integers(0, 3, 2000), generator.integers(0, 2, 2000)
    pay = np.clip(30 * town + 10 * ill + generator.integers(0, 30, 2000), 0, 100)
    rows = [f"{'abc'[t]},{p},{('no', 'yes')[i]}" for t, p, i in zip(town, pay, ill, strict=True)]
    (folder / "table.csv").write_text("\n".join(["town,pay,ill", *rows]) + "\n")
    (folder / "schema.json").write_text(json.dumps(SCHEMA))
    return folder


@pytest.fixture(autouse=True)
def inside(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(place)
    assert main([*RELEASE, "--output", "release.json"]) == 0
    capsys.readouterr()
    features = read_release("release.json").feature_map
    model = {
        "synthbounds_model": 1,
        "feature_map": features.digest,
        "names": list(features.names),
        "coefficients": ["0.6", "1.2", "0.1", "-0.7"],
        "loss": "squared",
    }
    Path("model.json").write_text(json.dumps(model))


def valid(name: str, text: str) -> dict[str, object]:
    body: dict[str, object] = json.loads(text)
    jsonschema.Draft202012Validator(json_schema(name)).validate(body)
    return body


def test_the_report_says_what_the_label_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RELEASE, "--output", "release.json"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "pay, a number; 12.5 is -1 and 87.5 is +1" in said
    assert "synthbounds regress release.json --loss squared" in said
    assert "1 of them one-hot without the first value" in said
    assert main([*RELEASE, "--output", "release.json", "--format", "json"]) == 0
    report = valid("output-release-moments", capsys.readouterr().out)
    assert (report["positive"], report["label_range"]) == (None, ["12.5", "87.5"])
    valid("release-moments", Path("release.json").read_text())


def test_certificates_are_written_and_checked(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["certify", "release.json", "model.json", "--tau", "3", "--certificate", "proof.json", "--force"]
    assert main([*asked, "--format", "json"]) == 0
    report = valid("output-certify", capsys.readouterr().out)
    lines = report["trivial_bounds"]
    assert isinstance(lines, dict)
    assert lines["constant_risk_lower"] is None
    assert float(lines["constant_gain_lower"]) > 0
    assert main([*asked[:5], "--report", "page.html", "--force"]) == 0
    assert "losses are (y - score)^2/2" in " ".join(capsys.readouterr().out.split())
    assert "giving everybody the same answer has a loss larger by at least" in Path("page.html").read_text()
    assert valid("certificate-model", Path("proof.json").read_text())["label_bits"] == 16
    assert main(["check", "proof.json", "--release", "release.json", "--model", "model.json"]) == 0
    assert "a number y from -1 to 1" in capsys.readouterr().out
    body = json.loads(Path("proof.json").read_text())
    del body["label_bits"]
    Path("other.json").write_text(json.dumps(body))
    assert main(["check", "other.json", "--release", "release.json", "--model", "model.json"]) == 1


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        (["certify", "release.json", "model.json", "--loss", "logistic", "--tau", "3"], 4, "the label is a number"),
        (["train", "release.json", "--output", "m.json"], 2, "`synthbounds regress RELEASE --loss squared` takes"),
        (["train", "release.json", "--tau", "auto", "--output", "m.json"], 2, "label = pay, a number"),
        (
            ["release", "floors", "table.csv", "--label", "pay", *BUDGET, "--output", "f.json"],
            2,
            "label = pay, a number",
        ),
        (
            ["release", "distance", "table.csv", "table.csv", "--label", "pay", *BUDGET, "--output", "d.json"],
            2,
            "label = pay, a number",
        ),
    ],
)
def test_what_is_about_two_values_is_refused_in_one_line(
    asked: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(asked) == code
    complained = capsys.readouterr().err
    assert message in complained
    assert complained.count("\n") == 1
