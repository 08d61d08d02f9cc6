"""The command `plan`: what it says, in words, numbers and pictures, and what it refuses."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import synthbounds as sb
from mechanisms.planning.parameters import KINDS, METHODS
from synthbounds.cli import main
from synthbounds.render.error_picture import error_picture
from tests.paths import ROOT

SURVEY = ROOT / "docs" / "examples" / "survey.schema.json"


def said(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What is printed."""
    assert main(["plan", "--schema", str(SURVEY), *options]) == 0
    return capsys.readouterr().out


def payload(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(capsys, *options, "--format", "json"))
    return found


def test_the_answer_comes_first_and_says_its_privacy(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "--n", "20000")
    first, text = " ".join(text.split("\n\n")[1].split()), " ".join(text.split())
    assert "every one-way share is within this error by independent, with epsilon 1 and delta 2.5e-9" in first
    assert "every two-way cell is within this error by marginals, with epsilon 1 alone" in first
    for fact in ("adjacency replace-one", "n = 20,000 is public", "delta is 1/n^2 = 2.5e-9", "nothing is spent"):
        assert fact in text
    assert "name it (--label)" in text
    hidden = said(capsys, "--least-size", "20000", "--adjacency", "add-remove")
    assert "n is private, at least 20,000, which is public" in " ".join(hidden.split())


def test_json_has_what_python_gives(capsys: pytest.CaptureFixture[str]) -> None:
    shown, found = payload(capsys, "--n", "5000", "--epsilon", "0.7"), sb.plan_release(SURVEY, n=5000, epsilon="0.7")
    assert len(shown["rows"]) == len(found.forecasts)
    for row, forecast in zip(shown["rows"], found.forecasts, strict=True):
        assert (row["method"], Fraction(row["epsilon"])) == (forecast.method, forecast.budget.epsilon)
        for kind in KINDS:
            error, bound = row[kind.replace("-", "_")], forecast.errors.get(kind)
            assert (error is None) == (bound is None)
            if bound is not None:
                assert Fraction(error["error"]) >= bound.value
                assert float(error["error"]) == pytest.approx(float(bound.value), rel=1e-12)


def test_solutions_are_proved_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    for options in (("--n", "20000"), ("--epsilon", "1")):
        shown = payload(capsys, *options, "--error", "0.01", "--of", "two-way")
        assert {s["method"] for s in shown["solutions"]} == set(METHODS)
        reached = [s for s in shown["solutions"] if s["value"] is not None]
        assert reached
        for solution in reached:
            assert Fraction(solution["error"]) <= Fraction("0.01") < Fraction(solution["neighbour_error"])
            assert Fraction(solution["neighbour"]) < Fraction(solution["value"])
        assert all(s["reason"] for s in shown["solutions"] if s["value"] is None)


def test_a_picture_names_every_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "plan.svg"
    said(capsys, "--n", "20000", "--error", "0.02", "--of", "two-way", "--picture", str(target))
    text = target.read_text(encoding="utf-8")
    for name in ("independent, no delta", "moments", "marginals", "lp, no delta", "wanted: 0.02", "Two-way cells"):
        assert f">{name}<" in text


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_picture_is_drawn_in_its_format_and_is_the_same_again(suffix: str, begins: bytes) -> None:
    found = sb.plan_release(SURVEY, n=20_000)
    first, second = (error_picture(found, Path(f"plan.{suffix}")) for _ in range(2))
    assert first.startswith(begins)
    assert first == second


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ("--n 20000", 2, "schema is missing"),
        ("--schema S", 2, "n is missing"),
        ("--schema S --n 20000 --picture plan.gif", 2, "must end with .svg, .png, .pdf"),
        (
            "--schema S --epsilon 1 --error 0.01 --picture plan.svg",
            2,
            "it shows errors over epsilon for a given number of records",
        ),
        ("--schema S --n 20000 --epsilon 1 --error 0.01", 2, "not both"),
        ("--schema S --n 20000 --error 1e-9 --method lp", 4, "no method reaches it"),
        ("--schema S --n 20000 --error 2", 2, "error = 2"),
        ("--schema S --n 20000 --label town", 2, "a column of the schema"),
        ("--schema S --n 20000 --adjacency add-remove", 2, "give least-size"),
    ],
)
def test_what_is_refused(
    options: str,
    code: int,
    says: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["plan", *(str(SURVEY) if word == "S" else word for word in options.split())]) == code
    assert says in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_plan_that_promises_nothing_says_so_loudly(capsys: pytest.CaptureFixture[str]) -> None:
    assert "!! VACUOUS: with epsilon 0.01 no method promises more" in said(capsys, "--n", "2", "--epsilon", "0.01")


def test_errors_of_nothing_are_said_and_left_out_of_the_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With very much epsilon noise is 0 as a rule: the headline says so, and a logarithmic axis has no place for it."""
    picture = tmp_path / "p.svg"
    text = " ".join(said(capsys, "--n", "20000", "--epsilon", "100", "--picture", str(picture)).split())
    assert "0 every one-way share is within this error by independent, with epsilon 100 alone" in text
    assert picture.exists()
    assert main(["plan", "--schema", str(SURVEY), "--n", "2", "--picture", str(tmp_path / "q.svg")]) == 4
    assert "nothing to draw" in capsys.readouterr().err
