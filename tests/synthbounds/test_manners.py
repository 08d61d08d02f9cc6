"""Typos get suggestions, nothing is half accepted, and text from others is shown but never obeyed."""

from __future__ import annotations

import string
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import UsageError
from bounds.nearest import nearest
from synthbounds.api.commands import COMMANDS
from synthbounds.cli import main
from synthbounds.cli.run import all_options

OPTIONS = [(name, p.option) for name, command in COMMANDS.items() for p in command.parameters.values()
           if not p.positional]  # fmt: skip
HOSTILE = "\x1b[2J\x1b]0;title\x07\x9b31m\u202eevil\r"
LONG = "a" * 10**6


def slipped(word: str, place: int, letter: str, how: str) -> str:
    """One letter left out, put in, replaced, or exchanged with the next one."""
    head, tail = word[:place], word[place:]
    if how == "out":
        return head + tail[1:]
    if how == "in":
        return head + letter + tail
    return head + letter + tail[1:] if how == "other" else head + tail[1:2] + tail[:1] + tail[2:]


slips = st.tuples(
    st.integers(0, 30), st.sampled_from(string.ascii_lowercase), st.sampled_from(["out", "in", "other", "swap"])
)


@given(option=st.sampled_from(OPTIONS), slip=slips)
def test_an_option_with_a_slip_suggests_itself(option: tuple[str, str], slip: tuple[int, str, str]) -> None:
    command, meant = option
    known = {p.option for p in COMMANDS[command].parameters.values()} | {"--help"}
    said = "--" + slipped(meant[2:], slip[0] % len(meant[2:]), slip[1], slip[2])
    if said in known or said == "--":
        return
    with pytest.raises(UsageError) as told:
        all_options([command, said])
    message = str(told.value)
    assert message.startswith(f"{said} is not an option here: did you mean ")
    assert meant in message.partition("?")[0].replace(",", " ").split(), message


@given(meant=st.sampled_from(sorted(COMMANDS)), slip=slips)
def test_a_command_with_a_slip_suggests_itself(meant: str, slip: tuple[int, str, str]) -> None:
    said = slipped(meant, slip[0] % len(meant), slip[1], slip[2])
    if said in COMMANDS:
        return
    with pytest.raises(UsageError) as told:
        all_options([said])
    assert f"{said} is not a command: did you mean " in str(told.value)
    assert meant in str(told.value)


def test_no_abbreviation_is_accepted() -> None:
    for command, option in OPTIONS:
        known = {p.option for p in COMMANDS[command].parameters.values()} | {"--help"}
        for end in range(3, len(option)):
            if option[:end] not in known:
                with pytest.raises(UsageError, match="is not an option here"):
                    all_options([command, option[:end], "1"])
    for name in COMMANDS:
        for end in range(1, len(name)):
            if name[:end] not in COMMANDS:
                with pytest.raises(UsageError, match="is not a command"):
                    all_options([name[:end]])


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["help"], "did you mean --help?"),
        (["--epsilon", "1", "require"], "it comes after the name of a command"),
        (["require", "epsilon", "1"], "epsilon is one argument too many: did you mean --epsilon?"),
        (["require", "-output", "x"], "did you mean --output?"),
        (["require", "-ox.json"], "write -o and its value as two arguments"),
        (["require", "--dp_delta", "1"], "did you mean --dp-delta?"),
        (["require", "--EPSILON", "1"], "did you mean --epsilon?"),
        (["require", "--p"], "--p has no value; one that begins with a minus is written --p=-1"),
        (["require", "--p", "-1e-3"], "--p has no value; one that begins with a minus is written --p=-1"),
        (["explain", "--formt", "json"], "did you mean --format?"),
        (["explain", "bojkovic2024.histogran"], "did you mean bojkovic2024.histogram?"),
        (["cite", "zhou2025"], "did you mean zhou2024?"),
        (["verify", "--id", "zhou2024.T32.statment"], "did you mean zhou2024.T32.statement?"),
    ],
)
def test_what_was_meant(arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert hint in told
    assert told.count("\n") == 1


def test_the_bare_command_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    bare = capsys.readouterr().out
    assert main(["--help"]) == 0
    assert bare == capsys.readouterr().out
    assert bare.startswith("usage: synthbounds")


def test_the_short_option_is_the_long_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert all_options(["cite", "-o", "x"]).output == all_options(["cite", "--output", "x"]).output == "x"
    assert all_options(["cite", "-o=x"]).output == "x"
    assert all_options(["approx", "--function", "-x", "-o", "y"]).output == "y"
    with pytest.raises(UsageError, match="--function has no value"):
        all_options(["approx", "--function", "-o", "y"])


def _filled(name: str, parameter: str, value: str) -> list[str]:
    """A command in which one parameter has this value, and every other place something."""
    arguments = [name]
    declared = COMMANDS[name].parameters
    for other in declared.values():
        if other.positional and (other.name == parameter or not other.optional):
            plain = other.choices[0] if other.choices else "nothing"
            arguments.append(value if other.name == parameter else plain)
    return arguments if declared[parameter].positional else [*arguments, declared[parameter].option, value]


ASKED = [
    (name, p.name)
    for name, command in COMMANDS.items()
    if name != "serve"
    for p in command.parameters.values()
    if p.kind != "flag" and p.role != "written" and p.name != "folder"  # which would be made
]


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"serve", "doctor"}))
def test_what_a_terminal_would_obey_is_shown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, parameter in ASKED:
        if command == name:
            assert main(_filled(name, parameter, HOSTILE)) != 70
            _nothing_to_obey(capfd)
    for arguments in ([HOSTILE], [name, HOSTILE], [name, f"--{HOSTILE}"], [name, "nothing", "nothing", HOSTILE]):
        assert main(arguments) != 0
        _nothing_to_obey(capfd)


