"""A command that is told to end does so while native code runs, which Python does not see, and says what is spent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from release.files.watched import SIZE, Page, tell_begun, tell_gone, tell_spent, watch_by
from release.spending import SPENT, SUFFIX
from synthbounds.cli import main
from synthbounds.cli import supervised as module
from tests.paths import ROOT
from tests.synthbounds.test_after_the_noise import COMMANDS, TARGETS, made, place

__all__ = ["made", "place"]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no child processes here")
BEGIN = """
import ctypes, os, signal, sys
from pathlib import Path
def native():  # holds the interpreter, as linear algebra of SciPy does
    signal.signal(signal.SIGTERM, lambda *_: None)  # nothing in Python is reached any more
    print("native", flush=True)
    lock, library = ctypes.create_string_buffer(256), ctypes.PyDLL(None)
    library.pthread_mutex_lock(lock)
    library.pthread_mutex_lock(lock)  # which nobody gives back
"""
ACTION = (
    BEGIN
    + """
from synthbounds.cli.supervised import supervised
def action():
    {}
sys.exit(supervised(lambda: action(), ["synth"]))
"""
)
COMMAND = (
    BEGIN
    + """
from release import measure, spending
{}
from synthbounds.cli.supervised import supervised
from synthbounds.cli import main
sys.exit(supervised(lambda: main(sys.argv[1:]), sys.argv[1:]))
"""
)


def started(code: str, *arguments: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != "SYNTHBOUNDS_DEBUG"}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_hears_all,
    )


def _hears_all() -> None:
    """Under nohup a process is born deaf to SIGHUP, which is then not told to anybody, as it should be."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def told(run: subprocess.Popen[str], *signals: int) -> tuple[int, str]:
    """How it ends, and what it says, once it is in native code and gets these."""
    assert run.stdout is not None
    while (line := run.stdout.readline()) and line != "native\n":
        pass
    for number in signals:
        run.send_signal(number)
    said = run.communicate()[1]
    return run.returncode, said


@pytest.mark.parametrize("signals", [(15,), (2,), (1,), (15, 15), (2, 2, 15)])
def test_native_code_ends(signals: tuple[int, ...]) -> None:
    assert told(started(ACTION.format("native()")), *signals) == (130, "synthbounds: error: interrupted\n")


@pytest.mark.parametrize(
    ("action", "ended"),
    [
        ("return 4", (4, "")),
        ("return 0", (0, "")),
        ("os._exit(1)", (7, "synthbounds: error: a library ended the process: memory ran out\n")),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            (7, "synthbounds: error: the system ended the process, perhaps for want of memory\n"),
        ),
        ("os.abort()", (7, "synthbounds: error: a library ended the process, perhaps for want of memory\n")),
        ("import atexit; atexit.register(os.abort); return 4", (4, "")),
        (
            "os.kill(os.getpid(), signal.SIGSEGV)",
            (70, "synthbounds: error: a bug of ours: the process ended by signal 11\n"),
        ),
    ],
)
def test_every_end_has_its_code(action: str, ended: tuple[int, str]) -> None:
    assert told(started(ACTION.format(action))) == ended


def test_nobody_is_left_when_the_watcher_is_killed() -> None:
    if sys.platform != "linux":
        pytest.skip("the system does not tell children here")
    run = started(ACTION.format("native()"))
    assert told(run, signal.SIGKILL)[0] == -9  # and both pipes were closed: nobody holds them any more


def test_a_python_handler_still_ends_what_it_can() -> None:
    action = """
    from synthbounds.cli.run import guarded
    def wait():
        print("native", flush=True)
        while True: signal.pause()
    return guarded(wait)"""
    assert told(started(ACTION.format(action)), signal.SIGTERM) == (130, "synthbounds: error: interrupted\n")


