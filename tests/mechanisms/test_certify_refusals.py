"""What `certify`, `confirm` and `release` refuse or survive: false sizes, odd losses, closed pipes, pipes as files."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from bounds.certify.classes import ModelClass
from bounds.certify.loss_balls import LossOnBalls
from bounds.errors import DataError, NotApplicable, ParameterError
from mechanisms.models.event import known_moments
from release.data.schema import parse_schema
from release.gradient.planned import plan_gradient
from release.moments.make import make_release
from release.moments.read import read_release
from release.statistics.features import build_feature_map
from synthbounds.cli import main

SCHEMA = """{"synthbounds_schema": 1, "source": "public", "columns": [
    {"name": "a", "range": ["0", "1"], "bins": 4}, {"name": "b", "levels": ["no", "yes"]},
    {"name": "y", "levels": ["0", "1"]}]}"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("schema.json").write_text(SCHEMA, encoding="utf-8")
    draw = np.random.Generator(np.random.Philox(key=5)).integers(0, 4, size=(2000, 3))
    rows = "\n".join(f"{a / 4},{'no' if b < 2 else 'yes'},{int(a + c > 3)}" for a, b, c in draw.tolist())
    Path("table.csv").write_text(f"a,b,y\n{rows}\n", encoding="utf-8")
    return tmp_path


def test_a_least_size_that_the_count_contradicts_certifies_nothing() -> None:
    features = build_feature_map(parse_schema(SCHEMA), label="y")
    codes = np.zeros((300, 3), dtype=np.uint8)
    ask = {"epsilon": 1, "dp_delta": "1e-6", "adjacency": "add-remove", "mode": "simulate", "seed": 1, "reserve": "0.2"}
    found = make_release(codes, features, n0=10**6, **ask)  # type: ignore[arg-type]
    for use in (lambda: known_moments(found, Fraction(1, 20)), lambda: plan_gradient(found, [Fraction(1)] * 3, seed=1)):
        with pytest.raises(DataError, match="least_size = 1000000: the noisy count"):
            use()
    known_moments(make_release(codes, features, n0=300, **ask), Fraction(1, 20))  # type: ignore[arg-type]


@pytest.mark.parametrize("loss", ["1e400", "1/x", "log(x)", "sqrt(x)", "exp(exp(exp(x)))", "exp(-1e3*x)"])
def test_a_loss_without_finite_values_is_refused(loss: str) -> None:
    with pytest.raises(NotApplicable, match="has no finite value"):
        LossOnBalls(loss, Fraction(5))


def test_a_constant_loss_has_one_value_for_every_score() -> None:
    assert LossOnBalls("2", Fraction(5)).values_est(np.zeros(7)).tolist() == [2.0] * 7


def test_an_intercept_is_inside_or_free() -> None:
    with pytest.raises(ParameterError, match="intercept = x"):
        ModelClass(loss="logistic", tau=Fraction(1), intercept="x")


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("release moments table.csv --schema schema.json --label y --epsilon 1 --dp-delta 1e-6 --output", "out.json"),
        ("synth table.csv --schema schema.json --epsilon 8 --anyway --synthetic", "out.csv"),
    ],
)
def test_a_closed_pipe_does_not_cost_what_was_paid_for(place: Path, command: str, file: str) -> None:
    arguments = [*command.split(), file, "--mode", "release", "--adjacency", "replace-one"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "synthbounds", *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert "files are complete" in done.stderr
    assert "count epsilon as spent" in done.stderr
    assert Path(file).is_file()
    if file == "out.json":
        assert read_release(file).stated_size == 2000


def test_a_pipe_in_place_of_a_query_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = "release moments table.csv --schema schema.json --label y --epsilon 1 --dp-delta 1e-6 --mode simulate"
    assert main([*command.split(), "--reserve", "0.2", "--output", "out.json"]) == 0
    assert main(["train", "out.json", "--tau", "1", "--output", "model.json"]) == 0
    os.mkfifo("pipe")
    capsys.readouterr()
    arguments = ["confirm", "table.csv", "out.json", "model.json", "--previous", "pipe", "--output", "query.json"]
    assert main(arguments) == 3
    assert "pipe" in capsys.readouterr().err
    assert not Path("query.json").exists()


def test_files_in_the_wrong_order_are_called_what_they_are(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = "release moments table.csv --schema schema.json --label y --epsilon 1 --dp-delta 1e-6 --mode simulate"
    assert main([*command.split(), "--output", "out.json"]) == 0
    assert main(["train", "out.json", "--tau", "1", "--output", "model.json"]) == 0
    capsys.readouterr()
    assert main(["certify", "model.json", "out.json"]) == 3
    assert "is the file of a model; give the right one" in capsys.readouterr().err


def test_a_plan_does_not_replace_the_release_it_is_like(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = "release moments table.csv --schema schema.json --label y --epsilon 1 --dp-delta 1e-6 --mode simulate"
    assert main([*command.split(), "--output", "out.json"]) == 0
    kept = Path("out.json").read_bytes()
    plan = ["certify", "--plan", "--n", "100", "--epsilon", "1", "--tau", "1", "--like", "out.json"]
    assert main([*plan, "--output", "out.json", "--force"]) == 6
    assert "is the like that is read" in capsys.readouterr().err
    assert Path("out.json").read_bytes() == kept


PLAN = ["certify", "--plan", "--n", "10000", "--epsilon", "1", "--features", "5", "--tau", "2"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["certify", "release.json", "model.json", "--fourth"], "fourth is for planning"),
        (["certify", "release.json", "model.json", "--n", "100"], "n is for planning"),
        ([*PLAN, "--held-out"], "held-out: is not for a plan"),
        ([*PLAN, "--thorough"], "thorough: is not for a plan"),
        ([*PLAN, "--certificate", "proof.json"], "certificate: is not for a plan"),
        ([*PLAN, "--like", "release.json"], "features and like are both given"),
        ([*PLAN, "--loss", "nope"], "loss = nope: must be logistic, hinge, squared or a function of x"),
        ([*PLAN[:-3], "41", "--tau", "2", "--fourth"], "features = 41: must be at most 40 (for fourth moments)"),
    ],
)
def test_options_of_a_plan_and_of_a_certificate_do_not_mix(
    asked: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(asked) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
