"""Marginals on the command line: a release that is read back, certificates from it, bad input in one line."""

from __future__ import annotations

import contextlib
import io
import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from mechanisms.models.certify.marginal_moments import moments_of_marginals
from mechanisms.models.model import Model, model_text
from mechanisms.models.train.newton import mean_loss, train_on_table
from release.marginals.read import read_marginals
from release.statistics.features import build_feature_map
from synthbounds.cli import main
from tests.moment_examples import SCHEMA, table
from tests.synthbounds.test_confirm_cli import flat, full, state, write_table

ROWS = 4137
FEATURES = build_feature_map(SCHEMA, label="pays", one_hot=["town"])
PAIRS = ["age:pays", "town:pays", "owns:pays", "size:pays"]
BARE = ["release", "marginals", "table.csv"]
ASK = [*BARE, "--schema", "schema.json", "--epsilon", "4", "--dp-delta", "1e-6"]
SIMULATE = [*ASK, "--mode", "simulate", "--output", "out.json"]
RELEASE = [*ASK, "--mode", "release", "--adjacency", "replace-one", "--output", "out.json"]
CERTIFY = ["certify", "out.json", "model.json", "--label", "pays", "--one-hot", "town"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, its schema, and a model that was trained on the table itself."""
    codes = table(ROWS)
    write_table(tmp_path / "table.csv", codes)
    (tmp_path / "schema.json").write_text(SCHEMA.to_text())
    best = train_on_table(codes, FEATURES, tau=2)
    model = Model(feature_map=FEATURES, coefficients=best.coefficients, tau=Fraction(2), made="for a test")
    (tmp_path / "model.json").write_text(model_text(model))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_pairs_are_released_and_read_back(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(RELEASE) == 0
    said = capsys.readouterr()
    assert said.err == ""
    found = read_marginals("out.json")
    assert (found.origin, found.size, len(found.tables)) == ("release", ROWS, 10)
    exact = np.bincount(table(ROWS)[:, 0], minlength=7) / ROWS
    first = next(t for t in found.tables if t.columns == (0, 1))
    noisy = np.array([float(cell) for cell in first.cells]).reshape(7, 3).sum(axis=1)
    assert np.abs(noisy - exact).max() <= 3 * float(first.radius)
    shown = flat(said.out)
    for text in (
        "0 of one column, 10 of two; 121 cells",
        "epsilon = 4, dp-delta = 0.000001; adjacency replace-one; n = 4,137 is public",
        "by at most sqrt(20) steps in L2",
        "synthbounds certify out.json model.json --label COLUMN",
        "synthbounds infer out.json --proportion COLUMN=VALUE",
        found.to_json()["digest"],
    ):
        assert text in shown


def test_the_json_report(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--pairs", "age:pays", "--one-way", "town", "--beta", "0.01", "--format", "json"]
    assert main([*RELEASE, *asked]) == 0
    report = json.loads(capsys.readouterr().out)
    found = read_marginals("out.json")
    assert (report["kind"], report["mode"], report["stamp"], report["seed"]) == ("marginals", "release", None, None)
    assert report["tables"] == [["town"], ["age", "pays"]]
    assert (report["n"], report["least_size"], report["n_is_public"]) == (ROWS, None, True)
    assert (report["beta"], report["cells"], report["mechanism"]) == ("0.01", 17, "gaussian")
    assert Fraction(report["radius"]) >= found.tables[0].radius
    assert report["digest"] == found.to_json()["digest"]
    assert report["inputs"]["pairs"] == "age:pays"


def test_one_pair_of_many_wide_columns_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All pairs would have far too many cells; nobody asked for them."""
    monkeypatch.chdir(tmp_path)
    columns = [{"name": f"c{j}", "edges": [str(edge) for edge in range(1001)]} for j in range(40)]
    (tmp_path / "schema.json").write_text(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))
    rows = [
        ",".join(f"c{j}" for j in range(40)),
        *(",".join(str((7 * i + j) % 1000) for j in range(40)) for i in range(9)),
    ]
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n")
    assert main([*SIMULATE, "--pairs", "c0:c1", "--one-way"]) == 0, capsys.readouterr().err
    assert "0 of one column, 1 of two; 1,000,000 cells" in flat(capsys.readouterr().out)


