"""Every command and every Python example in the README and the guide runs, and shown numbers are the numbers."""

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
from tests.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
COMMANDS = list(
    dict.fromkeys(re.findall(r"^\$ (?:\.venv/bin/)?synthbounds (.+?)(?: +#.*)?$", README + GUIDE, re.MULTILINE))
)
PATH = [command for command in COMMANDS if "moments.json" in command]
"""One after the other, each with the files of those before: release, train, certify, confirm."""
ASKED = [command for command in COMMANDS if "tables.json" in command]
"""Likewise: release, infer."""
MADE = [command for command in COMMANDS if "trial.csv" in command]
"""Likewise: synth, evaluate."""


SHOWN = ROOT / "docs" / "figures" / "survey-errors.svg"
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def shown_under(command: str, page: str) -> str:
    """What the page shows below the command, up to the dots."""
    return page.split(f"synthbounds {command}\n", 1)[1].split("\n...", 1)[0]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that write files do so in a folder that sees the examples."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in PATH + ASKED + MADE])
def test_commands_run(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(shlex.split(command))
    except SystemExit as end:  # --help
        code = end.code
    assert code in (0, None)
    assert capsys.readouterr().out or "--output" in command


@pytest.mark.parametrize(
    ("start", "page"), [("require", README), ("require", GUIDE), ("approx", GUIDE), ("risk", GUIDE)]
)
def test_pages_show_what_commands_print(start: str, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = next(c for c in COMMANDS if c.startswith(start) and c in page)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out.startswith(shown_under(command, page))


def test_the_guide_shows_the_synthetic_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The error depends on which vertex a solver finds, so on the linear algebra of the machine, in its last digits."""
    command = next(c for c in COMMANDS if c.startswith("synth ") and c in GUIDE)
    shown = shown_under(command, GUIDE).splitlines()
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
        if command.startswith(("certify", "confirm")):
            shown = shown_under(command, README)
            ours, theirs = (" ".join(text.split()).split("by more than ") for text in (shown, said))
            assert theirs[0] == ours[0]
            assert float(theirs[1].split(". ")[0]) == pytest.approx(float(ours[1].rstrip(".")), rel=0.02)


def test_readme_infers_from_a_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert [command.split()[0] for command in ASKED] == ["release", "infer", "infer"]
    for command in ASKED:
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().out.startswith(shown_under(command, README) if "--proportion" in command else "")


def test_readme_makes_a_table_and_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    assert [command.split()[0] for command in MADE] == ["synth", "evaluate"]
    for command in MADE:
        assert main(shlex.split(command)) == 0
        said = capsys.readouterr().out.splitlines()
        for ours, theirs in zip(shown_under(command, README).splitlines(), said, strict=False):
            assert _NUMBER.sub("#", ours) == _NUMBER.sub("#", theirs)
            numbers = [[float(x.replace(",", "")) for x in _NUMBER.findall(line)] for line in (ours, theirs)]
            assert numbers[0] == pytest.approx(numbers[1], rel=0.02)
    drawn, kept = (path.read_text(encoding="utf-8") for path in (Path("errors.svg"), SHOWN))
    drawn, kept = (re.sub(r"\b[pm][0-9a-f]{10}\b", "name", text) for text in (drawn, kept))
    assert re.findall(r"<!-- (.+?) -->", drawn) == re.findall(r"<!-- (.+?) -->", kept)


def test_the_example_tables_are_what_their_scripts_make() -> None:
    folder = ROOT / "docs" / "examples"
    scope = runpy.run_path(str(folder / "make_survey.py"))
    rows = list(csv.reader(io.StringIO((folder / "survey.csv").read_text(encoding="utf-8"))))
    assert rows == [list(scope["COLUMNS"]), *([str(cell) for cell in row] for row in scope["answers"]())]
    scope = runpy.run_path(str(folder / "make_clinic.py"))
    lines = (folder / "clinic.csv").read_text(encoding="utf-8").splitlines()
    assert lines == [", ".join(str(cell) for cell in row) for row in (scope["COLUMNS"], *scope["stays"]())]


@pytest.mark.parametrize(("name", "page"), [("README.md", README), ("guide.md", GUIDE)])
def test_python_runs_and_prints_what_its_comments_say(name: str, page: str) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    assert code
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, name, "exec"), {})  # noqa: S102 - our own page
    comments = re.findall(r"^print\(.*\)  # (.+)$", code, re.MULTILINE)
    for comment, line in zip(comments, said.getvalue().splitlines(), strict=True):
        if "margin" in comment:
            assert line.startswith("IntegerCertificate(value=440")
        else:
            assert line.startswith(comment.removesuffix(" ..."))


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            if re.fullmatch(r"[\w./-]+", target):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_tour_shows_the_papers_numbers_and_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert tour.main() == 0
    out = capsys.readouterr().out
    for number in ("467", "896", "8,192", "22,528", "6,062", "8,360", "7,301,638,074", "552"):
        assert number in out
    assert "vacuous" in out
    out = " ".join(out.replace("\\\n", "").split())
    assert out.rstrip().endswith(f"{tour.COMMAND} {tour.TABLE[-1]}")
    for arguments in (*tour.TRY[:-1], *tour.TABLE):
        assert f"{tour.COMMAND} {arguments}" in out
        assert main(shlex.split(arguments)) == 0
        capsys.readouterr()


def test_versions_agree() -> None:
    from synthbounds import __version__

    assert f"version: {__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
