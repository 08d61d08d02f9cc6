"""The completion scripts, in their shells."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bounds.registry import all_theorems
from synthbounds.api.commands import COMMANDS
from synthbounds.cli import main
from synthbounds.completion.expected import spellings

_SHELLS = ("bash", "zsh", "fish")


def needs(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"not run: {shell} is not installed")
    return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for shell in _SHELLS:
        assert main(["completion", shell, "-o", str(tmp_path / f"script.{shell}")]) == 0
    (tmp_path / "some table.csv").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


CASES = {
    ("requir",): {"require"},
    ("require", "--eps"): {"--epsilon"},
    ("require", "--forma"): {"--format"},
    ("require", "--format", "js"): {"json"},
    ("release", "mom"): {"moments"},
    ("release", "moments", "some"): {"some table.csv"},
    ("require", "-o", "some"): {"some table.csv"},
    ("completion", "f"): {"fish"},
    ("explain", "bojkovic2024.histogram-u"): {"bojkovic2024.histogram-uniform"},
    ("synth", "x.csv", "--mode", "rel"): {"release"},
    ("synth", "x.csv", "--mode", "release", "--anyw"): {"--anyway"},
    ("list", "--paper", "zh"): {"zhou2024"},
    ("figures", "--output", "fold"): {"folder"},
    ("require", "--force", "--solve-for", "eps"): {"epsilon"},
}


def bash(words: list[str]) -> set[str]:
    quoted = " ".join(f"'{word}'" for word in ["synthbounds", *words])
    script = f"""source ./script.bash
COMP_WORDS=({quoted}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _synthbounds synthbounds '' ''
printf '%s\\n' "${{COMPREPLY[@]}}" """
    run = subprocess.run([needs("bash"), "--norc", "-c", script], capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return set(run.stdout.splitlines()) - {""}


def test_bash(place: Path) -> None:
    for words, found in CASES.items():
        assert {one.rstrip("/") for one in bash(list(words))} == found, words
    assert bash([""]) == set(COMMANDS)
    assert bash(["-"]) == {"-h", "--help", "--version"}
    assert bash(["require", "--format", "=", "la"]) == {"latex", "latex-line", "latex-row", "latex-theorem"}
    assert bash(["require", "--format", "="]) == set(COMMANDS["require"].parameters["format"].choices)
    assert bash(["require", "--epsilon", ""]) == set()
    assert bash(["certify", "--one-hot", "a", "b", "--for"]) == {"--force", "--format"}
    assert bash(["nothing", "--"]) == set()


def test_bash_offers_whatever_is_declared(place: Path) -> None:
    """Every option and every choice, by one process that asks them all."""
    asked, wanted = [], []
    for command in COMMANDS.values():
        options = {spelled for p in command.parameters.values() if not p.positional for spelled in spellings(p)}
        asked.append(f"'{command.name}' -")
        wanted.append({"-h", "--help", *options})
        for parameter in command.parameters.values():
            if parameter.choices and not parameter.positional and parameter.kind != "list":
                asked.append(f"'{command.name}' '{parameter.option}' ''")
                wanted.append(set(parameter.choices))
    tries = "\n".join(
        f"COMP_WORDS=(synthbounds {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _synthbounds; "
        'echo "${COMPREPLY[*]}"'
        for words in asked
    )
    script = f"source ./script.bash\n{tries}\n"
    run = subprocess.run([needs("bash"), "--norc"], input=script, capture_output=True, text=True, check=True)
    found = [set(line.split()) for line in run.stdout.splitlines()]
    assert found == wanted


def test_fish(place: Path) -> None:
    shell = needs("fish")
    for words, wanted in CASES.items():
        line = " ".join(["synthbounds", *words])
        run = subprocess.run(
            [shell, "--no-config", "-c", f"source ./script.fish; complete -C '{line}'"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stderr == ""
        found = {one.split("\t")[0].replace("\\ ", " ").rstrip("/") for one in run.stdout.splitlines()}
        assert found == wanted, words


def test_zsh(place: Path) -> None:
    """A shell at a terminal of its own, in which the key is pressed; the command says what it was given then."""
    lines = [" ".join(["synthbounds", *words]) for words in CASES]
    tries = "\n".join(f"zpty -w -n shell '{line}'$'\\t'' END'$'\\n'; zpty -r shell said '*END>*'" for line in lines)
    script = f"""zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'synthbounds() {{ for word; do print -r -- "$word" >> given; done; print -r -- "END"">" }}'
zpty -w shell 'autoload -Uz compinit; compinit -u -D; source ./script.zsh; bindkey "^I" complete-word; print "READY"">"'
zpty -r shell said '*READY>*'
{tries}
"""
    subprocess.run([needs("zsh"), "-f"], input=script, capture_output=True, text=True, check=True)
    given = (place / "given").read_text(encoding="utf-8").split("END\n")[:-1]
    for (words, (wanted,)), said in zip(CASES.items(), given, strict=True):
        *before, last = said.splitlines()
        assert (before, last.rstrip("=/")) == (list(words[:-1]), wanted)


@pytest.mark.parametrize("shell", _SHELLS)
def test_a_script_is_valid_and_names_all(shell: str, place: Path) -> None:
    text = (place / f"script.{shell}").read_text(encoding="utf-8")
    subprocess.run([needs(shell), "-n", f"script.{shell}"], check=True, capture_output=True)
    assert all(name in text for name in (*COMMANDS, *all_theorems()))


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert "shell = tcsh: must be one of bash, zsh, fish" in capsys.readouterr().err
