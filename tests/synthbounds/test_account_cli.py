"""Every releasing command records its cost in an account before its noise, however it ends; and `account` itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import synthbounds as sb
from bounds.errors import OutputError
from release import measure as measure_module
from release.account.file import Account, read_account
from release.data.source import RecordsSource
from release.gradient.make import ask_gradient
from release.moments.make import make_release
from release.moments.read import parse_release, read_release
from release.spending import SPENT, SUFFIX, spending
from release.statistics.features import build_feature_map
from synthbounds.cli import main
from tests.moment_examples import SCHEMA, table
from tests.paths import ROOT
from tests.synthbounds.test_confirm_cli import write_table

FEATURES = build_feature_map(SCHEMA, label="pays", one_hot=["town"])
MODE = ["--mode", "release", "--adjacency", "replace-one"]
TABLE = ["table.csv", "--schema", "schema.json"]
PURE = ["--epsilon", "0.5", "--mechanism", "laplace"]
DELTA = ["--epsilon", "1", "--dp-delta", "1e-6"]
LABEL = ["--label", "pays", "--one-hot", "town"]
ASKED = ["confirm", "table.csv", "release.json", "--output", "x.json"]
COMMANDS = {
    "moments": ["release", "moments", *TABLE, *LABEL, *DELTA, *MODE, "--output", "x.json"],
    "marginals": ["release", "marginals", *TABLE, *DELTA, *MODE, "--output", "x.json"],
    "synth": ["synth", *TABLE, "--degree", "1", *PURE, *MODE, "--anyway", "--synthetic", "x.csv"],
    "floors": ["release", "floors", *TABLE, *LABEL, *DELTA, *MODE, "--output", "x.json"],
    "confirm": [*ASKED[:3], "model.json", *ASKED[3:], "--ask", "gradient", "--anyway"],
    "confirm-excess": [*ASKED[:3], "model.json", *ASKED[3:], "--ask", "excess", "--anyway"],
    "confirm-predictions": [*ASKED, "--predictions", "a.csv", "b.csv", "--loss", "brier", "--model-from", "public"],
}
WRITTEN = dict.fromkeys(COMMANDS, "x.json") | {"synth": "x.csv"}
BOOKED = ["--account", "people.json"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, its schema, a release with a reservation, a model of it, and an account in which nothing is booked."""
    folder = tmp_path_factory.mktemp("account")
    write_table(folder / "table.csv", table(600))
    (folder / "schema.json").write_text(SCHEMA.to_text())
    asked: dict[str, Any] = {"epsilon": 1, "dp_delta": "1e-6", "adjacency": "replace-one", "reserve": "1/4"}
    release = make_release(table(600), FEATURES, mode="release", **asked)
    (folder / "release.json").write_text(release.to_text())
    for name, number in (("a.csv", "0.3"), ("b.csv", "0.6")):
        (folder / name).write_text("p\n" + f"{number}\n" * 600)
    train = ["train", str(folder / "release.json"), "--tau", "1", "--points", "500"]
    assert main([*train, "--output", str(folder / "model.json")]) == 0
    sb.open_account(folder / "people.json", name="people", adjacency="replace-one", rho="1/2", dp_delta="1e-6")
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in made.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SYNTHBOUNDS_DEBUG", raising=False)
    return tmp_path


def account() -> Account:
    return read_account("people.json")


def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))


