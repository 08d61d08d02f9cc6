"""Folders for tests of commands: made once for a module, without output, and copied for every test."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def quietly_in(folder: Path) -> Iterator[None]:
    """Commands run in that folder, and nothing is shown."""
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def copied(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder to work in, with the release `real.json` for the one that is used."""
    folder = tmp_path / "work"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    shutil.copy("real.json", "release.json")
    return folder
