"""Every recorded command says and writes what it said and wrote when it was recorded."""

from __future__ import annotations

import difflib
from collections import Counter

import pytest

from tests.recorded.running import OUTPUTS, Command, agree, groups, run_group, stored

GROUPS = groups()
LONGER = (
    "certify",
    "certify-fourth",
    "certify-losses",
    "confirm",
    "plan",
    "regress",
    "verify",
    "cross-moments",
    "plan-release",
    "release-compared",
)
"""They take a second and more; what these commands say is tested elsewhere in `make test`, too."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONGER else name for name in GROUPS]
)
def test_nothing_changed(name: str) -> None:
    commands, wanted = GROUPS[name], stored(name)
    assert [block.splitlines()[0] for block in wanted] == [f"$ synthbounds {c.line}" for c in commands], (
        "commands have changed since they were recorded: python -m tests.recorded.record"
    )
    changed = [
        "\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), "recorded", "now", n=20, lineterm=""))
        for command, new, old in zip(commands, run_group(commands), wanted, strict=True)
        if not agree(new, old, command)
    ]
    assert not changed, f"{len(changed)} of {len(commands)} commands answer differently:\n\n" + "\n\n".join(changed)


def test_every_group_is_stored_and_none_is_left_over() -> None:
    assert {path.stem for path in OUTPUTS.iterdir()} == GROUPS.keys()


def test_every_command_format_and_exit_code_is_recorded() -> None:
    """The codes for an interrupt and for a bug of ours cannot be reached from the command line alone."""
    lines = [command.line.split() for commands in GROUPS.values() for command in commands]
    first = Counter(line[0] for line in lines if line)
    (helped,) = (block for block in stored("front-door") if block.startswith("$ synthbounds --help\n"))
    named = helped.split("COMMAND ", 1)[1]
    for name in first:
        assert name in named or name in ("--version", "--help", "nonsense", "requir")
    codes = {block.splitlines()[1] for name in GROUPS for block in stored(name)}
    assert codes == {f"exit {code}" for code in range(7)}
    for form in ("json", "latex", "markdown"):
        for name in first.keys() - {"schema", "serve", "completion", "--version", "--help", "nonsense", "requir"}:
            assert any(line[0] == name and line[-2:] == ["--format", form] for line in lines), (name, form)


@pytest.mark.parametrize(
    ("old", "new", "roughly", "words_only"),
    [
        ("0.25", "0.25", False, False),
        ("0.25", "0.2501", True, True),
        ("0.25", "0.26", False, True),
        ("excess 0.25", "access 0.25", False, False),
        ("1,000", "1,000,000", False, True),
        ("-0.25", "0.25", False, True),
    ],
)
def test_what_counts_as_the_same(old: str, new: str, roughly: bool, words_only: bool) -> None:
    was, now = (f"$ synthbounds list\nexit 0\nsaid:\n {text}\n" for text in (old, new))
    assert agree(now, was, Command("list")) == (old == new)
    assert agree(now, was, Command("list", roughly=True)) == (roughly or old == new)
    assert agree(now, was, Command("list", words_only=True)) == (words_only or old == new)
    assert not agree(now.replace("exit 0", "exit 1"), was, Command("list", words_only=True))
