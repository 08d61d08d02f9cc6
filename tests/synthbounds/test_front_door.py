"""One front door: options, checks, help and the Python API come from one table, and a walk uses everything once."""

from __future__ import annotations

import argparse
import inspect
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import synthbounds as sb
from bounds.parameter import Parameter
from synthbounds.api import CITED, SHOWN, STATED, Command
from synthbounds.api.commands import COMMANDS
from synthbounds.cli import main
from synthbounds.cli.parser import build_parser
from tests.paths import ROOT

SURVEY = str(ROOT / "docs" / "examples" / "survey.csv")
SCHEMA = str(ROOT / "docs" / "examples" / "survey.schema.json")
RENAMED = {"finished": "release", "parameter": "solve_for", "log": "redraw"}
"""A name of the API that is not that of the option."""
NOT_OPTIONS = {"progress", "notice", "book"}
"""What the API calls back."""
EVERY = [pytest.param(command, id=name) for name, command in COMMANDS.items()]
DECLARED = [
    pytest.param(parameter, id=f"{command.name}-{parameter.name}")
    for command in COMMANDS.values()
    for parameter in command.parameters.values()
]


def parser_of(command: Command) -> argparse.ArgumentParser:
    (commands,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    parser: argparse.ArgumentParser = commands.choices[command.name]
    return parser


@pytest.mark.parametrize("command", EVERY)
def test_every_option_is_a_declared_parameter(command: Command) -> None:
    actions = [a for a in parser_of(command)._actions if not isinstance(a, argparse._HelpAction)]
    assert {a.dest: a.help for a in actions} == {p.name: p.help for p in command.parameters.values()}
    for action in actions:
        parameter = command.parameters[action.dest]
        assert action.option_strings == (
            [] if parameter.positional else [*filter(None, [parameter.short]), parameter.option]
        )
    assert {p.short for p in command.parameters.values()} <= {"", "-o"}
    if command.name not in ("figures", "serve", "completion"):  # of a folder, a browser and a shell
        shown = next((s for s in (STATED, CITED) if command.parameters["format"] == s["format"]), SHOWN)
        assert all(command.parameters[name].help == parameter.help for name, parameter in shown.items())


@pytest.mark.parametrize("command", EVERY)
def test_the_api_takes_what_the_command_declares(command: Command) -> None:
    written = {name for name, p in command.parameters.items() if p.role == "written"}
    said = command.parameters.keys() - written - SHOWN.keys() - command.selects
    taken: set[str] = set()
    for name in command.functions:
        signature = inspect.signature(getattr(sb, name)).parameters
        assert all(p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD) for p in signature.values()), name
        assert getattr(sb, name).__doc__
        taken |= {RENAMED.get(parameter, parameter) for parameter in signature}
    assert taken - NOT_OPTIONS - {f"with_{name}" for name in written} == said


@pytest.mark.parametrize("command", EVERY)
def test_defaults_of_the_api_are_the_declared_ones(command: Command) -> None:
    for name in command.functions:
        for parameter in inspect.signature(getattr(sb, name)).parameters.values():
            if parameter.default not in (inspect.Parameter.empty, None, False, ()):
                assert parameter.default == command.parameters[parameter.name].default, f"{name}: {parameter.name}"


@pytest.mark.parametrize("parameter", DECLARED)
def test_help_says_choices_and_defaults(parameter: Parameter) -> None:
    assert all(choice in parameter.help for choice in parameter.choices)
    assert (parameter.kind == "choice") == bool(parameter.choices)
    assert (parameter.kind == "file") <= (parameter.role is not None)
    if parameter.default is not None:
        assert str(parameter.default) in parameter.help.replace(",", "")
        assert "default" in parameter.help
        if parameter.is_number:
            parameter.number()
        elif parameter.choices:
            parameter.choice()