@pytest.mark.share(3)
@pytest.mark.parametrize("command", ["moments", "synth", "confirm"])
def test_after_the_noise_it_is_said(command: str, place: Path) -> None:
    patched = """
real = measure.noise_is_drawn
def drawn(*details):
    real(*details)
    native()
measure.noise_is_drawn = drawn"""
    code, said = told(started(COMMAND.format(patched), *COMMANDS[command]), signal.SIGTERM)
    assert code == 130
    assert said.startswith(f"synthbounds: error: interrupted ({SPENT}; the noisy numbers are kept in x.")
    assert said.count("\n") == 1
    (kept,) = place.glob(f"*{SUFFIX}")
    assert json.loads(kept.read_text())["measurements"]
    assert not list(place.glob(".synthbounds*"))


@pytest.mark.share(3)
@pytest.mark.parametrize("command", ["moments", "synth", "confirm"])
def test_what_the_system_ended_is_recovered(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened = ["account", "open", "people.json", "--name", "p", "--adjacency", "replace-one", "--epsilon", "9"]
    unit = [] if command == "synth" else ["--dp-delta", "1e-6"]
    assert main([*opened, *unit]) == 0
    asked = [word for word in COMMANDS[command] if not (unit == [] and word in ("--dp-delta", "1e-6"))]
    patched = """
real = measure.noise_is_drawn
def drawn(*details):
    real(*details)
    os.kill(os.getpid(), signal.SIGKILL)
measure.noise_is_drawn = drawn"""
    code, said = told(started(COMMAND.format(patched), *asked, "--account", "people.json"))
    assert code == 7
    assert f"perhaps for want of memory ({SPENT}; the noisy numbers are kept in x." in said
    assert "recorded in the account people.json" in said
    booked = (place / "people.json").read_bytes()
    (kept,) = place.glob(f"*{SUFFIX}")
    assert main(["recover", kept.name]) == 0, capsys.readouterr().err
    assert (place / TARGETS[command]).stat().st_size > 0
    assert (place / "people.json").read_bytes() == booked


@pytest.mark.share(3)
@pytest.mark.parametrize("command", ["moments", "confirm"])
def test_before_the_noise_nothing_is_left(command: str, place: Path) -> None:
    before = {path.name for path in place.iterdir()}
    patched = """
real = spending.reserve_recovery_file
def reserved():
    real()
    from release.files.placing import hidden_beside
    hidden_beside(Path("x.json").resolve())
    native()
measure.reserve_recovery_file = reserved"""
    code, said = told(started(COMMAND.format(patched), *COMMANDS[command]), signal.SIGINT)
    assert (code, said) == (130, "synthbounds: error: interrupted\n")
    assert {path.name for path in place.iterdir()} == before


def test_what_nobody_removed_is_removed_by_the_watcher(place: Path) -> None:
    before = {path.name for path in place.iterdir()}
    action = """
    from release.files import placing
    try:
        placing.os.open = lambda *_: real(*_) and interrupted()
        placing.hidden_beside(Path("x.json").resolve())
    except KeyboardInterrupt:
        return 130
def interrupted():
    raise KeyboardInterrupt
real = os.open"""
    assert told(started(ACTION.format(action))) == (130, "")
    assert {path.name for path in place.iterdir()} == before


def test_light_commands_and_debuggers_have_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("there is a child"))
    assert module.supervised(lambda: 5, ["list"]) == module.supervised(lambda: 5, []) == 5
    monkeypatch.setenv("SYNTHBOUNDS_DEBUG", "1")
    assert module.supervised(lambda: 5, ["synth"]) == 5


def test_the_page_holds_what_was_told_last() -> None:
    page = Page()
    try:
        watch_by(page)
        assert page.read() == ("", [])
        tell_spent("spent")
        tell_begun("é")
        tell_begun("b")
        tell_gone("é")
        assert page.read() == ("spent", ["b"])
        tell_spent("x" * SIZE)  # too long: what was there stays
        assert page.read() == ("spent", ["b"])
    finally:
        watch_by(None)