def files(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


# the command


def test_open_and_show(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main("account open new.json --name patients --adjacency add-remove --epsilon 2 --dp-delta 1e-9".split()) == 0
    assert "epsilon = 2, dp-delta = 1e-9" in " ".join(capsys.readouterr().out.split())
    assert main([*COMMANDS["moments"], *BOOKED, "--reserve", "1/5"]) == 0
    capsys.readouterr()
    assert main(["account", "show", "people.json", "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    Draft202012Validator(sb.json_schema("output-account")).validate(body)
    Draft202012Validator(sb.json_schema("account")).validate(json.loads((place / "people.json").read_text()))
    ledger = account().ledger
    assert Fraction(body["spent"]) >= ledger.spent
    assert Fraction(body["left"]) <= ledger.left
    assert [entry["state"] for entry in body["entries"]] == ["spent", "reserved"]
    # what is spent means, by Proposition C.2, no less than the release alone costs by the exact curve of its noise
    assert Fraction(body["epsilon_spent"]) > read_release("x.json").epsilon_spent


REFUSED = {
    "account open people.json --name x --adjacency replace-one --epsilon 1": (6, "never replaced"),
    "account open people.json --name x --adjacency replace-one --epsilon 1 --force": (6, "never replaced"),
    "account open new.json --adjacency replace-one --epsilon 1": (2, "who the people are"),
    "account open new.json --name x --epsilon 1": (2, "replace-one or add-remove"),
    "account open new.json --name x --adjacency replace-one": (2, "give epsilon"),
    "account open new.json --name x --adjacency replace-one --rho 1": (2, "at which delta"),
    "account open new.json --name x --adjacency replace-one --rho 0 --dp-delta 0.1": (2, "rho = 0"),
    "account open new.json --name x --adjacency replace-one --epsilon 1 --output new.json": (2, "the same file"),
    "account open none/new.json --name x --adjacency replace-one --epsilon 1": (6, "does not exist"),
    "account close people.json": (2, "open, show"),
    "account show people.json --epsilon 1": (2, "account open"),
    "account show none.json": (3, "cannot be read"),
    "account show release.json": (3, "is the file of a release"),
    "certify people.json model.json": (3, "is the file of an account"),
}


@pytest.mark.parametrize("line", REFUSED)
def test_refusals_of_the_command(line: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, (code, said) = files(place), REFUSED[line]
    assert main(line.split()) == code
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1
    assert files(place) == before


# booking


def _reserved() -> Fraction:
    return read_release("release.json").mu_squared_reserved / 2


RHO = {
    "moments": lambda: read_release("x.json").mu_squared / 2,
    "marginals": lambda: sb.privacy.largest_rho(epsilon=1, dp_delta="1e-6", adjacency="replace-one").rho.hi,
    "synth": lambda: Fraction(1, 8),
    "floors": lambda: sb.models.open_release("x.json").mu_squared / 2,
    "confirm": _reserved,
    "confirm-excess": _reserved,
    "confirm-predictions": _reserved,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_release_books_what_it_costs(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMANDS[command], *BOOKED, "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    name = f"release-{command}" if command in ("moments", "marginals", "floors") else command
    Draft202012Validator(sb.json_schema(f"output-{name}")).validate(body)
    ledger, rho = account().ledger, RHO[command]()
    assert rho * (1 - Fraction(1, 10**9)) <= ledger.spent <= rho * (1 + Fraction(1, 10**12))
    assert [entry["what"] for entry in body["account"]["booked"]] == [entry.what for entry in ledger.entries]
    assert Fraction(body["account"]["left"]) <= ledger.left
    assert (place / WRITTEN[command]).exists()


def test_a_choice_is_booked_with_its_answer(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of it or nothing: an account that has room for the choice alone pays for neither."""
    sb.open_account("small.json", name="people", adjacency="replace-one", rho=_reserved() / 2, dp_delta="1e-6")
    before = files(place)
    assert main([*COMMANDS["confirm-predictions"], "--account", "small.json"]) == 2
    assert "is left" in capsys.readouterr().err
    assert files(place) == before


def test_answers_with_discrete_gaussian_noise_pay_its_rho(place: Path) -> None:
    asked = ["synth", *TABLE, "--degree", "1", *DELTA, "--mechanism", "gaussian", *MODE, "--anyway"]
    assert main([*asked, "--synthetic", "x.csv", *BOOKED]) == 0
    rho = RHO["marginals"]()
    assert rho * (1 - Fraction(1, 10**9)) <= account().ledger.spent <= rho


def test_the_report_says_what_was_booked(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMANDS["synth"], *BOOKED]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Recorded rho = 0.125000 spent (answers: 0.500000-differential privacy for replace-one)" in said
    assert "Left rho = 0.375000 of 0.5; the total is epsilon = " in said


def test_a_private_measure_is_booked_with_its_answers(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it or nothing: a release that could pay for the measure alone does not begin."""
    asked = ["synth", *TABLE, "--degree", "1", *PURE, *MODE, "--anyway", "--measure", "histogram", "--m", "50"]
    sb.open_account("small.json", name="people", adjacency="replace-one", epsilon="0.4")
    with monkeypatch.context() as patched:
        no_noise(patched)
        assert main([*asked, "--synthetic", "x.csv", "--account", "small.json"]) == 2
    assert not read_account("small.json").ledger.entries
    assert main([*asked, "--synthetic", "x.csv", *BOOKED]) == 0
    ledger = account().ledger
    assert [entry.what.partition(":")[0] for entry in ledger.entries] == ["reference measure", "answers"]
    shares = [sb.privacy.DP(epsilon=Fraction(1, 4), delta=0, adjacency="replace-one")] * 2  # type: ignore[arg-type]
    assert ledger.spent <= sum(account().amount_of(share) for share in shares)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_account_that_has_too_little_stops_the_release(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sb.open_account("small.json", name="people", adjacency="replace-one", rho="1/1000", dp_delta="1e-6")
    before = files(place)
    no_noise(monkeypatch)
    assert main([*COMMANDS[command], "--account", "small.json"]) == 2
    told = capsys.readouterr().err
    assert told.startswith('synthbounds: error: account "people": rho = ')
    assert "only 0.001 of 0.001 is left" in told
    assert told.count("\n") == 1
    assert files(place) == before  # nor is what pays for a query marked as spent


BAD = {"none.json": 3, "schema.json": 3, "table.csv": 3, "torn.json": 3, "pure.json": 2, "hidden.json": 2}


@pytest.mark.parametrize(
    ("command", "name"), [*(("marginals", name) for name in BAD), *((command, "torn.json") for command in COMMANDS)]
)
def test_an_account_that_cannot_pay_costs_nothing(
    command: str, name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "torn.json").write_text((place / "people.json").read_text()[:-30])
    sb.open_account("pure.json", name="people", adjacency="replace-one", epsilon=1)
    sb.open_account("hidden.json", name="people", adjacency="add-remove", rho=1, dp_delta="1e-6")
    before = files(place)
    no_noise(monkeypatch)
    assert main([*COMMANDS[command], "--account", name]) == BAD[name]
    assert capsys.readouterr().err.count("\n") == 1
    assert files(place) == before


def test_the_same_line_whatever_the_table_holds(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sb.open_account("small.json", name="people", adjacency="replace-one", rho="1/1000", dp_delta="1e-6")
    told = []
    for seed in (0, 1):
        write_table(place / "table.csv", table(600, seed))
        assert main([*COMMANDS["marginals"], "--account", "small.json"]) == 2
        told.append(capsys.readouterr())
    assert told[0] == told[1]


@pytest.mark.parametrize("command", ["moments", "synth"])
def test_a_simulation_books_nothing(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (place / "people.json").read_bytes()
    asked = [word if word != "release" or i == 0 else "simulate" for i, word in enumerate(COMMANDS[command])]
    assert main([*asked, *BOOKED, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["account"]["booked"] == []
    assert (place / "people.json").read_bytes() == before


def test_from_python(place: Path) -> None:
    codes = RecordsSource(table(600), SCHEMA.domain)
    asked: dict[str, Any] = {"mode": "release", "epsilon": "0.1", "account": "people.json"}
    sb.release_marginals(codes, SCHEMA, adjacency="replace-one", **asked)
    sb.release_marginals(codes, SCHEMA, adjacency="add-remove", least_size=500, **asked)
    first, second = account().ledger.entries
    assert second.amount == 4 * first.amount == Fraction("0.02")
    assert "counted 4 times for replace-one" in second.what
    with pytest.raises(sb.SynthboundsError, match="account"):
        sb.release_marginals(codes, SCHEMA, adjacency="replace-one", **{**asked, "epsilon": 3})


# queries that a release has planned


def test_a_release_and_its_queries_cost_its_budget_once(place: Path) -> None:
    codes = RecordsSource(table(600), SCHEMA.domain)
    asked: dict[str, Any] = {"label": "pays", "adjacency": "replace-one", "epsilon": 1, "dp_delta": "1e-6"}
    release = sb.release_moments(codes, SCHEMA, mode="release", reserve="1/4", account="people.json", **asked)
    total, close = release.mu_squared / 2, 1 + Fraction(1, 10**12)
    ledger = account().ledger
    assert total <= ledger.spent + ledger.reserved <= total * close
    # what is read later finds the reservation, open or spent
    assert parse_release(release.to_text()).kept_as == release.kept_as == release.with_reservation_spent().kept_as
    zero = [Fraction(0)] * release.feature_map.size
    with spending(account="people.json"):
        first = ask_gradient(codes, release, zero, part=Fraction(1, 3), book=lambda _: None)
    with spending(account="people.json"):
        ask_gradient(codes, first.release, zero, previous=first.query, book=lambda _: None)
    after = account().ledger
    assert (after.reserved, after.left) == (0, ledger.left)
    assert total <= after.spent <= total * close
    with spending(account="people.json"):  # a copy, in which the reservation is still open, is paid for again
        ask_gradient(codes, release, zero, book=lambda _: None)
    assert after.left - account().ledger.left >= release.mu_squared_reserved / 2


def test_of_two_queries_with_one_reservation_the_loser_is_not_charged(place: Path) -> None:
    """The account is written after what pays was marked: whoever cannot mark it leaves no entry."""
    codes = RecordsSource(table(600), SCHEMA.domain)
    release = read_release("release.json")

    def lost(_: object) -> None:
        raise OutputError("release: has been changed since it was read")

    with pytest.raises(OutputError, match="has been changed"), spending(account="people.json"):
        ask_gradient(codes, release, [Fraction(0)] * release.feature_map.size, book=lost)
    assert not account().ledger.entries


# after the booking


@pytest.mark.parametrize("command", COMMANDS)
def test_what_fails_after_the_booking_stays_booked(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(measure_module, "draw", interrupted)
    assert main([*COMMANDS[command], *BOOKED]) == 130
    told = capsys.readouterr().err
    assert SPENT in told
    assert told.count("recorded in the account people.json") == 1
    assert account().ledger.spent > 0


@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError])
def test_an_interruption_while_booking_says_that_it_may_be_booked(
    failure: Callable[[], BaseException],
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from release.files import outputs

    real = outputs._force_to_disk

    def interrupted(folder: Path) -> None:
        real(folder)
        if account().ledger.entries:
            raise failure()

    monkeypatch.setattr(outputs, "_force_to_disk", interrupted)
    assert main([*COMMANDS["marginals"], *BOOKED]) in (7, 130)
    assert "perhaps recorded in the account people.json" in capsys.readouterr().err


KILLED = """
import os, signal, sys
from release import measure
from synthbounds.cli import main

measure.draw = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
main(sys.argv[1:])
"""


def test_killed_between_booking_and_noise(place: Path) -> None:
    command = [sys.executable, "-c", KILLED, *COMMANDS["marginals"], *BOOKED]
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, capture_output=True, cwd=place, env=surroundings, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert account().ledger.spent > 0
    assert not (place / "x.json").exists()
    assert "its account shows" in json.loads((place / f"x.json{SUFFIX}").read_text())["note"]