def test_declared_choices_are_those_that_run() -> None:
    """Tables of parameters are light; what runs is not, so it cannot be asked for its names when help is shown."""
    from bounds.approximation.approximate import METHODS as APPROXIMATIONS
    from bounds.certify.classes import FREE, INSIDE
    from lp.measures.histogram import VARIANTS
    from lp.programme.solve import METHODS
    from lp.study.perturbed_histogram import VARIANTS as STUDIED
    from lp.synthesis.question import BERNSTEIN, GRID, HISTOGRAM, ROUNDING, SAMPLING, TREE, UNIFORM
    from mechanisms.models.losses import LOSSES
    from paper_figures.make import FOLDER
    from release.data.template import template_from_table
    from release.statistics.families import FAMILIES
    from verify.audit.run import LAYERS, SAMPLES

    def choices(command: str, name: str) -> tuple[str, ...]:
        return COMMANDS[command].parameters[name].choices

    assert choices("synth", "measure") == (UNIFORM, TREE, HISTOGRAM, GRID, BERNSTEIN)
    assert choices("synth", "rows") == (SAMPLING, ROUNDING)
    assert choices("synth", "solver") == METHODS
    assert choices("synth", "variant") == VARIANTS
    assert set(choices("synth", "family")) == set(FAMILIES)
    assert choices("renyi", "variant") == STUDIED
    assert choices("train", "loss") == tuple(LOSSES)
    assert choices("train", "intercept") == choices("certify", "intercept") == (INSIDE, FREE)
    assert choices("audit", "layer") == LAYERS
    assert COMMANDS["audit"].parameters["samples"].default == SAMPLES
    drafted = inspect.signature(template_from_table).parameters
    assert all(COMMANDS["schema"].parameters[name].default == drafted[name].default for name in ("bins", "most_levels"))
    assert COMMANDS["figures"].parameters["folder"].default == str(FOLDER)
    assert COMMANDS["approx"].parameters["method"].default in APPROXIMATIONS


FILES = [
    (command.name, written.name, read.name)
    for command in COMMANDS.values()
    for written in command.parameters.values()
    for read in command.parameters.values()
    if written.role == "written" and read.role in ("read", "kept")
]


