"""The script and the notebook of what was clicked: they run, they do the same, and they spend only when told to."""

from __future__ import annotations

import ast
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthbounds.web.retold import Retold, notebook, script, simulated, spends
from tests.paths import ROOT

EXAMPLES = ROOT / "docs" / "examples"
SCHEMA = (EXAMPLES / "survey.schema.json").read_text(encoding="utf-8")
PLAN = ["plan", "--schema", "it's public.json", "--n", "4000"]
RELEASE = [
    *["synth", "$people; 1.csv", "--schema", "it's public.json", "--epsilon", "1", "--method", "independent"],
    *["--mode", "release", "--adjacency", "replace-one", "--account", "people.account.json", "--synthetic", "new.csv"],
]
TOLD = Retold(commands=[PLAN, RELEASE], table="$people; 1.csv", schema="it's public.json", schema_text=SCHEMA)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the table, an account, and a command `synthbounds` that is this one."""
    shutil.copy(EXAMPLES / "survey.csv", tmp_path / TOLD.table)
    command = tmp_path / "bin" / "synthbounds"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m synthbounds "$@"\n')
    command.chmod(0o755)
    opened = [
        "account",
        "open",
        "people.account.json",
        "--name",
        "people",
        "--adjacency",
        "replace-one",
        "--epsilon",
        "3",
    ]
    assert run(tmp_path, [sys.executable, "-m", "synthbounds", *opened]) == 0
    return tmp_path


def run(place: Path, command: Sequence[str]) -> int:
    environment = {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=place, env=environment, stdout=subprocess.PIPE).returncode


def is_simulation(place: Path) -> bool:
    return "NOT A RELEASE" in (place / "new.release.json").read_text(encoding="utf-8")


def booked(place: Path) -> int:
    return len(json.loads((place / "people.account.json").read_text(encoding="utf-8"))["ledger"]["entries"])


@pytest.mark.slow
def test_the_script_simulates_and_spends_when_told_to(place: Path) -> None:
    (place / "repeat.sh").write_text(script(TOLD), encoding="utf-8")
    assert run(place, ["sh", str(place / "repeat.sh")]) == 0
    assert is_simulation(place)
    assert booked(place) == 0
    for made in ("new.csv", "new.release.json"):
        (place / made).unlink()
    assert run(place, ["sh", str(place / "repeat.sh"), "--spend"]) == 0
    assert not is_simulation(place)
    assert booked(place) == 1
    assert (place / TOLD.schema).read_text(encoding="utf-8") == SCHEMA


@pytest.mark.slow
def test_the_notebook_simulates_and_spends_when_told_to(place: Path) -> None:
    made = nbformat.reads(notebook(TOLD), as_version=4)
    nbformat.validate(made)
    cells = "\n".join(cell.source for cell in made.cells if cell.cell_type == "code")
    assert run(place, [sys.executable, "-c", cells]) == 0
    assert is_simulation(place)
    assert booked(place) == 0
    for name in ("new.csv", "new.release.json"):
        (place / name).unlink()
    assert run(place, [sys.executable, "-c", cells.replace("SPEND = False", "SPEND = True")]) == 0
    assert not is_simulation(place)
    assert booked(place) == 1


def test_a_draft_is_told_to_reveal_values() -> None:
    draft = json.dumps({**json.loads(SCHEMA), "source": "data-dependent"})
    told = Retold(commands=[PLAN], table="t.csv", schema="s.json", schema_text=draft)
    assert "Do not pass it on" in script(told)
    assert "Do not pass it on" in notebook(told)
    assert "SPEND" not in notebook(told)
    assert "--spend" not in script(told)


def test_only_mode_release_spends() -> None:
    assert spends(RELEASE)
    assert not spends(PLAN)
    assert not spends(simulated(RELEASE))
    assert "--account" not in simulated(RELEASE)
    assert simulated(PLAN) == PLAN


WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_words_come_back_as_they_were(words: list[str]) -> None:
    """Whatever a file is called, neither the shell nor Python reads anything else into it."""
    told = Retold(commands=[["evaluate", *words]], table=words[0], schema="s.json", schema_text=SCHEMA)
    whole = script(told)
    assert "\nset -eu\ncd " in whole[: whole.index("\n\n")]
    assert all(line.startswith("#") for line in whole[: whole.index("\nset -eu")].split("\n"))
    last = whole[whole.index("synthbounds evaluate") :]
    assert shlex.split(last) == ["synthbounds", "evaluate", *words]
    call = ast.parse(json.loads(notebook(told))["cells"][-1]["source"], mode="eval").body
    assert isinstance(call, ast.Call)
    assert [ast.literal_eval(word) for word in call.args] == ["evaluate", *words]
