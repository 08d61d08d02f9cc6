"""Every command and every Python example in the README runs, and the numbers it shows are the numbers."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import runpy
import shlex
from pathlib import Path

import pytest

from synthbounds import tour
from synthbounds.cli import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ \.venv/bin/synthbounds (.+)$", README, re.MULTILINE)
PATH = [command for command in COMMANDS if "moments.json" in command]
"""One after the other, each with the files of those before: release, train, certify, confirm."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that write files do so in a folder that sees the examples."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in PATH])
def test_readme_commands_run(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out or "--output" in command


def test_readme_shows_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    shown = README.split("--failure 0.05\n", 1)[1].split("\n...", 1)[0]
    assert main(shlex.split(COMMANDS[0])) == 0
    assert capsys.readouterr().out.startswith(shown)
    assert main(shlex.split(COMMANDS[1])) == 0
    printed = capsys.readouterr().out
    for number in ("94,163", "1,835,008,000", "3,363"):
        assert number in printed
        assert number in README


def test_readme_shows_the_polynomial(capsys: pytest.CaptureFixture[str]) -> None:
    command = "approx --function logistic --interval -5,5 --degree 4\n"
    shown = README.split(command, 1)[1].split("\n...", 1)[0]
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out.startswith(shown)


def test_readme_shows_the_risk(capsys: pytest.CaptureFixture[str]) -> None:
    command = next(c for c in COMMANDS if c.startswith("risk"))
    shown = README.split(command + "\n", 1)[1].split("\n...", 1)[0]
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out.startswith(shown)


def test_readme_shows_the_synthetic_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The error depends on which vertex a solver finds, so on the linear algebra of the machine, in its last digits."""
    command = next(c for c in COMMANDS if c.startswith("synth "))
    shown = README.split(command + "\n", 1)[1].split("\n...", 1)[0].splitlines()
    assert main(shlex.split(command)) == 0
    for ours, said in zip(shown, capsys.readouterr().out.splitlines(), strict=False):
        if ours.startswith("  error"):
            assert float(ours.split()[1]) == pytest.approx(float(said.split()[1]), rel=0.05)
        else:
            assert ours == said


def test_readme_certifies_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    """The bound depends on where solvers stop, so on the linear algebra of the machine, in its last digits."""
    assert [command.split()[0] for command in PATH] == ["release", "train", "certify", "confirm"]
    for command in PATH:
        assert main(shlex.split(command)) == 0
        said = capsys.readouterr().out
        if command.startswith("certify"):
            shown = README.split(command + "\n", 1)[1].split("\n...", 1)[0]
            ours, theirs = (" ".join(text.split()).split("by more than ") for text in (shown, said))
            assert theirs[0] == ours[0]
            assert float(theirs[1].split(". ")[0]) == pytest.approx(float(ours[1].rstrip(".")), rel=0.02)


def test_the_example_table_is_what_its_script_makes() -> None:
    folder = ROOT / "docs" / "examples"
    scope = runpy.run_path(str(folder / "make_survey.py"))
    rows = list(csv.reader(io.StringIO((folder / "survey.csv").read_text(encoding="utf-8"))))
    assert rows == [list(scope["COLUMNS"]), *([str(cell) for cell in row] for row in scope["answers"]())]


def test_readme_python_runs() -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code.group(1), "README.md", "exec"), {})  # noqa: S102 - our own page
    first, second, third, fourth = said.getvalue().splitlines()
    assert fourth == "excess risk <= 0.0130757 by zhou2024.logistic, sharp edition"
    assert first == "n = 2,038, m = 1,024, k = 140 by bojkovic2024.histogram-uniform, sharp edition"
    assert second == "False"
    assert third.startswith("IntegerCertificate(value=2038")


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            if re.fullmatch(r"[\w./-]+", target):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_tour_shows_the_papers_numbers_and_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert tour.main() == 0
    out = capsys.readouterr().out
    for number in ("467", "896", "8,192", "22,528", "6,062", "8,360", "7,301,638,074", "2,259"):
        assert number in out
    assert "vacuous" in out
    for arguments in tour.TRY[:-1]:
        assert f"{tour.COMMAND} {arguments}" in out
        assert main(shlex.split(arguments)) == 0
        capsys.readouterr()


def test_versions_agree() -> None:
    from synthbounds import __version__

    assert f"version: {__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
