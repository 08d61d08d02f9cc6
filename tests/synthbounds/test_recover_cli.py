"""`synthbounds recover`: an interrupted release is finished from what it had paid for, with the same result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import synthbounds as sb
from release.files.digest import digest_of
from release.log.read import read_log
from release.spending import SUFFIX, noise_is_drawn
from synthbounds.cli import main
from tests.synthbounds.test_after_the_noise import BUDGET, COMMANDS, LABEL, MODE, TABLE, made, place

__all__ = ["made", "place"]
ADDED = ["--mode", "release", "--adjacency", "add-remove", "--least-size", "500"]
LOGGED = [*TABLE, *BUDGET, *MODE, "--synthetic", "x.csv", "--k", "100"]
MORE = {
    "floors": ["release", "floors", *TABLE, *LABEL, *BUDGET, *ADDED, "--output", "x.json"],
    "independent": ["synth", *TABLE, *BUDGET, *MODE, "--method", "independent", "--synthetic", "x.csv"],
    "distance of a table": [
        "synth",
        *TABLE,
        *BUDGET,
        *MODE,
        "--label",
        "pays",
        "--distance",
        "1/10",
        "--synthetic",
        "x.csv",
    ],
    "excess": [
        "confirm",
        "table.csv",
        "release.json",
        "model.json",
        "--anyway",
        "--ask",
        "excess",
        "--output",
        "x.json",
    ],
    **{method: ["synth", *LOGGED, "--method", method] for method in ("mst", "aim", "gen", "gem", "rap", "merf")},
    "tree": ["synth", *LOGGED, "--method", "tree", "--label", "pays", "--distance", "1/10"],
    **{
        method: ["regress", *TABLE, *LABEL, *BUDGET, *ADDED, "--method", method, "--output", "x.json"]
        for method in ("ssp-edge", "adassp", "dd-ssp", "objpert")
    },
}
DRAWN_AGAIN = ("synth",)
"""Rows that are drawn, of random bits that nobody keeps."""


COMPARING = ("distance", "accuracy")
"""Releases that read the finished table again, which is here the table itself."""


class Stop(Exception):
    pass


def stop(*_: object) -> None:
    raise Stop


def interrupted_after(monkeypatch: pytest.MonkeyPatch, arguments: list[str], kept: int) -> int:
    """The command, ended once so many measurements and choices are kept."""
    drawn = iter(range(1, kept))

    def then(*details: Any) -> None:
        noise_is_drawn(*details)
        if next(drawn, None) is None:
            raise Stop

    with monkeypatch.context() as patch:
        for module in ("measure", "choose", "perturb"):
            patch.setattr(f"release.{module}.noise_is_drawn", then)
        return main(arguments)


def made_by(place: Path, before: set[str]) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in place.iterdir() if p.name not in before and not p.name.endswith(SUFFIX)}


@pytest.mark.share(3)
@pytest.mark.parametrize("command", {**COMMANDS, **MORE})
def test_what_is_recovered_is_what_would_have_been_written(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name for path in place.iterdir()}
    arguments = (COMMANDS | MORE)[command]
    with monkeypatch.context() as patch:
        patch.setattr("release.spending.release_is_placed", stop)
        assert main([*arguments, "--format", "json"]) == 70
    capsys.readouterr()
    expected = made_by(place, before)
    kept = next(place.glob(f"*{SUFFIX}"))
    for name in expected:
        (place / name).unlink()
    if command not in COMPARING:
        (place / "table.csv").unlink()
    paying = (place / "release.json").read_bytes()
    assert main(["recover", kept.name, "--format", "json"]) == 0, capsys.readouterr().err
    found = made_by(place, before)
    assert found.keys() == expected.keys()
    if command not in DRAWN_AGAIN:
        assert found == expected
    assert not kept.exists()
    assert (place / "release.json").read_bytes() == paying
    said = json.loads(capsys.readouterr().out)
    assert said["command"] == "recover"
    assert said["answer"]["command"] == arguments[0]


LOGS = [name for name in MORE if any(method == name for method in ("mst", "aim", "gen", "gem", "rap", "merf", "tree"))]


@pytest.mark.share(3)
@pytest.mark.parametrize("kept", [1, 2, 3, 4])
@pytest.mark.parametrize("method", LOGS)
def test_a_log_ends_with_what_was_kept(
    method: str, kept: int, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, MORE[method], kept) in (70, 0)
    if (place / "x.csv").exists():
        return
    (place / "table.csv").unlink()
    capsys.readouterr()
    assert main(["recover", f"x.csv{SUFFIX}", "--format", "json"]) == 0, capsys.readouterr().err
    said = json.loads(capsys.readouterr().out)["answer"]
    log = read_log("x.log.json")
    assert log.ledger.left == 0
    assert log.unfinished > 0 or said["release_digest"] == log.digest
    assert main(["synth", "--redraw", "x.log.json", "--synthetic", "again.csv", "--k", "100"]) == 0
    assert (place / "again.csv").read_bytes() == (place / "x.csv").read_bytes()


def recovered(*options: str, target: str = "x.json") -> int:
    return main(["recover", f"{target}{SUFFIX}", *options])


def test_nothing_is_booked_twice(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = ["account", "open", "people.json", "--name", "p", "--adjacency", "replace-one", "--epsilon", "9"]
    assert main([*opened, "--dp-delta", "1e-6"]) == 0
    for target, command in (("x.json", COMMANDS["moments"]), ("x.csv", MORE["mst"]), ("y.json", COMMANDS["marginals"])):
        asked = [*command[:-1], target] if command[-2] == "--output" else command
        assert interrupted_after(monkeypatch, [*asked, "--account", "people.json"], 1) == 70
        booked = (place / "people.json").read_bytes()
        assert recovered(target=target) == 0
        assert (place / "people.json").read_bytes() == booked


def test_the_rest_of_a_query_pays_for_one_that_is_recovered(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = [*COMMANDS["confirm"][:-1], "first.json", "--part", "1/2"]
    assert main(first) == 0
    second = [*COMMANDS["confirm"], "--previous", "first.json"]
    assert interrupted_after(monkeypatch, second, 1) == 70
    marked = (place / "first.json").read_bytes()
    assert recovered() == 0
    assert (place / "first.json").read_bytes() == marked
    assert main(["certify", "release.json", "model.json", "--query", "x.json"]) == 0, capsys.readouterr()


def test_predictions_are_not_read_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "p.csv").write_text("p\n" + "0.3\n" * 600)
    (place / "q.csv").write_text("p\n" + "0.6\n" * 600)
    asked = ["confirm", "table.csv", "release.json", "--predictions", "p.csv", "q.csv", "--loss", "log"]
    assert interrupted_after(monkeypatch, [*asked, "--model-from", "public", "--output", "x.json"], 2) == 70
    for name in ("p.csv", "q.csv", "table.csv"):
        (place / name).unlink()
    assert recovered() == 0
    assert main(["certify", "release.json", "--query", "x.json"]) == 0


def test_two_numbers_that_belong_together_are_not_finished_alone(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, COMMANDS["table"], 1) == 70
    before = {path.name for path in place.iterdir()}
    capsys.readouterr()
    assert recovered(target="x.csv") == 3
    said = capsys.readouterr().err
    assert "contains only 1 of the draws of the release" in said
    assert "nothing more was spent; the noisy numbers are still in x.csv.recovery.json" in said
    assert {path.name for path in place.iterdir()} == before


def test_files_go_elsewhere_and_none_is_replaced_unasked(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, [*MORE["mst"], "--force"], 1) == 70
    (place / "x.csv").write_text("mine")
    assert recovered(target="x.csv") == 6
    assert "x.csv: exists; give --force" in capsys.readouterr().err
    assert interrupted_after(monkeypatch, COMMANDS["moments"], 1) == 70
    assert recovered("--log", "y.json") == 2
    assert "the interrupted `synthbounds release` writes no such file" in capsys.readouterr().err
    monkeypatch.chdir(place.parent)
    file = str(place / f"x.csv{SUFFIX}")
    assert main(["recover", file, "--synthetic", str(place / "y.csv"), "--log", str(place / "y.json")]) == 0
    assert (place / "x.csv").read_text() == "mine"
    assert read_log(place / "y.json").unfinished > 0


def test_from_elsewhere_files_go_where_the_command_had_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert interrupted_after(monkeypatch, COMMANDS["moments"], 1) == 70
    monkeypatch.chdir(place.parent)
    assert main(["recover", str(place / f"x.json{SUFFIX}")]) == 0
    assert (place / "x.json").exists()


def test_a_public_file_that_changed_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, COMMANDS["moments"], 1) == 70
    schema = place / "schema.json"
    schema.write_text(schema.read_text() + "\n")
    assert recovered() == 3
    assert "schema.json has been changed since the release was interrupted" in capsys.readouterr().err


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no command": (lambda b: b.pop("asked"), "does not say which command"),
    "another command": (lambda b: b["asked"].update(arguments=["serve"]), "must be those of one of"),
    "no arguments": (lambda b: b["asked"].update(arguments=[]), "arguments: must be a list"),
    "other files": (lambda b: b["asked"].update(files=[]), "folder and files"),
    "no records": (lambda b: b["asked"].update(records=0), "records = 0: must be at least 1"),
    "a field more": (lambda b: b.update(more=1), '"more" is not a field'),
    "nothing drawn": (lambda b: b.update(measurements=[]), "measurements"),
    "a simulation": (lambda b: b["header"].update(mode="simulate"), "run a simulation again"),
    "another noise": (lambda b: b["measurements"][0]["noise"].update(scales="7"), "is not what the command would draw"),
    "other numbers": (lambda b: b["measurements"][0].update(values=[1]), "whole numbers"),
    "other facts": (lambda b: b["header"].update(weight="9"), "is not what the command would draw"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_does_not_add_up_is_refused(
    change: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, COMMANDS["moments"], 1) == 70
    kept, (by, complaint) = place / f"x.json{SUFFIX}", CHANGES[change]
    body = json.loads(kept.read_text())
    assert sb.recover(kept).ledger.spent > 0
    by(body)
    kept.write_text(json.dumps(body | {"digest": digest_of(body)}))
    capsys.readouterr()
    assert recovered() == 3
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
    assert kept.exists()


def test_a_file_that_was_changed_or_holds_nothing_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = place / f"x.json{SUFFIX}"
    kept.write_text(json.dumps({"synthbounds_recovery": 1, "note": "a release was about to draw its noise"}))
    assert recovered() == 3
    assert "contains no noisy number" in capsys.readouterr().err


def test_a_simulation_leaves_nothing_to_recover(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["simulate" if word == "release" and i > 0 else word for i, word in enumerate(COMMANDS["moments"])]
    with monkeypatch.context() as patch:
        patch.setattr("release.spending.release_is_placed", stop)
        main(asked)
    assert not list(place.glob(f"*{SUFFIX}"))
