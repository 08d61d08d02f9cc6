"""A command that is told to end: never between a draw and its recovery file, and immediately before it has begun."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from release import perturb as perturb_module
from release.signals import SIGNALS
from release.spending import SPENT, SUFFIX
from synthbounds.api.recovering import recover
from synthbounds.cli import list_command, main
from tests.paths import ROOT
from tests.synthbounds.test_after_the_noise import COMMANDS, TARGETS, made, place
from tests.synthbounds.test_recover_cli import MORE

__all__ = ["made", "place"]
DRAWN = {
    **{command: (COMMANDS[command], "measure.draw") for command in ("moments", "confirm", "synth", "table")},
    "mst": (MORE["mst"], "choose.draw_exponential"),
    "noise": (MORE["objpert"], "perturb.draw_gaussians"),
}


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def signalled(real: Callable[..., Any], number: int, times: list[int]) -> Callable[..., Any]:
    """The call, and a signal in the midst of it."""

    def call(*details: Any, **more: Any) -> Any:
        times.append(number)
        signal.raise_signal(number)
        return real(*details, **more)

    return call


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", DRAWN)
def test_a_signal_while_noise_is_drawn_waits_until_it_is_kept(
    command: str, number: int, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, draws = DRAWN[command]
    module, name = draws.split(".")
    times: list[int] = []
    real = getattr(__import__(f"release.{module}", fromlist=[name]), name)
    with monkeypatch.context() as patch:
        patch.setattr(f"release.{draws}", signalled(real, number, times))
        assert main(arguments) == 130
    said = capsys.readouterr().err
    assert times == [number]  # and no second draw began
    target = TARGETS.get(command, "x.json" if command == "noise" else "x.csv")
    assert f"interrupted ({SPENT}; the noisy numbers are kept in {target}{SUFFIX}" in said
    kept = recover(target + SUFFIX)
    assert kept.measurements
    assert not kept.drawing
    on = ["--table", "table.csv"] if command == "table" else []  # of whose two draws only the first is there
    assert main(["recover", target + SUFFIX, *on]) == 0, capsys.readouterr().err
    assert (place / target).exists()


def test_an_answer_that_noise_has_moved_is_kept_before_anybody_is_interrupted(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    order: list[str] = []
    real = perturb_module.noise_is_drawn

    def kept(*details: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        real(*details)
        order.append("kept")

    monkeypatch.setattr(perturb_module, "noise_is_drawn", kept)
    assert main(MORE["objpert"]) == 130
    assert order == ["kept"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_that_a_library_swallows_is_no_bug(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(_: object) -> None:
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise ImportError("cannot initialise module strings") from None

    monkeypatch.setattr(list_command, "run", run)
    signal.signal(number, signal.SIG_DFL)
    assert main(["list"]) == 130
    assert capsys.readouterr().err == "synthbounds: error: interrupted\n"
    monkeypatch.setattr(list_command, "run", lambda _: (_ for _ in ()).throw(ImportError("lost")))
    assert main(["list"]) == 70  # the next command is another


START = """
import os, signal, sys
import synthbounds.cli
wanted, number = sys.argv[1], int(sys.argv[2])
class Loads:
    def find_spec(self, name, *_):
        if name == wanted:
            try:
                os.kill(os.getpid(), number)
                for _ in range(1000): pass
            except KeyboardInterrupt:
                raise ImportError("cannot initialise module strings")
sys.meta_path.insert(0, Loads())
del sys.argv[1:3]
sys.exit(synthbounds.cli.main())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no child processes here")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("loads", "command"),
    [
        ("synthbounds.cli.run", "list"),
        ("synthbounds.cli.supervised", "synth"),
        ("synthbounds.cli.list_command", "list"),
        ("synthbounds.cli.synth_command", "synth"),
    ],
)
def test_before_a_command_begins_it_ends_at_once(loads: str, command: str, number: int, place: Path) -> None:
    before = {path.name for path in place.iterdir()}
    if loads == "synthbounds.cli.synth_command":
        number = signal.SIGTERM  # which is what the process that watches sends
    arguments = COMMANDS["synth"] if command == "synth" else [command]
    done = subprocess.run(
        [sys.executable, "-c", START, loads, str(int(number)), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "synthbounds: error: interrupted\n")
    assert {path.name for path in place.iterdir()} == before
