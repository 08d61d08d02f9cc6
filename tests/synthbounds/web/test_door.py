"""The door answers like the command line, in every field, and says the same in words and in other languages."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import synthbounds as sb
from bounds.sizes.require import ComparisonRow
from synthbounds._version import __version__
from synthbounds.api.commands import COMMANDS
from synthbounds.cli import main
from synthbounds.render import payload, risk_payload
from synthbounds.render.approximation import approximation_payload
from synthbounds.render.certificate_plan import plan_payload
from synthbounds.render.query_lower_bound import lower_payload
from synthbounds.render.statements import cite_payload, explain_payload, list_payload
from synthbounds.web.allowed import allowed, name_of
from tests.paths import ROOT
from tests.strategies import questions
from tests.synthbounds.test_json_schemas import of
from tests.synthbounds.web.asking import RISK, SIZES, ask, curve, told

SOLVED = {"p": "10", "degree": "2", "n": "2000", "failure": "0.05"}
RISK_SOLVED = {**{name: value for name, value in RISK.items() if name != "epsilon"}, "target": "0.1"}
VACUOUS = {"p": "3", "degree": "2", "epsilon": "0.2", "delta": "0.5", "gamma": "0.25", "edition": "printed"}
PLANNED = {"plan": True, "features": "4", "epsilon": "1"}
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("require", SIZES),
    ("require", {**SIZES, "dp-delta": "1e-6", "adjacency": "add-remove", "family": "cells", "t": "3"}),
    ("require", {"p": "3", "degree": "2", "epsilon": ".2", "delta": "1/2", "gamma": "0.25", "edition": "printed"}),
    ("require", {**SIZES, "measure": "kde", "p": "3"}),
    ("require", {**SOLVED, "accuracy": "0.1", "solve-for": "epsilon"}),
    ("require", {**SOLVED, "epsilon": "1", "solve-for": "accuracy"}),
    ("compare", SIZES),
    ("compare", {**RISK, "n": "100000"}),
    ("risk", {**RISK, "target": "0.1"}),
    ("risk", {"features": "10", "radius": "1", "marginals": "2", "marginal-error": "0.01", "intercept": "0"}),
    ("risk", {"theorem": "zhou2024.lower", "query-constant": "1"}),
    ("approx", {"function": "log(1+exp(-x))", "interval": "-5,5", "degree": "4"}),
    ("explain", {"id": "bojkovic2024.max-laplace", "at": "sigma=1,count=256,gamma=0.05"}),
    ("list", {"paper": "zhou2024"}),
    ("cite", {}),
    ("cite", {"what": "bojkovic2024.uniform"}),
    ("certify", {**PLANNED, "n": "20000"}),
    ("certify", {**PLANNED, "target": "0.1", "fourth": True}),
]
LONG = ("certify-16", "compare-6", "compare-7", "certify-17")
EVERY = [
    pytest.param(c, o, id=f"{c}-{i}", marks=[pytest.mark.slow] if f"{c}-{i}" in LONG else [])
    for i, (c, o) in enumerate(QUESTIONS)
]


def printed(line: str) -> dict[str, Any]:
    """What a line for the shell prints in JSON."""
    _, *words = shlex.split(line)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(io.StringIO()):
        at = words.index("--") if "--" in words else len(words)
        assert main([*words[:at], "--format", "json", *words[at:]]) == 0
    found: dict[str, Any] = json.loads(shown.getvalue())
    return found


def in_json(command: str, answer: Any) -> dict[str, Any]:
    """What Python answers, as the contract has it."""
    from bounds.approximation.context import context
    from bounds.risk.query_lower_bound import QueryLowerBound
    from bounds.sizes.solve_for import Inversion

    match command:
        case "require" if isinstance(answer, Inversion):
            body = payload.inversion_payload(answer)
        case "require":
            body = payload.requirement_payload(answer)
        case "compare" if isinstance(answer[0], ComparisonRow):
            body = payload.comparison_payload(answer)
        case "compare":
            body = risk_payload.risk_comparison_payload(answer)
        case "risk" if isinstance(answer, QueryLowerBound):
            body = lower_payload(answer)
        case "risk":
            body = risk_payload.risk_payload(answer)
        case "approx":
            body = approximation_payload(answer, context(answer))
        case "explain":
            body = explain_payload(answer.theorem, answer.values)
        case "certify":
            body = plan_payload(answer.plan, answer.solved, answer.target)
        case _:
            body = list_payload(answer) if command == "list" else cite_payload(answer)
    found: dict[str, Any] = json.loads(json.dumps(body))
    return found


def the_same_everywhere(command: str, options: dict[str, Any]) -> None:
    found = ask(command, **options)
    assert found["error"] is None
    assert found["body"] == printed(found["line"])
    body = {k: v for k, v in found["body"].items() if k not in ("schema_version", "command", "inputs", "provenance")}
    assert in_json(command, eval(found["python"], {"sb": sb})) == body  # noqa: S307 - the line is what is tested
    assert of(found["body"])
    assert found["sentence"].endswith(".")


@pytest.mark.parametrize(("command", "options"), EVERY)
def test_an_answer_is_that_of_the_command_line_and_of_python(command: str, options: dict[str, Any]) -> None:
    the_same_everywhere(command, options)


@settings(max_examples=15)
@given(questions(), st.sampled_from(("printed", "corrected", "sharp")))
def test_any_answer_is_that_of_the_command_line_and_of_python(question: dict[str, Any], edition: str) -> None:
    said = {name: str(value) for name, value in question.items()}
    options = {**said, "edition": edition}
    if ask("require", **options)["error"] is None:  # a theorem may not cover it; that both refuse alike is below
        the_same_everywhere("require", options)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("require", {"p": "10"}),
        ("require", {**SIZES, "n": "5"}),
        ("require", {**SIZES, "epsilon": "-1"}),
        ("require", {**SIZES, "epsilon": ""}),
        ("require", {**SIZES, "edition": "shrap"}),
        ("require", {**SIZES, "mechanism": "gaussian"}),
        ("compare", {**SIZES, "radius": "1"}),
        ("risk", {**RISK, "n": "10", "log-n": "3"}),
        ("approx", {"function": "__import__('os')", "interval": "-1,1", "degree": "2"}),
        ("approx", {"function": "-exp(x)", "interval": "1"}),
        ("explain", {}),
        ("explain", {"id": "-x", "at": "x=1"}),
        ("cite", {"what": "it's; echo $HOME"}),
        ("certify", {**PLANNED, "n": "0"}),
    ],
)
def test_a_refusal_is_that_of_the_command_line(command: str, options: dict[str, Any]) -> None:
    found = ask(command, **options)
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        code = main(shlex.split(found["line"])[1:] or [command])
    assert code == found["exit_code"] != 0
    if options and "" not in options.values():  # there argparse is first, and a shell has blanks of its own
        assert errors.getvalue() == f"synthbounds: error: {found['error']}\n"
    assert (found["body"], found["sentence"]) == (None, "")


def test_warnings_are_those_of_the_command_line() -> None:
    assert ask("risk", **RISK, n="1000000")["warnings"][0].startswith("no intercept assumed")
    vacuous = ask("require", **VACUOUS)
    assert vacuous["warnings"][0].startswith("vacuous guarantee")
    assert vacuous["sentence"].startswith("This promises nothing: ")


def test_what_may_be_asked_is_declared_and_names_no_file() -> None:
    """A text with a role may name a file, whatever its kind."""
    for command, fields in allowed().items():
        for name, parameter in fields.items():
            assert parameter is COMMANDS[command].parameters[parameter.name]
            assert name == name_of(parameter)
            assert parameter.kind not in ("file", "list")
            assert parameter.role is None
            assert parameter.name not in ("output", "force", "format", "schema", "like", "query", "certificate")
    left = {c: {name_of(p) for p in COMMANDS[c].parameters.values()} - fields.keys() for c, fields in allowed().items()}
    shown = {"format", "output", "force"}
    assert {command: names - shown for command, names in left.items() if names > shown} == {
        "require": {"schema"},
        "compare": {"schema"},
        "approx": {"certificate"},
        "list": {"where"},
        "certify": {"release", "model", "like", "held-out", "query", "certificate", "thorough", "label", "positive"}
        | {"one-hot", "linear", "by-value", "reduced", "report"},
    }


def test_forms_are_the_declared_parameters() -> None:
    (found,) = told('{"ask": "forms"}')
    assert found["version"] == __version__
    assert found["commands"] == {name: COMMANDS[name].text for name in allowed()}
    for command, fields in found["forms"].items():
        assert [field["option"] for field in fields] == list(allowed()[command])
        for field in fields:
            parameter = COMMANDS[command].parameters[field["name"]]
            assert (field["help"], field["group"], field["kind"]) == (parameter.help, parameter.group, parameter.kind)
            assert tuple(field["choices"]) == parameter.choices
    epsilon = next(field for field in found["forms"]["require"] if field["name"] == "epsilon")
    assert epsilon["range"] == {"least": "1e-12", "most": "1000"}


@pytest.mark.parametrize(
    ("command", "over", "values", "options", "shown"),
    [
        ("require", "epsilon", ["0.1", "1/3", "7"], {**SIZES}, None),
        ("require", "epsilon", ["0.1"], {**SIZES, "edition": "printed"}, None),
        ("require", "delta", ["0.5"], VACUOUS, None),
        ("require", "n", ["2000", "9033"], {**SOLVED, "epsilon": "1", "solve-for": "accuracy"}, "solved"),
        ("risk", "n", ["10000", "1e6"], RISK, "bound"),
        ("risk", "target", ["0.1", "0.2"], RISK, "bound"),
        ("risk", "n", ["20000"], {**RISK_SOLVED, "solve-for": "epsilon"}, "solved"),
        pytest.param(
            *("certify", "epsilon", ["0.5", "2"], {**PLANNED, "n": "20000"}, "excess_est"), marks=pytest.mark.slow
        ),
        pytest.param(
            *("certify", "n", ["40000"], {"plan": True, "features": "4", "target": "0.02"}, "epsilon"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_point_is_the_answer_at_its_value(
    command: str, over: str, values: list[str], options: dict[str, Any], shown: str | None
) -> None:
    for point, value in zip(curve(command, over, values, **options), values, strict=True):
        body = ask(command, **{**options, over: value})["body"]
        assert (point["x"], point["error"]) == (value, None)
        assert [point[size] for size in "nmk"] == [body.get(size) for size in "nmk"]
        wanted = None if shown is None else body[shown]["value"] if shown == "solved" else body[shown]
        assert point["value"] == (f"{wanted:.6g}" if isinstance(wanted, float) else wanted)
        limit = body.get("lower_bound") if command == "require" else None
        assert point["limit"] == (None if limit is None else limit["n"])
        if command == "certify":
            assert point["vacuous"] == (body["verdict_est"] == "vacuous")
        else:
            assert point["vacuous"] == body.get("guarantee", body)["vacuous"]
        solved = body.get("solved")
        assert point["ends"] == (isinstance(solved, dict) and solved["neighbour"] is None)


def test_a_point_that_cannot_be_had_says_why_and_the_rest_goes_on() -> None:
    bad, good = curve("require", "epsilon", ["0", "1"], **SIZES)
    assert bad["error"] == ask("require", **{**SIZES, "epsilon": "0"})["error"]
    assert (bad["n"], good["error"]) == (None, None)
    assert isinstance(good["n"], int)


def test_the_questions_of_the_page_about_json_are_answered() -> None:
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8").partition("## Questions of the page")[2]
    lines = page.partition("```json\n")[2].partition("```")[0].splitlines()
    assert [json.loads(line)["ask"] for line in lines] == ["answer", "curve", "forms", "papers"]
    for line in lines[:3]:
        assert told(line)[-1].get("error") is None


def test_what_a_comparison_means_for_one_person_goes_by_the_adjacency_asked_for() -> None:
    for adjacency in ("replace-one", "add-remove"):
        assert ask("compare", **SIZES, adjacency=adjacency)["meaning"]["adjacency"] == adjacency