def test_no_pairs_leave_one_way_tables(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, "--pairs"]) == 0
    assert [t.columns for t in read_marginals("out.json").tables] == [(0,), (1,), (2,), (3,), (4,)]
    assert "NOT A RELEASE" in capsys.readouterr().out


def test_a_certificate_from_marginals(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The model is the best of its class on this table, and the zero model is not: both bounds hold here."""
    assert main(SIMULATE) == 0
    capsys.readouterr()
    assert main([*CERTIFY, "--format", "json"]) == 0
    said = capsys.readouterr()
    report = json.loads(said.out)
    assert "NOT A RELEASE" in said.err
    assert report["release"]["missing_pairs"] == []
    assert report["release"]["kind"] == "marginals"
    assert report["query"] is None
    moments = moments_of_marginals(read_marginals("out.json"), FEATURES, "0.05")
    for name, radius in (("first_radius", moments.k1), ("second_radius", moments.k2)):
        assert 0 <= Fraction(report["event"][name]) - radius < Fraction(1, 10**20)  # rounded up
    assert 0 < float(report["excess_upper"]) < 0.1
    zero = Model(feature_map=FEATURES, coefficients=(Fraction(0),) * FEATURES.size, tau=Fraction(2))
    Path("model.json").write_text(model_text(zero))
    assert main([*CERTIFY, "--format", "json"]) == 0
    bound = float(json.loads(capsys.readouterr().out)["excess_upper"])
    codes = table(ROWS)
    f, y = FEATURES.features(codes) / FEATURES.one, FEATURES.labels(codes)
    risk = mean_loss(zero.coefficients, f, y, np.full(ROWS, 1 / ROWS), loss="logistic")
    assert bound >= risk - train_on_table(codes, FEATURES, tau=2).risk_est > 0.05


def test_missing_pairs_are_named_and_cost(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SIMULATE) == 0
    assert main([*SIMULATE[:-1], "some.json", "--pairs", *PAIRS]) == 0
    capsys.readouterr()
    bounds = []
    for name in ("out.json", "some.json"):
        assert main(["certify", name, *CERTIFY[2:], "--format", "json"]) == 0
        said = capsys.readouterr()
        report = json.loads(said.out)
        bounds.append(float(report["excess_upper"]))
    assert bounds[0] < bounds[1]
    assert len(report["release"]["missing_pairs"]) == 6
    assert ["age", "town"] in report["release"]["missing_pairs"]
    assert "6 pairs of columns are in no table" in said.err
    assert main(["certify", "some.json", *CERTIFY[2:]]) == 0
    assert "6 pairs in no table, taken over all couplings: age:town" in flat(capsys.readouterr().out)


def test_add_remove_hides_the_number_of_records(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = [*ASK, "--mode", "release", "--adjacency", "add-remove", "--output", "out.json"]
    assert main([*ask, "--least-size", "4000"]) == 0
    said = capsys.readouterr()
    body = json.loads(Path("out.json").read_text())
    assert body["least_size"] == 4000
    assert "n" not in body
    assert "n is private, at least 4,000" in flat(said.out)
    assert "4,137" not in said.out + said.err
    assert main(CERTIFY) == 0
    capsys.readouterr()
    assert main([*ask, "--least-size", "4138", "--force"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_other_formats(place: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, "--format", form]) == 0
    assert "NOT A RELEASE" in capsys.readouterr().out
    assert main([*CERTIFY, "--format", form]) == 0
    assert "With confidence 95" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([*BARE, "--mode", "simulate"], 2, "schema is missing"),
        (SIMULATE[:-2], 2, "output is missing"),
        ([*SIMULATE, "--label", "pays"], 2, "label is for moments"),
        ([*SIMULATE, "--fourth"], 2, "fourth is for moments"),
        ([*SIMULATE, "--reserve", "0.1"], 2, "reserve is for moments"),
        ([*SIMULATE, "--one-hot", "town"], 2, "one-hot is for moments"),
        ([*SIMULATE, "--pairs", "age"], 2, "pairs = age: must be two columns"),
        ([*SIMULATE, "--pairs", "age:income"], 2, "pairs = age:income"),
        ([*SIMULATE, "--pairs", "age:age"], 2, "two different columns"),
        ([*SIMULATE, "--pairs", "age:town", "town:age"], 2, "given once"),
        ([*SIMULATE, "--one-way", "income"], 2, "one_way = income"),
        ([*SIMULATE, "--epsilon", "0"], 2, "epsilon = 0"),
        ([*SIMULATE, "--beta", "1"], 2, "beta = 1"),
        ([*SIMULATE, "--mechanism", "uniform"], 2, "mechanism"),
        ([*SIMULATE, "--least-size", "10"], 2, "least-size is for --adjacency add-remove"),
        ([*RELEASE, "--seed", "1"], 2, "operating system"),
        ([*ASK, "--mode", "release", "--output", "out.json"], 2, "adjacency is missing"),
        ([*SIMULATE, "--output", "table.csv", "--force"], 6, "is the table that is read"),
        (["release", "moments", *SIMULATE[2:], "--label", "pays", "--pairs", "age:town"], 2, "pairs is for marginals"),
    ],
)
def test_refusals(place: Path, arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(place)
    assert main(arguments) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.count("\n") == 1
    assert state(place) == before


def test_certificates_that_are_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(SIMULATE) == 0
        assert main([*SIMULATE[:-1], "pure.json", "--mechanism", "laplace"]) == 0
        moments = ["release", "moments", *SIMULATE[2:-1], "moments.json", "--label", "pays", "--one-hot", "town"]
        assert main(moments) == 0
    capsys.readouterr()
    changed = Path("out.json").read_text().replace('"beta": "1/20"', '"beta": "1/10"')
    Path("changed.json").write_text(changed)
    for arguments, code, words in (
        (CERTIFY[:3], 2, "label is missing"),
        ([*CERTIFY[:5], "--linear", "all"], 3, "names"),
        ([*CERTIFY[:4], "town"], 2, "exactly two values"),
        ([*CERTIFY, "--positive", "maybe"], 2, "positive = maybe"),
        ([*CERTIFY, "--held-out"], 2, "held-out is for a release of moments"),
        ([*CERTIFY, "--query", "model.json"], 2, "query is for a release of moments"),
        ([*CERTIFY, "--tau", "1"], 2, "at least the norm"),
        (["certify", "changed.json", *CERTIFY[2:]], 3, "the file has been changed"),
        (["certify", "pure.json", *CERTIFY[2:], "--beta", "0.01"], 2, "the beta of the release"),
        (["certify", "moments.json", *CERTIFY[2:]], 2, "label is for marginals"),
        (["train", "out.json", "--output", "new.json"], 2, "label is missing"),
    ):
        assert main(arguments) == code
        said = capsys.readouterr()
        assert said.out == ""
        assert words in said.err
        assert said.err.count("\n") == 1


def test_errors_of_a_release_show_no_data(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("table.csv").read_text()
    Path("table.csv").write_text(text.replace("north", "SECRET", 1))
    assert main(RELEASE) == 3
    assert "SECRET" not in capsys.readouterr().err
    assert not Path("out.json").exists()


@pytest.mark.parametrize("ask", [RELEASE, SIMULATE])
def test_a_place_that_cannot_be_written_costs_nothing(
    place: Path, ask: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = state(place)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert main(ask) == 6
    assert "count epsilon as spent" not in capsys.readouterr().err  # writing is tried before the noise
    assert state(place) == before