def _nothing_to_obey(capfd: pytest.CaptureFixture[str]) -> None:
    for said in capfd.readouterr():
        assert all(c.isprintable() for line in said.split("\n") for c in line), ascii(said[:300])
        assert len(said) < 10**5


@pytest.mark.parametrize(
    "arguments",
    [
        [LONG],
        ["require", LONG],
        ["require", f"--{LONG}"],
        ["require", f"-o{LONG}"],
        ["require", "--p", LONG],
        ["require", "--epsilon", LONG],
        ["require", "--format", LONG],
        ["require", "--theorem", LONG],
        ["approx", "--function", LONG, "--interval", "0,1", "--degree", "2"],
        ["explain", LONG],
        ["explain", "Theorem " * 10**5],
        ["cite", LONG],
        ["list", LONG],
        ["list", "--paper", LONG],
        ["verify", "--id", LONG],
        ["verify", "--falls", LONG],
        ["audit", LONG],
        ["figures", LONG],
        ["check", LONG],
        ["completion", LONG],
        ["train", LONG, "--output", "x"],
    ],
    ids=lambda arguments: " ".join(a[:12] for a in arguments),
)
def test_a_million_characters_are_not_repeated(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) in (2, 3, 6)
    said = capfd.readouterr()
    assert said.out == ""
    assert len(said.err) < 5000
    assert said.err.count("\n") == 1


def test_the_nearest_are_sorted_out() -> None:
    assert nearest("requir", ["require", "release"]) == ("require",)
    assert nearest("--q", ["--p", "--t", "--epsilon"]) == ("--p", "--t")
    assert nearest("eps", ["epsilon", "delta"]) == ("epsilon",)
    assert nearest("xyzzy", ["require", "release"]) == nearest("", ["a"]) == nearest(LONG, ["a"]) == ()


@given(one=st.text("abc", max_size=6), other=st.text("abc", min_size=1, max_size=6))
def test_edits_are_counted(one: str, other: str) -> None:
    """Against a search that does one edit after the other; an exchange counts once, next to nothing else."""
    from bounds.nearest import _edits

    assert _edits(one, one) == 0
    assert _edits(one, other) == _edits(other, one)
    assert abs(len(one) - len(other)) <= _edits(one, other) <= max(len(one), len(other))
    for before, after in pairwise([*(other[:i] for i in range(len(other) + 1))]):
        assert _edits(before, after) == 1
