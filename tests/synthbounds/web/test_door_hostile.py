"""Whatever is asked, the door answers with one line, opens no file, and starts nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synthbounds.web import MOST_QUESTION, engine
from synthbounds.web.allowed import MOST_CHARACTERS, MOST_VALUES
from tests.paths import ROOT
from tests.synthbounds.web.asking import SIZES, ask, curve, told


def refused(text: str) -> str:
    (found,) = told(text)
    assert (found["exit_code"], found["body"], found["sentence"]) == (2, None, "")
    error: str = found["error"]
    assert len(error) < 400
    assert error.isprintable()
    return error


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("{", "ends early"),
        ("[]", "must be an object"),
        ('"answer"', "must be an object"),
        ('{"ask": ["answer"]}', "one of answer, curve, forms, papers"),
        ('{"ask": "forms", "ask": "forms"}', "given twice"),
        ('{"ask": "forms", "more": 1}', "more: ask = forms has the fields ask"),
        ('{"ask": "answer", "command": "require"}', "options: ask = answer has"),
        ('{"ask": NaN}', "NaN is not a number of JSON"),
        ("[" * MOST_QUESTION, "nested too deeply"),
        ("1" * MOST_QUESTION, "must be an object"),
        ("x" * (MOST_QUESTION + 1), "at most 65,536 characters"),
    ],
)
def test_what_is_no_question(text: str, why: str) -> None:
    assert why in refused(text)


@pytest.mark.parametrize(
    "command", ["synth", "release", "verify", "serve", "renyi", "check", "", None, 3, {}, "requir"]
)
def test_other_commands_cannot_be_asked(command: object) -> None:
    assert "must be one of require," in refused(json.dumps({"ask": "answer", "command": command, "options": {}}))


def test_what_a_command_line_requires_is_required() -> None:
    error = refused('{"ask": "answer", "command": "explain", "options": {}}')
    assert error == "the following arguments are required: id"
    assert ask("cite")["exit_code"] == 0  # where it may be left out


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("require", "output"),
        ("require", "outp"),
        ("require", "force"),
        ("require", "format"),
        ("require", "schema"),
        ("require", "dp_delta"),
        ("require", "--p"),
        ("require", "declared"),
        ("require", "command"),
        ("require", "__class__"),
        ("require", ""),
        ("approx", "certificate"),
        ("certify", "query"),
        ("certify", "release"),
        ("certify", "like"),
        ("certify", "label"),
        ("compare", "schema"),
    ],
)
def test_options_that_are_not_listed_are_refused(command: str, name: str, tmp_path: Path) -> None:
    target = tmp_path / "made.json"
    options = {"plan": True} if command == "certify" else {}
    text = json.dumps({"ask": "answer", "command": command, "options": {**options, name: str(target)}})
    assert f"not an option of {command} that can be asked here" in refused(text)
    assert not target.exists()


@pytest.mark.parametrize(
    "value",
    [1, 0.2, True, False, None, [], ["1"], {}, {"a": "b"}, "9" * (MOST_CHARACTERS + 1), "1\n", "\ud800", "\x00"],
)
def test_values_are_short_printable_text(value: object) -> None:
    options = {**SIZES, "epsilon": value}
    assert refused(json.dumps({"ask": "answer", "command": "require", "options": options})).startswith("epsilon = ")


def test_a_flag_is_true_or_left_out() -> None:
    for value in ("true", 1, False, None, "x"):
        text = json.dumps({"ask": "answer", "command": "certify", "options": {"plan": value}})
        assert "must be true, or left out" in refused(text)
    assert "give plan = true" in refused('{"ask": "answer", "command": "certify", "options": {"features": "3"}}')


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"values": []}, "values: must be a list of 1 to 500 texts"),
        ({"values": ["1"] * (MOST_VALUES + 1)}, "values: must be a list of 1 to 500 texts"),
        ({"values": "1"}, "values: must be a list"),
        ({"values": ["1", 2]}, "epsilon = 2: must be text"),
        ({"over": "output"}, "output: not an option of require"),
        ({"over": None}, "nothing: not an option of require"),
        ({"command": "list", "options": {}}, "list: has no curve"),
    ],
)
def test_curves_that_are_refused_have_no_points(change: dict[str, Any], why: str) -> None:
    asked = {"ask": "curve", "command": "require", "options": SIZES, "over": "epsilon", "values": ["1"], **change}
    assert why in refused(json.dumps(asked))


@pytest.mark.parametrize(
    ("name", "value"), [("p", "1000000000"), ("degree", "1000000000"), ("t", "1e6"), ("epsilon", "1e-400")]
)
def test_sizes_beyond_all_bounds_end_at_once(name: str, value: str) -> None:
    assert ask("require", **{**SIZES, name: value})["exit_code"] in (0, 2, 4)


def test_a_bug_of_ours_is_told_by_its_type_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a secret")

    monkeypatch.setattr(engine, "answer", broken)
    found = ask("require", **SIZES)
    assert (found["exit_code"], found["error"]) == (70, "a bug of ours: KeyError")
    assert found["line"].startswith("synthbounds require")


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (ModuleNotFoundError("no", name="numpy.linalg"), 2, "needs numpy, which is not installed here"),
        (MemoryError(), 7, "more memory than there is"),
        (RecursionError(), 70, "RecursionError"),
    ],
)
def test_what_is_missing_is_named(raised: Exception, code: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise raised

    monkeypatch.setattr(engine, "answer", fails)
    found = ask("require", **SIZES)
    assert found["exit_code"] == code
    assert said in found["error"]


def test_what_no_page_has_is_named_in_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ModuleNotFoundError("no", name="numpy")

    monkeypatch.setattr(engine, "IN_PAGE", True)
    monkeypatch.setattr(engine, "answer", fails)
    assert "needs numpy, which is not part of this page; synthbounds serve has it" in ask("require", **SIZES)["error"]


def test_a_class_that_is_too_large_is_refused_before_anything_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    def guessed(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("mechanisms.models.plan.reference.reference", guessed)
    found = ask("certify", plan=True, n="5000", epsilon="1", features="1000", loss="hinge", ridge="1e-12")
    assert found["exit_code"] == 2
    assert "at most 1000 (largest score of a model)" in found["error"]


def test_a_point_in_the_middle_of_a_curve_may_fail() -> None:
    found = curve("require", "p", ["2", "1e9", "x", "3"], **SIZES)
    assert [point["error"] is None for point in found] == [True, False, False, True]


def test_lines_of_input_are_answered_until_they_end() -> None:
    lines = '{"ask": "forms"}\nnonsense\n\n' + json.dumps({"ask": "answer", "command": "list", "options": {}})
    done = subprocess.run(
        [sys.executable, "-m", "synthbounds.web.engine"], input=lines, capture_output=True, text=True, cwd=ROOT
    )
    told_back = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert [message.get("exit_code") for message in told_back] == [None, 2, 2, 0]


def fuzzed(seed: int, count: int, folder: Path) -> dict[str, Any]:
    """What a process that asks so many random questions saw, from a folder that must stay empty."""
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.synthbounds.web.fuzz", str(seed), str(count)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert not list(folder.iterdir())
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(("seed", "count"), [(1, 800), pytest.param(2, 5000, marks=pytest.mark.slow)])
def test_random_requests_open_nothing_and_break_nothing(seed: int, count: int, tmp_path: Path) -> None:
    found = fuzzed(seed, count, tmp_path)
    assert found["broken"] == []
    assert sum(found["codes"].values()) == count
    assert found["codes"]["0"] > count / 5
    assert found["codes"]["2"] > count / 5
    assert found["codes"]["points"] > count / 200