@pytest.mark.parametrize(("name", "written", "read"), FILES)
def test_no_file_that_is_read_is_overwritten(
    name: str, written: str, read: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "both.csv"
    target.write_text("kept", encoding="utf-8")
    declared = COMMANDS[name].parameters
    arguments = [name, declared[written].option, str(target), "--force"]
    for parameter in declared.values():
        if parameter.positional and not parameter.optional and parameter.name != read:
            arguments.append(parameter.choices[0] if parameter.choices else "elsewhere")
        elif parameter.name == read:
            arguments += [str(target)] if parameter.positional else [parameter.option, str(target)]
    if name == "certify" and read == "model":
        arguments.insert(-1, "elsewhere")
    assert main(arguments) == 6
    what = f"read as well (--{read})" if declared[read].kind == "list" else f"the {read} that is read"
    assert f"is {what}; give another file" in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize(
    ("arguments", "which"),
    [
        ([""], "the name of the command is blank;"),
        (["doctor", ""], "argument 2 is blank, and nothing is expected there;"),
        (["require", "", "--p", "3"], "argument 2 is blank, and nothing is expected there;"),
        (["list", " "], "where is blank: the argument for it is empty;"),
        (["require", "--p", ""], "p is blank: the value of --p is empty;"),
        (["require", "--dp-delta="], "dp-delta is blank: the value of --dp-delta is empty;"),
        (["check", "\t"], "file is blank: the argument for it is empty;"),
    ],
)
def test_a_blank_argument_is_one_line_that_says_which(
    arguments: list[str], which: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"synthbounds: error: {which} a variable of the shell may be unset (see `synthbounds ")
    assert said.count("\n") == 1


def test_a_synthesis_is_checked_once_and_every_number_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from lp.synthesis import ask

    read: Counter[str] = Counter()
    checked: list[object] = []
    number, read_request = Parameter.number, ask.read_request

    def counted(self: Parameter, value: object = None) -> Any:
        read[self.name] += value is not None
        return number(self, value)

    def once(parameters: Any, **more: Any) -> Any:
        checked.append(parameters)
        return read_request(parameters, **more)

    monkeypatch.setattr(Parameter, "number", counted)
    monkeypatch.setattr(ask, "read_request", once)
    numbers = {"epsilon": "1", "degree": "1", "k": "20", "failure": "0.1", "accuracy": "1", "seed": "3"}
    options = [part for name, value in numbers.items() for part in (f"--{name}", value)]
    assert main(["synth", SURVEY, "--schema", SCHEMA, "--mode", "simulate", *options,
                 "--synthetic", str(tmp_path / "s.csv")]) == 0  # fmt: skip
    capsys.readouterr()
    assert len(checked) == 1
    assert {name: read[name] for name in numbers} == dict.fromkeys(numbers, 1)


OPENED: list[str] = []
sys.addaudithook(lambda event, args: OPENED.append(str(args[0])) if event == "open" else None)


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of moments, one of marginals, and a model, as the commands write them."""
    folder = tmp_path_factory.mktemp("releases")
    asked = [SURVEY, "--schema", SCHEMA, "--epsilon", "1", "--dp-delta", "1e-9", "--mode", "simulate"]
    moments, marginals = str(folder / "moments.json"), str(folder / "marginals.json")
    assert main(["release", "moments", *asked, "--label", "insured", "--reserve", "1/5", "--output", moments]) == 0
    assert main(["release", "marginals", *asked, "--pairs", "sex:insured", "--output", marginals]) == 0
    assert main(["train", moments, "--points", "2000", "--output", str(folder / "model.json")]) == 0
    return folder


@pytest.mark.parametrize("kind", ["moments", "marginals"])
def test_certify_opens_and_parses_its_release_once(
    kind: str, releases: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(releases / f"{kind}.json")
    text = Path(path).read_text(encoding="utf-8")
    parsed: list[str] = []
    loads = json.loads
    monkeypatch.setattr(json, "loads", lambda said, **how: parsed.append(said) or loads(said, **how))
    OPENED.clear()
    features = ["--label", "insured"] if kind == "marginals" else []
    assert main(["certify", path, str(releases / "model.json"), *features]) == 0
    capsys.readouterr()
    assert OPENED.count(path) == 1
    assert parsed.count(text) == 1


def test_python_gives_what_the_commands_write(releases: Path) -> None:
    from synthbounds import data, models

    schema = data.read_schema(SCHEMA)
    asked: dict[str, Any] = {"mode": "simulate", "epsilon": 1, "dp_delta": "1e-9"}
    told: list[str] = []
    moments = sb.release_moments(SURVEY, SCHEMA, label="insured", reserve="1/5", notice=told.append, **asked)
    assert models.release_text(moments) == (releases / "moments.json").read_text(encoding="utf-8")
    codes = data.read_codes(SURVEY, schema)
    marginals = sb.release_marginals(codes, schema, pairs=[("sex", "insured")], notice=told.append, **asked)
    assert marginals.to_text() == (releases / "marginals.json").read_text(encoding="utf-8")
    assert told == []
    assert sb.open_release(releases / "marginals.json") == marginals
    model = sb.train(moments, points=2000).model
    assert models.model_text(model) == (releases / "model.json").read_text(encoding="utf-8")
    certified = sb.certify(releases / "moments.json", model, tau=5)
    assert certified.bound > 0
    assert sb.check_certificate(sb.model_certificate(certified))
    assert sb.certify_marginals(marginals, releases / "model.json", label="insured").moments.missing_pairs
    confirmed = sb.confirm(codes, moments, model, part="1/2", anyway=True)
    assert confirmed.bound > 0
    assert sb.correct(confirmed.release, confirmed.query, points=2000).model.coefficients != model.coefficients


def test_the_holder_is_told_what_is_wrong_with_the_table() -> None:
    told: list[str] = []
    sb.release_marginals(
        SURVEY, SCHEMA, mode="simulate", epsilon=1, pairs=[], adjacency="add-remove", least_size=5000,
        notice=told.append,
    )  # fmt: skip
    assert len(told) == 1
    assert told[0].startswith("the table has fewer records than --least-size says")


def test_names_are_declared_once() -> None:
    names = sb.__getattr__("__all__")
    assert len(names) == len(set(names))
    assert set(names) <= set(dir(sb))
    for name in names:
        assert getattr(sb, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sb.nothing  # type: ignore[attr-defined]


def test_the_page_lists_every_function() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE))
    listed = {name: tuple(re.findall(r"`sb\.(\w+)`", row)) for name, row in rows.items()}
    assert listed == {name: command.functions for name, command in COMMANDS.items()}
    named = set(re.findall(r"`sb\.(\w+)`", page))
    lower = {name for name in sb.__getattr__("__all__") if name.islower()}
    assert lower <= named, lower - named
    assert named <= {*dir(sb)}


@pytest.mark.parametrize("room", ["data", "models", "privacy"])
def test_rooms_are_there_without_being_imported(room: str) -> None:
    code = f"import sys, synthbounds as sb;assert 'numpy' not in sys.modules; print(sb.{room}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == f"synthbounds.{room}\n", done.stderr


def test_synth_imports_no_certificate_of_models(tmp_path: Path) -> None:
    code = (
        "import sys; from synthbounds.cli import main; code = main(sys.argv[1:]);"
        "extra = [m for m in sys.modules if m.startswith(('bounds.certify', 'bounds.approximation', 'sympy'))];"
        "sys.exit(f'{extra}' if extra else code)"
    )
    arguments = ["synth", SURVEY, "--schema", SCHEMA, "--epsilon", "1", "--mode", "simulate", "--degree", "1"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, "--synthetic", str(tmp_path / "s.csv")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", [[], {}, 1, None, "walks"])
def test_a_file_of_no_kind_is_refused(tmp_path: Path, kind: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.json").write_text(json.dumps({"kind": kind}), encoding="utf-8")
    assert main(["infer", str(tmp_path / "r.json"), "--pca", "1"]) == 3
    assert re.fullmatch(r"synthbounds: error: release .*kind = .*\n", capsys.readouterr().err)
