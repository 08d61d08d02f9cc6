"""confirm --ask excess and release floors on the command line: files, reports, the answer read again, refusals."""

from __future__ import annotations

import json
import os
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from release.floors.read import read_floors
from release.moments.read import read_release
from release.scores.read import read_scores
from synthbounds.cli import main
from tests.moment_examples import SCHEMA, table
from tests.synthbounds.folders import copied, quietly_in
from tests.synthbounds.test_confirm_cli import REAL, flat, state, write_table

BUDGET = ["--epsilon", "2", "--dp-delta", "1e-6", "--reserve", "1/2"]
TABLE = ["table.csv", "--schema", "schema.json", "--label", "pays", *BUDGET]
EXCESS = ["confirm", "table.csv", "release.json", "model.json", "--ask", "excess", "--anyway"]
TO_FILE = [*EXCESS, "--output", "query.json"]
CERTIFY = ["certify", "release.json", "model.json", "--query", "query.json"]
SIMULATED = ["--mode", "simulate", "--seed", "3"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with releases of one table and models; every test works on a copy."""
    folder = tmp_path_factory.mktemp("excess")
    write_table(folder / "table.csv", table(1500))
    (folder / "schema.json").write_text(SCHEMA.to_text())
    with quietly_in(folder):
        assert main(["release", "moments", *TABLE, *REAL, "--output", "real.json"]) == 0
        assert main(["release", "moments", *TABLE, *SIMULATED, "--output", "simulated.json"]) == 0
        assert main(["release", "floors", *TABLE, *REAL, "--tau", "1", "3", "--output", "floors.json"]) == 0
        for name, more in {"model": (), "free": ("--intercept", "free")}.items():
            train = ["train", "simulated.json", "--tau", "2", "--points", "1000", *more]
            assert main([*train, "--output", f"{name}.json"]) == 0
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return copied(made, tmp_path, monkeypatch)


def said(capsys: pytest.CaptureFixture[str], command: list[str], code: int = 0) -> Any:
    capsys.readouterr()
    assert main([*command, "--format", "json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("place")
def test_the_answer_is_written_and_read_again(capsys: pytest.CaptureFixture[str]) -> None:
    report = said(capsys, TO_FILE)
    release = read_release("release.json")
    assert release.reservation_state == "spent"
    answer = read_scores("query.json", release)
    assert answer.about["beta"] == "1/20"
    assert answer.mu_squared == release.mu_squared_reserved
    again = said(capsys, CERTIFY)
    for name in ("excess_upper", "risk_upper", "floor_lower", "constant_risk_lower", "verdict", "class", "statement"):
        assert report[name] == again[name]
    assert Fraction(report["excess_upper"]) > 0
    assert (report["ask"], report["replaced"]) == ("excess", "release.json")
    assert main(CERTIFY) == 0
    shown = flat(capsys.readouterr().out)
    assert shown.startswith("Certificate for a model, by its query With confidence 95 %, no linear model of norm")
    assert "nine tenths for the excess" in shown


@pytest.mark.usefixtures("place")
def test_floors_pay_for_a_query(capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("floors.json", "release.json")
    before = read_floors("release.json")
    report = said(capsys, ["confirm", "table.csv", "release.json", "free.json", "--largest-intercept", "4",
                           "--output", "query.json"])  # fmt: skip
    assert report["class"]["largest_intercept"] == "4"
    assert report["class"]["any_intercept"] is False
    assert "with an intercept of at most 4 in size" in report["statement"]
    assert read_floors("release.json") == before.with_reservation_spent()
    again = ["certify", "release.json", "free.json", "--query", "query.json"]
    assert said(capsys, again)["by_query"] is True
    assert main(again) == 0
    assert "any intercept" not in flat(capsys.readouterr().out)


def test_a_question_that_is_known_to_say_nothing_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With floors, too, nothing is spent on a bound that holds without data; and a vacuous one is warned of."""
    shutil.copy("floors.json", "release.json")
    before = state(place)
    wide = ["confirm", "table.csv", "release.json", "model.json", "--tau", "900", "--output", "query.json"]
    assert main(wide) == 4
    assert "0.6931 holds without any data; nothing was spent" in capsys.readouterr().err
    assert state(place) == before
    body = json.loads(Path("model.json").read_text())
    body["coefficients"] = [str(-4 * Fraction(value)) for value in body["coefficients"]]
    Path("worse.json").write_text(json.dumps(body | {"tau": "9", "norm": "8"}))
    assert main([*wide[:3], "worse.json", *wide[4:], "--anyway"]) == 0
    told = capsys.readouterr()
    assert "vacuous certificate: the bound says no more" in told.err
    assert "vacuous" in told.out


@pytest.mark.usefixtures("place")
def test_floors_that_refute_their_own_size_are_written_and_certify_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["release", "floors", *TABLE, *SIMULATED, "--tau", "1", "--adjacency", "add-remove"]
    command += ["--least-size", "90000", "--output"]
    assert main([*command, "a.json"]) == 0
    told = capsys.readouterr()
    assert "nothing is certified: least_size = 90000: the noisy counts say" in told.err
    assert "Nothing is certified" in told.out
    assert "Certified" not in told.out
    assert read_floors("a.json").stated_size == 90_000
    report = said(capsys, [*command, "b.json"])
    assert report["contradiction"].startswith("least_size = 90000")
    assert (report["floors"][0]["least_loss"], report["constant_risk_lower"]) == (None, None)


@pytest.mark.usefixtures("place")
def test_models_to_compare_with(capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("simulated.json", "release.json")
    report = said(capsys, [*EXCESS, "--against", "free.json"])
    assert (report["against"], report["class"]) == (1, None)
    assert "the other model does not have a mean logistic loss" in report["statement"]


def test_a_simulation_is_only_looked_at_without_an_output(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("simulated.json", "release.json")
    before = state(place)
    for ask in ("excess", "gradient", "auto"):
        report = said(capsys, [*EXCESS[:-2], ask, "--anyway"])
        assert (report["replaced"], report["query"]["file"]) == (None, None)
    assert state(place) == before
    assert main([*EXCESS, "--output", "query.json"]) == 0
    assert read_release("release.json").reservation_state == "spent"


REFUSED = {
    "output is missing": (EXCESS, 2),
    "reservation: is spent": ([*EXCESS, "--output", "again.json"], 2),
    "ask = risk": ([*TO_FILE[:5], "risk", "--output", "x.json"], 2),
    "intercept = free": (["confirm", "table.csv", "release.json", "free.json", "--ask", "gradient",
                          "--output", "x.json"], 4),
    "ridge = 1e-12: must be larger": ([*TO_FILE, "--ridge", "1e-12"], 2),
    "against and a class": ([*TO_FILE, "--against", "free.json", "--tau", "3"], 2),
    "query: was asked of another model": (["certify", "release.json", "free.json", "--query", "query.json"], 3),
    "tau = 3: was fixed before the answer, as 2": ([*CERTIFY, "--tau", "3"], 2),
    "beta = 0.1: was fixed before": ([*CERTIFY, "--beta", "0.1"], 2),
    "intercept = free: was fixed before the answer, as inside": ([*CERTIFY, "--intercept", "free"], 2),
    "another model or another loss": ([*CERTIFY, "--loss", "hinge"], 3),
    "digest: is not that of the content": ([*CERTIFY[:-1], "changed.json"], 3),
    "belongs to another release": ([CERTIFY[0], "simulated.json", *CERTIFY[2:]], 3),
    "floors certify a model by the answer": (["certify", "floors.json", "model.json"], 2),
    "tau is for floors": (["release", "moments", *TABLE, *REAL, "--tau", "3", "--output", "x.json"], 2),
    "weight is not for a release of floors": (
        ["release", "floors", *TABLE, *REAL, "--weight", "1", "--output", "x.json"], 2
    ),
    "tau = 5000: must be at least 0.000001 and at most 1000": (
        ["release", "floors", *TABLE, *REAL, "--tau", "5000", "--output", "x.json"], 2
    ),
    "tau = 0: must be": (["release", "floors", *TABLE, *REAL, "--tau", "0", "--output", "x.json"], 2),
}  # fmt: skip


def test_refusals_are_one_line_and_spend_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unspent = {
        "output is missing",
        "ask = risk",
        "intercept = free",
        "ridge = 1e-12: must be larger",
    }
    unspent.add("against and a class")
    for spent in (False, True):
        if spent:
            assert main(TO_FILE) == 0
            body = Path("query.json").read_text()
            Path("changed.json").write_text(body.replace('"excess"', '"excesses"'))
        before = state(place)
        for text, (command, code) in REFUSED.items():
            if (text in unspent) == spent:
                continue
            capsys.readouterr()
            assert main(command) == code, text
            told = capsys.readouterr()
            assert text in told.err
            assert told.err.count("\n") == 1
            assert told.out == ""
        assert state(place) == before
    assert not any(name.endswith(".recovery.json") for name in os.listdir(place))


def test_of_two_who_ask_one_draws(place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    """The release changes between reading and booking, as if another process had been faster."""
    from mechanisms.models.confirm import excess as module

    ask = module.ask_scores

    def slower(*arguments: Any, **more: Any) -> Any:
        monkeypatch.setattr(module, "ask_scores", ask)
        assert main([*EXCESS, "--output", "first.json"]) == 0
        return ask(*arguments, **more)

    monkeypatch.setattr(module, "ask_scores", slower)
    assert main([*EXCESS, "--output", "second.json"]) == 6
    assert "second.json" not in os.listdir(place)
    read_scores("first.json", read_release("release.json"))
    assert "changed" in capsys.readouterr().err
