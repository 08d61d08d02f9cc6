"""The train command: model and table together, reports in every format, bad input in one line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from mechanisms.models.model import read_model
from mechanisms.models.train.newton import mean_loss, train_on_table
from release.data.schema import read_schema
from release.data.tables import read_codes
from release.moments.read import read_release
from synthbounds.cli import main
from tests.moment_examples import SCHEMA, table

RELEASE = ["release", "moments", "table.csv", "--schema", "schema.json", "--label", "pays", "--one-hot", "town"]
BUDGET = ["--epsilon", "2", "--dp-delta", "1e-6", "--output", "release.json"]
TRAIN = ["train", "release.json", "--points", "2000", "--output", "model.json"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with a table and a simulated release of its moments."""
    rows = table(4000)
    texts = [column.texts for column in SCHEMA.columns]
    lines = [",".join(SCHEMA.names), *(",".join(t[c] for t, c in zip(texts, row, strict=True)) for row in rows)]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "schema.json").write_text(SCHEMA.to_text())
    monkeypatch.chdir(tmp_path)
    assert main([*RELEASE, *BUDGET, "--mode", "simulate"]) == 0
    capsys.readouterr()
    return tmp_path


def test_model_and_table_appear_together(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--tau", "3", "--synthetic", "out.csv", "--k", "500", "--seed", "7", "--format", "json"]
    assert main([*TRAIN, *asked]) == 0
    report = json.loads(capsys.readouterr().out)
    release = read_release("release.json")
    model = read_model("model.json", release.feature_map)
    assert model.tau == 3
    assert model.norm_squared <= 9
    assert model.release == release.digest == report["release_digest"]
    assert [Fraction(text) for text in report["coefficients"]] == list(model.coefficients)
    rows = read_codes("out.csv", read_schema("schema.json"))
    assert len(rows) == report["synthetic"]["k"] == 500
    assert (report["seed"], report["points"], report["mode"]) == (7, 2000, "simulate")
    assert report["stamp"].startswith("NOT A RELEASE")
    assert report["gap_est"] < 1e-9
    assert report["largest_residual_sd_est"] < 6
    assert report["risk_est"] < report["zero_risk_est"]


def test_the_model_is_good_on_the_real_table(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not a promise: the data and the noise are fixed by their seeds."""
    assert main([*TRAIN, "--tau", "3"]) == 0
    features = read_release("release.json").feature_map
    codes = read_codes("table.csv", read_schema("schema.json"))
    f, y = features.features(codes) / features.one, features.labels(codes)
    weights = np.full(len(codes), 1 / len(codes))
    best = train_on_table(codes, features, tau=3)
    ours = mean_loss(read_model("model.json", features).coefficients, f, y, weights, loss="logistic")
    assert 0 <= ours - best.risk_est < 0.1 * (np.log(2) - best.risk_est)


def test_the_report_says_what_was_done_and_how_to_go_on(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TRAIN, "--synthetic", "out.csv"]) == 0
    shown, warned = capsys.readouterr()
    for text in (
        "norm at most 5; the intercept counts",
        "an estimate: nothing here is certified",
        "standard deviations (of the noise)",
        "nothing more is spent",
        "NOT A RELEASE",
        "4,000 synthetic rows",
        "town=south",
        "synthbounds certify release.json model.json",
    ):
        assert text in " ".join(shown.split())
    assert "NOT A RELEASE" in warned


def test_the_same_seed_trains_the_same_model(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = []
    for seed in ("1", "1", "2"):
        assert main([*TRAIN, "--seed", seed, "--force"]) == 0
        models.append(Path("model.json").read_text())
    assert models[0] == models[1] != models[2]


@pytest.mark.parametrize(
    ("asked", "stated"),
    [
        (["--ridge", "0.01"], (None, "1/100", "inside", "logistic")),
        (["--tau", "2.5", "--intercept", "free"], ("5/2", None, "free", "logistic")),
        (["--loss", "squared"], ("5", None, "inside", "squared")),
        (["--loss", "hinge", "--tau", "2"], ("2", None, "inside", "hinge")),
    ],
)
def test_choices_are_stated_in_the_model(
    asked: list[str], stated: tuple[str | None, ...], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*TRAIN, *asked]) == 0
    body = json.loads(Path("model.json").read_text())
    assert tuple(body[name] for name in ("tau", "ridge", "intercept", "loss")) == stated
    read_model("model.json", read_release("release.json").feature_map)


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_other_formats(form: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TRAIN, "--format", form]) == 0
    assert "certify" in capsys.readouterr().out


def test_a_real_release_is_not_stamped(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*RELEASE, *BUDGET, "--mode", "release", "--adjacency", "add-remove", "--least-size", "3000", "--force"]
    assert main(asked) == 0
    capsys.readouterr()
    assert main([*TRAIN, "--synthetic", "out.parquet", "--k", "10"]) == 0
    shown, warned = capsys.readouterr()
    assert "NOT A RELEASE" not in shown + warned
    assert len(read_codes("out.parquet", read_schema("schema.json"))) == 10


@pytest.mark.parametrize(
    ("asked", "code", "complaint"),
    [
        (["--tau", "1", "--ridge", "1"], 2, "tau and ridge are both given"),
        (["--tau", "0"], 2, "tau = 0: must be at least"),
        (["--tau", "nan"], 2, "tau = nan: must be a finite number"),
        (["--ridge", "abc"], 2, "ridge = 'abc'"),
        (["--k", "5"], 2, "k is for the synthetic table"),
        (["--synthetic", "out.csv", "--k", "0"], 2, "k = 0: must be at least 1"),
        (["--synthetic", "out.txt"], 6, "must end in .csv or .parquet"),
        (["--loss", "zero-one"], 2, "loss = zero-one: must be one of logistic, squared, hinge"),
        (["--intercept", "none"], 2, "intercept = none: must be inside or free"),
        (["--points", "1"], 2, "points = 1: must be at least 100"),
        (["--seed", "-1"], 2, "seed"),
        (["--synthetic", "model.json"], 2, "synthetic and output name the same file"),
    ],
)
def test_bad_questions_leave_no_file(
    asked: list[str], code: int, complaint: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path.name for path in place.iterdir())
    assert main([*TRAIN, *asked]) == code
    shown, warned = capsys.readouterr()
    assert shown == ""
    assert complaint in warned
    assert warned.count("\n") == 1
    assert sorted(path.name for path in place.iterdir()) == before


def test_a_release_is_needed_and_kept(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "release.json"]) == 2
    assert "output is missing: say where the model goes" in capsys.readouterr().err
    assert main(["train", "none.json", "--output", "model.json"]) == 3
    assert "cannot be read" in capsys.readouterr().err
    assert main(["train", "schema.json", "--output", "model.json"]) == 3
    before = Path("release.json").read_text()
    assert main(["train", "release.json", "--output", "release.json", "--force"]) == 6
    assert "is the release that is read" in capsys.readouterr().err
    assert Path("release.json").read_text() == before
    Path("release.json").write_text(before.replace('"mode": "simulate"', '"mode": "release"'))
    assert main([*TRAIN]) == 3
    assert not Path("model.json").exists()


def test_a_long_training_says_how_long_before_it_starts() -> None:
    from mechanisms.models.train.synthetic import time_estimate

    assert time_estimate(15) is None
    assert "91 features: about 8 minutes" in str(time_estimate(91))
    assert "seconds" in str(time_estimate(91, points=2000))
