"""--report: a page with the answer; places refused before anything is computed; it never endangers a release."""

from __future__ import annotations

import contextlib
import errno
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import NotCertified
from release import measure as measure_module
from release.moments.read import read_release
from release.spending import SPENT, SUFFIX
from synthbounds.cli import main
from synthbounds.cli.page_file import COMPLETE
from synthbounds.report import html
from tests.paths import ROOT
from tests.synthbounds.test_after_the_noise import COMMANDS, PERSON, TARGETS, made, place
from tests.synthbounds.test_report_pages import read

assert (made, place) is not None  # fixtures
SIMULATED = ["synth", "table.csv", "--schema", "schema.json", "--epsilon", "4", "--mode", "simulate"]
SPENDING = ("moments", "table", "confirm")
"""One of each way in which a release is placed; the others share it."""


def test_every_releasing_command_has_its_page(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command, line in COMMANDS.items():
        assert main([*line, "--report", f"{command}.html", "--force"]) == 0, command
        page = read(Path(f"{command}.html").read_text())
        for heading in ("What it means for one person", "What was spent", "What not to conclude"):
            assert heading in page.text, (command, heading)
        assert "NOT A RELEASE" not in page.text
        assert "Privacy budget (epsilon): 4; smaller protects better." in page.text
        assert "The whole budget: epsilon = 4" in page.text
        assert "Left: " not in page.text
        assert ("Nothing is left: a further query is refused." in page.text) == (command == "confirm")
        assert ("these people have used is not known here: no account was kept." in page.text) == (command != "confirm")
    capsys.readouterr()


def test_moments_promise_nothing_and_say_which_columns_they_have(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survey = ROOT / "docs" / "examples" / "survey.csv"
    line = ["release", "moments", str(survey), "--schema", str(survey.with_suffix(".schema.json"))]
    private = ["--label", "insured", "--epsilon", "1", "--dp-delta", "1e-8", "--mode", "simulate", "--seed", "1"]
    assert main([*line, *private, "--output", "y.json", "--report", "y.html"]) == 0
    page = Path("y.html").read_text()
    assert 'class="certified neutral"' in page
    text = read(page).text
    assert "On its own this says nothing about a model" in text
    assert "Not drawn: age, income and visits. Moments include the shares of" in text
    assert "A release would spend a privacy budget (epsilon) of 1; smaller protects better." in text
    assert "The whole budget: epsilon = 1, delta = 1e-8." in text


def test_a_simulation_is_stamped_across_its_page(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATED, "--synthetic", "s.csv", "--report", "s.html"]) == 0
    page = read(Path("s.html").read_text())
    assert ("data-stamp", "NOT A RELEASE") in page.attributes
    assert "A simulation protects nobody" in page.text
    assert "Nothing was spent" in page.text


def test_certify_and_plan_have_pages(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", "release.json", "model.json", "--report", "c.html"]) == 0
    said = capsys.readouterr().out
    page = read(Path("c.html").read_text())
    assert "Certifying a model spends nothing" in page.text
    assert "With confidence 95 %" in " ".join(said.split())
    assert "With confidence 95 %" in page.text
    plan = ["plan", "--schema", "schema.json", "--report", "p.HTM"]
    assert main([*plan, "--n", "5000"]) == 0
    page = read(Path("p.HTM").read_text())
    assert "would be close to the truth" in page.text
    assert "No single release promises all of this" in page.text
    assert "the worst case for any noise with this epsilon; the release states its own limit" in page.text
    assert page.tags.count("polyline") > 3
    assert str(place) not in Path("p.HTM").read_text()
    for asked, told in ((["--n", "5000"], "takes epsilon = "), (["--epsilon", "1"], " records with epsilon = 1")):
        assert main([*plan, *asked, "--error", "0.01", "--method", "independent", "--force"]) == 0
        assert told in read(Path("p.HTM").read_text()).text
    assert main([*plan, "--n", "2", "--epsilon", "0.001", "--force"]) == 0
    assert "no method promises more" in read(Path("p.HTM").read_text()).text
    asked = ["--n", "5000", "--epsilon", "1", "--features", "5", "--tau", "1"]
    assert main(["certify", "--plan", *asked, "--report", "q.html"]) == 0
    page = read(Path("q.html").read_text())
    assert "nothing is certified yet" in page.text
    assert "dp-delta = 4e-8 (replace-one), the expected certificate is about " in page.text
    assert page.text.count("This is an estimate") == 1
    assert "; plan; tau = 1." in page.text
    assert "(1, 4e-8)-differential privacy" in page.text  # delta is 1/n^2 where none is said


@pytest.mark.parametrize("folder", ["{}", ".", "../{name}"])
def test_a_page_names_files_and_not_where_they_are(
    place: Path, capsys: pytest.CaptureFixture[str], folder: str
) -> None:
    where = folder.format(place, name=place.name)
    account = ["--name", "p", "--adjacency", "replace-one", "--epsilon", "9", "--dp-delta", "1e-6"]
    assert main(["account", "open", f"{where}/a.json", *account]) == 0
    line = [f"{where}/{part}" if part.endswith((".json", ".csv")) else part for part in COMMANDS["moments"]]
    assert main([*line, "--account", f"{where}/a.json", "--report", f"{where}/m.html"]) == 0
    page = Path("m.html").read_text()
    assert place.name not in page
    assert "/a.json" not in page
    assert "a.json" in page


def test_what_the_account_has_left_is_on_the_page(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    account = ["--name", "people <b>", "--adjacency", "replace-one", "--epsilon", "9", "--dp-delta", "1e-6"]
    assert main(["account", "open", "a.json", *account]) == 0
    assert main([*COMMANDS["moments"], "--account", "a.json", "--report", "moments.html"]) == 0
    page = read(Path("moments.html").read_text()).text
    assert "Left: rho = " in page
    assert "people <b>" in page


@pytest.mark.parametrize(
    ("report", "code", "told"),
    [
        ("page.txt", 2, "must end in .html or .htm"),
        ("page", 2, "must end in .html or .htm"),
        ("missing/page.html", 6, "does not exist"),
        ("there.html", 6, "exists; give --force"),
        ("folder.html", 6, "is a folder"),
        ("", 6, "give the name of a file"),
        ("x" * 300 + ".html", 6, "too long"),
        ("page\0.html", 2, "has a character that no file name can have"),
    ],
)
@pytest.mark.parametrize("command", ["moments", "confirm"])
def test_a_bad_place_costs_nothing(
    command: str,
    report: str,
    code: int,
    told: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))
    Path("there.html").write_text("mine")
    Path("folder.html").mkdir()
    assert main([*COMMANDS[command], "--report", report]) == code
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert told in said
    assert SPENT not in said
    assert Path("there.html").read_text() == "mine"
    assert read_release("release.json").reservation_state == "open"


def test_a_page_is_no_other_file(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))
    Path("table.html").write_bytes(Path("table.csv").read_bytes())
    tried = (
        ([*COMMANDS["moments"][:-1], "x.html"], "x.html", "name the same file"),
        (["release", "moments", "table.html", *COMMANDS["moments"][3:]], "table.html", "is the table that is read"),
        ([*COMMANDS["table"], "--release", "x.html"], "x.html", "name the same file"),
    )
    for line, report, told in tried:
        assert main([*line, "--report", report, "--force"]) in (2, 6)
        said = capsys.readouterr().err
        assert told in said
        assert SPENT not in said


def _full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", PERSON)


def _bug(*_: object) -> str:
    raise ValueError(PERSON)


def _memory(*_: object) -> str:
    raise MemoryError(PERSON)


def _refused(*_: object) -> str:
    raise NotCertified("gap = 1")


def _interrupted(*_: object) -> str:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("failure", "code"), [(_bug, 70), (_full, 6), (_memory, 7), (_refused, 5), (_interrupted, 130)]
)
@pytest.mark.parametrize("command", SPENDING)
def test_a_page_that_fails_after_the_noise_costs_only_itself(
    command: str,
    failure: Callable[..., Any],
    code: int,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(html, "render_html", failure)
    assert main([*COMMANDS[command], "--report", "page.html", "--format", "json"]) == code
    said = capsys.readouterr()
    assert json.loads(said.out)["command"] == COMMANDS[command][0]  # what was paid for is shown all the same
    assert said.err.count("\n") == 1
    assert COMPLETE in said.err
    assert SPENT in said.err
    assert PERSON not in said.err + said.out
    assert Path(TARGETS[command]).exists()
    assert not Path("page.html").exists()
    assert not list(place.glob(f"*{SUFFIX}"))


class _Closed(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_an_answer_that_cannot_be_printed_is_not_called_a_report(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.redirect_stdout(_Closed()):
        assert main([*COMMANDS["moments"], "--report", "page.html"]) == 6
    said = capsys.readouterr().err
    assert "the answer cannot be printed; the files are complete" in said
    assert SPENT in said
    assert Path("page.html").exists()


@pytest.mark.parametrize(("failure", "code"), [(_bug, 70), (_full, 6), (_interrupted, 130)])
def test_neither_page_nor_answer(
    failure: Callable[..., Any],
    code: int,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(html, "render_html", failure)
    with contextlib.redirect_stdout(_Closed()):
        assert main([*COMMANDS["moments"], "--report", "page.html"]) == code
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert all(fact in said for fact in (COMPLETE, "the answer cannot be printed", SPENT))
    assert Path(TARGETS["moments"]).exists()


def test_a_full_disk_after_the_noise_costs_only_the_page(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from release.files import placing

    real = placing.token_hex

    def full(*args: Any, **named: Any) -> Any:
        if Path("x.json").exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*args, **named)

    monkeypatch.setattr(placing, "token_hex", full)
    assert main([*COMMANDS["moments"], "--report", "page.html"]) == 6
    said = capsys.readouterr()
    assert COMPLETE in said.err
    assert SPENT in said.err
    assert "No space left" in said.err
    assert read_release("x.json").mode == "release"
    assert not [path for path in place.iterdir() if path.suffix in (".html", ".part")]


def test_without_noise_page_and_answer_appear_together_or_not_at_all(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(html, "render_html", _bug)
    line = ["plan", "--schema", "schema.json", "--n", "99", "--report", "page.html", "--output", "answer.txt"]
    before = set(place.iterdir())
    assert main(line) == 70
    assert set(place.iterdir()) == before
    assert capsys.readouterr().out == ""


def test_commands_without_pages_do_not_know_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "release.json", "--report", "page.html"]) == 2
    assert "--report" in capsys.readouterr().err
