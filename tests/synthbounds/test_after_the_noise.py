"""Whatever fails after the noise, every releasing command says "spent", and keeps what was paid for."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.errors import BudgetError, DataError, NotApplicable, NotCertified, OutputError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from release import measure as measure_module
from release.data.source import RecordsSource
from release.files.digest import digest_of
from release.files.strict_json import parse_json
from release.measure import measure
from release.moments.make import make_release
from release.moments.read import read_release
from release.noise.randomness import read_randomness
from release.spending import SPENT, SUFFIX, spending
from release.statistics.features import build_feature_map
from release.statistics.statistic import Counted
from synthbounds.cli import main
from tests.moment_examples import SCHEMA, table
from tests.paths import ROOT
from tests.synthbounds.test_confirm_cli import write_table

FEATURES = build_feature_map(SCHEMA, label="pays", one_hot=["town"])
PERSON = "cell-of-a-person"
FAILURES: dict[str, tuple[Callable[[], BaseException], int]] = {
    "memory": (lambda: MemoryError(PERSON), 7),
    "value": (lambda: ValueError(PERSON), 70),
    "key": (lambda: KeyError(PERSON), 70),
    "linear algebra": (lambda: np.linalg.LinAlgError(PERSON), 70),
    "arithmetic": (lambda: ZeroDivisionError(PERSON), 70),
    "recursion": (lambda: RecursionError(PERSON), 70),
    "assertion": (lambda: AssertionError(PERSON), 70),
    "unicode": (lambda: UnicodeDecodeError("utf-8", PERSON.encode(), 0, 1, PERSON), 70),
    "system": (lambda: OSError(errno.ENOSPC, "No space left on device", PERSON), 6),
    "interruption": (lambda: KeyboardInterrupt(), 130),
    "not certified": (lambda: NotCertified("gap = 1"), 5),
    "stopping": (lambda: StopIteration(PERSON), 70),
    "system exit": (lambda: SystemExit(3), 70),
}
MODE = ["--mode", "release", "--adjacency", "replace-one"]
BUDGET = ["--epsilon", "4", "--dp-delta", "1e-6"]
TABLE = ["table.csv", "--schema", "schema.json"]
LABEL = ["--label", "pays", "--one-hot", "town"]
COMPARED = ["table.csv", "table.csv", "--schema", "schema.json"]
COMMANDS = {
    "moments": ["release", "moments", *TABLE, *LABEL, *BUDGET, *MODE, "--output", "x.json"],
    "marginals": ["release", "marginals", *TABLE, *BUDGET, *MODE, "--output", "x.json"],
    "distance": ["release", "distance", *COMPARED, *LABEL, *BUDGET, *MODE, "--output", "x.json"],
    "accuracy": ["release", "accuracy", *COMPARED, "--workload", "pairs", *BUDGET, *MODE, "--output", "x.json"],
    "synth": ["synth", *TABLE, "--degree", "1", *BUDGET, *MODE, "--anyway", "--synthetic", "x.csv"],
    "table": ["synth", *TABLE, *BUDGET, *MODE, "--label", "pays", "--synthetic", "x.csv"],
    "confirm": ["confirm", "table.csv", "release.json", "model.json", "--anyway", "--output", "x.json"],
}
TARGETS = dict.fromkeys(COMMANDS, "x.json") | {"synth": "x.csv", "table": "x.csv"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, its schema, a release with a reservation, and a model."""
    folder = tmp_path_factory.mktemp("noise")
    write_table(folder / "table.csv", table(600))
    (folder / "schema.json").write_text(SCHEMA.to_text())
    asked: dict[str, Any] = {"epsilon": 4, "dp_delta": "1e-6", "adjacency": "replace-one", "reserve": "1/4"}
    release = make_release(table(600), FEATURES, mode="release", **asked)
    (folder / "release.json").write_text(release.to_text())
    options = ["train", str(folder / "release.json"), "--tau", "1", "--output", str(folder / "model.json")]
    assert main(options) == 0
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in made.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SYNTHBOUNDS_DEBUG", raising=False)
    monkeypatch.setattr("mechanisms.tilt.fit.COARSE", 200)
    monkeypatch.setattr("mechanisms.tilt.fit.FINE", 400)
    return tmp_path


def fail_after_noise(monkeypatch: pytest.MonkeyPatch, failure: Callable[[], BaseException]) -> None:
    """The first thing after the noise was drawn and kept fails."""
    real = measure_module.noise_is_drawn

    def drawn(*details: Any) -> None:
        real(*details)
        raise failure()

    monkeypatch.setattr(measure_module, "noise_is_drawn", drawn)


