"""Models from marginals and from finished tables: trained, certified, and refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from mechanisms.models.train.newton import train_on_table
from synthbounds import models
from synthbounds.api.json_schemas import json_schema
from synthbounds.cli import main
from tests.moment_examples import SCHEMA, feature_map, table

FEATURES = feature_map()
LABEL = ["--label", "pays"]
TABLE_OF = ["train", "table.csv", "--schema", "schema.json", *LABEL, "--tau", "2", "--output", "model.json"]
SIMULATE = ["--schema", "schema.json", "--epsilon", "50", "--dp-delta", "1e-6", "--mode", "simulate", "--output"]
MARGINALS = ["release", "marginals", "table.csv", *SIMULATE, "marginals.json"]
OF_MARGINALS = ["train", "marginals.json", *LABEL, "--tau", "2", "--points", "4000", "--output", "model.json"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = [column.texts for column in SCHEMA.columns]
    rows = [",".join(t[code] for t, code in zip(texts, row, strict=True)) for row in table(4000)]
    Path("table.csv").write_text("\n".join([",".join(SCHEMA.names), *rows]) + "\n")
    Path("schema.json").write_text(SCHEMA.to_text())
    return tmp_path


def answer(arguments: list[str], capsys: pytest.CaptureFixture[str], schema: str = "output-train-public") -> dict:  # type: ignore[type-arg]
    assert main([*arguments, "--format", "json"]) == 0
    body: dict[str, object] = json.loads(capsys.readouterr().out)
    Draft202012Validator(json_schema(schema)).validate(body)
    return body


@pytest.mark.usefixtures("place")
def test_a_finished_table_is_trained_on_and_its_distance_certifies(capsys: pytest.CaptureFixture[str]) -> None:
    said = answer(TABLE_OF, capsys)
    assert (said["kind"], said["release_digest"], said["points"], said["missing_pairs"]) == ("table", None, 4000, [])
    expected = train_on_table(table(4000), FEATURES, tau=2)
    assert models.read_model("model.json", FEATURES).coefficients == expected.coefficients
    distance = ["release", "distance", "table.csv", "table.csv", *SIMULATE, "distance.json", *LABEL]
    assert main(distance) == 0
    capsys.readouterr()
    found = answer(["certify", "distance.json", "model.json"], capsys, "output-certify-distance")
    assert 0 < Fraction(found["excess_upper"]) < Fraction(1, 100)


@pytest.mark.usefixtures("place")
def test_from_exact_marginals_the_model_is_nearly_that_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(MARGINALS) == 0
    capsys.readouterr()
    said = answer(OF_MARGINALS, capsys)
    assert (said["kind"], said["mode"], said["missing_pairs"]) == ("marginals", "simulate", [])
    best = train_on_table(table(4000), FEATURES, tau=2)
    model = models.read_model("model.json", FEATURES)
    f, y = FEATURES.features(table(4000)) / FEATURES.one, FEATURES.labels(table(4000))
    risks = [
        np.logaddexp(0, -y * (f @ np.array([float(c) for c in coefficients]))).mean()
        for coefficients in (model.coefficients, best.coefficients)
    ]
    assert risks[0] - risks[1] < 1e-3
    found = answer(["certify", "marginals.json", "model.json", *LABEL], capsys, "output-certify-marginals")
    assert Fraction(found["excess_upper"]) >= Fraction(risks[0] - risks[1])
    own = models.model_text(model, with_features=True)
    Path("own.json").write_text(own)
    again = answer(["certify", "marginals.json", "own.json"], capsys, "output-certify-marginals")
    assert again["excess_upper"] == found["excess_upper"]


@pytest.mark.usefixtures("place")
def test_pairs_that_no_table_shows_are_left_out_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MARGINALS, "--pairs", "age:pays", "town:pays"]) == 0
    capsys.readouterr()
    assert main([*OF_MARGINALS, "--format", "json"]) == 0
    told = capsys.readouterr()
    missing = json.loads(told.out)["missing_pairs"]
    assert ["age", "town"] in [sorted(pair) for pair in missing]
    assert f"{len(missing)} pairs of columns are in no table and were left out" in told.err
    model = models.read_model("model.json", FEATURES)
    assert abs(model.coefficients[FEATURES.names.index("owns")]) < Fraction(1, 10)  # nothing is known of it
    assert abs(model.coefficients[FEATURES.names.index("age")]) > Fraction(1, 20)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["certify", "table.csv", "model.json"], 3, 'release "table.csv": is a table; the steward of the real one'),
        (["train", "table.csv", *LABEL, "--output", "m.json"], 2, "schema is missing"),
        (["train", "table.csv", "--schema", "schema.json", "--output", "m.json"], 2, "label is missing"),
        ([*TABLE_OF, "--points", "500"], 2, "points is for a release, and this is a table"),
        ([*TABLE_OF, "--linear", "town", "--one-hot", "town"], 2, "linear = town: must be a column with no other"),
        (["train", "marginals.json", "--output", "m.json"], 2, "label is missing"),
        ([*OF_MARGINALS, "--synthetic", "s.csv"], 2, "synthetic is for a release of moments, and these are marginals"),
        ([*OF_MARGINALS, "--schema", "schema.json"], 2, "schema is for a finished table"),
        (["train", "moments.json", "--linear", "all", "--output", "m.json"], 2, "linear is for marginals and finished"),
    ],
)
@pytest.mark.usefixtures("place")
def test_refusals(arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "marginals.json" in arguments:
        assert main(MARGINALS) == 0
    if "moments.json" in arguments:
        assert main(["release", "moments", "table.csv", *SIMULATE, "moments.json", *LABEL]) == 0
    capsys.readouterr()
    assert main(arguments) == code
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert words in said.err
    assert not Path("m.json").exists()
