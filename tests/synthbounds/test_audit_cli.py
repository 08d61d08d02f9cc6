"""The audit command: subjects, verdicts, exit codes, JSON."""

from __future__ import annotations

import json

import pytest

from synthbounds.cli import main
from verify.audit.subjects import SUBJECTS


def test_subjects_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit"]) == 0
    said = capsys.readouterr().out
    assert all(subject.name in said for subject in SUBJECTS)
    assert main(["audit", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["subjects"]
    assert [s["name"] for s in listed] == [s.name for s in SUBJECTS]
    assert {s["name"] for s in listed if s["known_violation"]} >= {"ssp", "bernstein-printed", "histogram-half-scale"}


def test_a_violation_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "ssp"]) == 1
    said = capsys.readouterr().out
    assert "VIOLATION, as is known" in said
    assert "1.610316" in said
    assert "add-remove" in said


def test_privacy_is_said_by_the_exact_layer_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "histogram"]) == 0
    assert "private: the claim holds" in capsys.readouterr().out
    for layer in ("ratio", "blackbox"):
        assert main(["audit", "histogram", "--layer", layer, "--samples", "2000"]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "no violation found: samples that show nothing are no evidence of privacy" in said
        assert "private:" not in said


def test_a_known_violation_that_samples_miss_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "gaussian-classical", "--layer", "ratio", "--samples", "2000"]) == 0
    assert "here a violation is known" in " ".join(capsys.readouterr().out.split())


def test_json_of_samples(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["audit", "histogram-half-scale", "--layer", "blackbox", "--seed", "7", "--format", "json"]
    assert main(arguments) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "violation"
    assert answer["adjacency"] == "replace-one"
    assert answer["exact"] is None
    assert 1 < answer["sampled"]["epsilon_lower_est"] <= 2
    assert answer["sampled"]["confidence"] == "0.99"
    assert main(arguments) == 1
    assert json.loads(capsys.readouterr().out) == answer


def test_json_of_the_exact_layer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "gaussian-classical", "--epsilon", "8", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "private"
    assert answer["known_violation"] is None
    assert float(answer["exact"]["delta"]["hi"]) < 1e-5
    assert main(["audit", "bernstein-printed", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["exact"]["epsilon"] == {"lo": "11", "hi": "11"}


@pytest.mark.parametrize("style", ["latex", "markdown"])
def test_other_formats(style: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "histogram", "--format", style]) == 0
    assert "histogram" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "one of algorithm-1"),
        (["ssp", "--layer", "guess"], "one of exact, ratio, blackbox"),
        (["ssp", "--epsilon", "0"], "epsilon = 0"),
        (["ssp", "--epsilon", "x"], "epsilon"),
        (["ssp", "--layer", "ratio", "--samples", "3"], "samples = 3"),
        (["bernstein-printed", "--layer", "ratio", "--samples", "9000000"], "121 answers"),
        (["ssp", "--layer", "ratio", "--seed", "-1"], "seed"),
        (["ssp", "--samples", "1000"], "the exact layer draws nothing"),
        (["--epsilon", "1"], "epsilon is for one subject"),
    ],
)
def test_wrong_questions(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert words in said
