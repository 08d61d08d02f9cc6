"""Missing memory is noticed before the noise: one line, exit 7, and nothing is spent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import OutOfMemory
from release import measure as measure_module
from release import memory
from release.memory import AFTERWARDS, START, require_memory
from release.moments.read import read_release
from release.spending import SPENT, SUFFIX
from synthbounds.cli import main
from tests.paths import ROOT
from tests.synthbounds.test_after_the_noise import BUDGET, COMMANDS, LABEL, MODE, TABLE, TARGETS, made, place

__all__ = ["made", "place"]
ALL = COMMANDS | {
    "log": ["synth", *TABLE, *BUDGET, *MODE, "--method", "mst", "--synthetic", "x.csv"],
    "regress": ["regress", *TABLE, *LABEL, *BUDGET, *MODE, "--method", "adassp", "--output", "x.json"],
}


def without(monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    """No so large a part of memory can be had."""
    real = memory.mmap.mmap

    def mapped(handle: int, size: int) -> Any:
        if size >= least:
            raise OSError(12, "Cannot allocate memory")
        return real(handle, size)

    monkeypatch.setattr(memory.mmap, "mmap", mapped)


@pytest.mark.parametrize("least", [START, AFTERWARDS])
@pytest.mark.parametrize("command", ALL)
def test_nothing_is_spent_where_memory_is_not_there(
    command: str, least: int, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without(monkeypatch, least)
    if least == AFTERWARDS:
        monkeypatch.setattr("release.memory.START", 1)
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))
    before = {path.name for path in place.iterdir()}
    assert main(ALL[command]) == 7
    said = capsys.readouterr().err
    assert said.startswith("synthbounds: error: memory")
    assert said.endswith("; nothing was spent\n")
    assert said.count("\n") == 1
    assert {path.name for path in place.iterdir()} == before
    assert read_release("release.json").reservation_state == "open"


def test_a_library_that_cannot_be_loaded_is_memory(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unmapped(*_: object, **__: object) -> None:
        raise ImportError("libx.so: failed to map segment from shared object")

    monkeypatch.setattr("release.data.tables._coded", unmapped)
    assert main(COMMANDS["moments"]) == 7
    assert capsys.readouterr().err == "synthbounds: error: memory ran out; nothing was spent\n"


def test_what_was_asked_for_is_said() -> None:
    require_memory(1, "nothing")
    with pytest.raises(OutOfMemory, match=r"a table needs about 1,0.* MB of address space"):
        require_memory(10**18, "a table")


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]) * 2**20,) * 2)
from pathlib import Path
from release import spending
real = spending.spending_begins
def begins():
    real()
    Path("drawn").touch()
spending.spending_begins = begins
from synthbounds.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="address space is not limited here")
@pytest.mark.parametrize("limit", [150, 300, 450, 600, 700, 800, 1000, 1200])
@pytest.mark.parametrize("command", ["moments", "synth", "table", "confirm"])
def test_a_limit_ends_in_one_line(command: str, limit: int, place: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *COMMANDS[command]],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    drawn = Path("drawn").exists()
    assert run.returncode in ((0, 7) if limit > 150 else (1, 7)), run.stderr
    if run.returncode == 7:
        assert run.stderr.count("\n") == 1
        assert (SPENT in run.stderr) == drawn
        assert Path(TARGETS[command] + SUFFIX).exists() == drawn