@pytest.mark.share(2)
@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_failure_says_spent_and_keeps_what_was_paid_for(
    command: str, kind: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failure, code = FAILURES[kind]
    fail_after_noise(monkeypatch, failure)
    assert main(COMMANDS[command]) == code
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert said.err.count(SPENT) == 1
    assert PERSON not in said.err + said.out
    kept = place / (TARGETS[command] + SUFFIX)
    assert f"kept in {kept.name}" in said.err
    assert not (place / TARGETS[command]).exists()
    body = json.loads(kept.read_text())
    assert body["digest"] == digest_of(body)
    assert all(isinstance(int(value), int) for value in body["measurements"][0]["values"])
    ledger = Ledger.from_json(body["ledger"])
    assert 0 < ledger.spent <= ledger.total
    if command == "confirm":
        assert read_release("release.json").reservation_state == "spent"


@pytest.mark.parametrize("command", COMMANDS)
def test_what_was_paid_for_is_not_overwritten_by_the_next_run(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = place / (TARGETS[command] + SUFFIX)
    kept.write_text("paid for")
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))
    assert main(COMMANDS[command]) == 6
    assert "what an earlier run paid for" in capsys.readouterr().err
    assert kept.read_text() == "paid for"
    assert read_release("release.json").reservation_state == "open"


@pytest.mark.parametrize("command", COMMANDS)
def test_what_fails_while_noise_is_drawn_says_spent(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(measure_module, "draw", interrupted)
    assert main(COMMANDS[command]) == 130
    assert SPENT in capsys.readouterr().err


def test_the_recovery_file_is_no_place_for_another(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for force in ([], ["--force"]):
        assert main([*COMMANDS["synth"], "--certificate", "x.csv" + SUFFIX, *force]) == 2
        assert "interrupted release is kept" in capsys.readouterr().err


def test_a_backup_that_fails_does_not_cost_the_release(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from release import spending as module

    real, written = module._write, []

    def full(path: Path, body: dict[str, Any], *, force: bool) -> None:
        if "measurements" in body:
            written.append(path)
            raise OutputError("recovery file: cannot be written")
        real(path, body, force=force)

    monkeypatch.setattr(module, "_write", full)
    monkeypatch.setattr(module, "keep_anyhow", lambda *_: False)
    assert main(COMMANDS["moments"]) == 0
    assert written
    assert read_release("x.json").mode == "release"


def test_a_reserved_file_goes_when_nothing_was_drawn(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise NotApplicable("not now")

    monkeypatch.setattr(measure_module, "spending_begins", fails)
    assert main(COMMANDS["moments"]) == 4
    assert not list(place.glob(f"*{SUFFIX}"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_release_that_is_in_its_place_leaves_nothing_beside_it(command: str, place: Path) -> None:
    before = {path.name for path in place.iterdir()}
    assert main(COMMANDS[command]) == 0
    more = {"x.release.json"} if command == "table" else set()
    assert {path.name for path in place.iterdir()} - before == {TARGETS[command], *more}


@pytest.mark.parametrize("command", COMMANDS)
def test_before_the_noise_an_unforeseen_failure_shows_its_type_and_says_nothing_of_spending(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(self: object) -> Any:
        raise ValueError(PERSON)
        yield

    monkeypatch.setattr("release.data.tables._coded", lambda *_, **__: fails(None))
    assert main(COMMANDS[command]) == 70
    said = capsys.readouterr()
    assert said.err == "synthbounds: error: a bug of ours: ValueError\n"
    assert not list(place.glob(f"*{SUFFIX}"))
    assert read_release("release.json").reservation_state == "open"


# --- nothing is spent that is not there --------------------------------------------------------------------------


def noise_of_moments() -> Any:
    plan = make_release(
        table(50), FEATURES, epsilon=1, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1
    )
    return plan.noise


def test_more_than_the_ledger_holds_is_refused_before_noise_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = noise_of_moments()
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))
    little = GaussianDP(mu_squared=noise.cost.mu_squared * (1 - Fraction(1, 10**30)), adjacency=Adjacency.REPLACE_ONE)
    counted = Counted(n=50, values=(0,) * noise.count)
    with pytest.raises(BudgetError, match="only"):
        measure(counted, noise, Ledger.of(little), what="x", randomness=read_randomness("simulate", seed=1))


def test_an_entry_that_cannot_be_booked_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = noise_of_moments()
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))

    def book(_: Ledger) -> None:
        raise OutputError("release = r.json: has been changed since it was read")

    counted = Counted(n=50, values=(0,) * noise.count)
    with pytest.raises(OutputError, match="changed"):
        measure(
            counted,
            noise,
            Ledger.of(noise.cost),
            what="x",
            randomness=read_randomness("simulate", seed=1),
            book=book,
        )


RACE = """
import sys, time
from pathlib import Path
from release import measure as module
real = module.draw
def draw(*details):
    Path(f"drawn-{sys.argv[1]}").touch()
    return real(*details)
module.draw = draw
from synthbounds.cli import main
while not Path("go").exists():
    time.sleep(0.001)
sys.exit(main(["confirm", "table.csv", "release.json", "model.json", "--anyway", "--output", f"q{sys.argv[1]}.json"]))
"""


@pytest.mark.slow
def test_of_processes_that_want_one_reservation_one_draws(place: Path) -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(i)], cwd=place, env={"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE
        )
        for i in range(3)
    ]
    (place / "go").touch()
    errors = [run.communicate()[1] for run in runs]
    codes = sorted(run.returncode for run in runs)
    assert codes[0] == 0, errors
    assert all(code in (2, 6) for code in codes[1:]), errors
    assert len(list(place.glob("drawn-*"))) == 1
    assert len(list(place.glob("q*.json"))) == 1
    assert read_release(place / "release.json").reservation_state == "spent"


# --- spending by itself ------------------------------------------------------------------------------------------


def test_failures_without_noise_are_what_they_were() -> None:
    for error in (DataError("x"), NotApplicable("y"), KeyboardInterrupt(), OSError(2, "no"), SystemExit(2)):
        with pytest.raises(type(error)) as caught, spending():
            raise error
        assert caught.value is error
    with pytest.raises(ValueError, match="shown"), spending(is_private=False):
        raise ValueError("shown")


def test_a_source_is_counted_once_it_has_been_read() -> None:
    source = RecordsSource(iter([table(3), table(4)]), SCHEMA.domain)
    with pytest.raises(DataError, match="not been read"):
        _ = source.n
    assert sum(len(batch) for batch in source.batches()) == source.n == 7


def test_recovery_files_are_read_like_every_other(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_after_noise(monkeypatch, lambda: MemoryError())
    assert main(COMMANDS["moments"]) == 7
    body = parse_json((place / ("x.json" + SUFFIX)).read_text(), "recovery file")
    assert isinstance(body, dict)
    assert body["synthbounds_recovery"] == "1"


@pytest.mark.parametrize("call", ["fsync", "link"])
def test_what_a_disk_does_not_promise_is_kept_all_the_same(
    call: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The disk goes bad after the noise, for the recovery file, too."""
    real = measure_module.draw

    def drawn(*details: Any) -> Any:
        monkeypatch.setattr(f"os.{call}", full)
        return real(*details)

    with monkeypatch.context() as patch:
        patch.setattr(measure_module, "draw", drawn)
        assert main(COMMANDS["moments"]) == 6
    monkeypatch.undo()
    assert "the noisy numbers are kept in x.json.recovery.json" in capsys.readouterr().err
    assert not list(place.glob(".synthbounds*"))
    monkeypatch.chdir(place)
    assert main(["recover", f"x.json{SUFFIX}"]) == 0
    assert read_release("x.json").mode == "release"


# --- writing is tried before the noise ---------------------------------------------------------------------------


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("call", ["fsync", "link", "replace"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_cannot_be_written_costs_nothing(
    command: str, call: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "other").mkdir()
    before = {path.name for path in place.iterdir()}
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))
    monkeypatch.setattr(f"os.{call}", full)
    assert main(COMMANDS[command]) == 6
    assert SPENT not in (said := capsys.readouterr().err)
    assert "No space left" in said
    monkeypatch.undo()
    assert {path.name for path in place.iterdir()} == before
    assert read_release(place / "release.json").reservation_state == "open"


@pytest.mark.parametrize("command", COMMANDS)
def test_without_hard_links_a_release_takes_its_place(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("os.link", refused)
    assert main(COMMANDS[command]) == 0
    assert (place / TARGETS[command]).stat().st_size > 0
    assert not list(place.glob(f"*{SUFFIX}"))
