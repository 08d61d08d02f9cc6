"""Files reach their places even if a file system has no hard links, and what it refuses is detected early."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import OutputError
from release.files import placing
from release.files.outputs import Outputs, require_writing
from release.files.placing import keep_old, place_new, try_writing

REFUSALS = [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS]


def refuse_links(monkeypatch: pytest.MonkeyPatch, code: int, *, renames: bool) -> None:
    def refused(*_: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refused)
    if not renames:
        monkeypatch.setattr(placing, "_renamed", lambda *_: False)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("renames", [True, False])
@pytest.mark.parametrize("code", REFUSALS)
def test_files_take_their_places_without_links(
    code: int, renames: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_links(monkeypatch, code, renames=renames)
    for text, force in ((b"new", False), (b"newer", True)):
        with Outputs(force=force) as outputs:
            outputs.add(tmp_path / "a", text)
            outputs.add(tmp_path / "b", text)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == text
        assert names(tmp_path) == {"a", "b"}
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o666 & ~_mask()

    def too_late() -> None:
        with Outputs() as outputs:
            outputs.add(tmp_path / "c", b"mine")
            (tmp_path / "c").write_bytes(b"theirs")

    with pytest.raises(OutputError, match="exists; give --force"):
        too_late()
    assert (tmp_path / "c").read_bytes() == b"theirs"
    assert names(tmp_path) == {"a", "b", "c"}


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_the_old_file_comes_back_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"old")
    refuse_links(monkeypatch, errno.EPERM, renames=False)
    real = os.replace

    def failing(source: Any, target: Any) -> None:
        if Path(target).name == "b":
            raise OSError(errno.EIO, "Input/output error")
        real(source, target)

    monkeypatch.setattr(os, "replace", failing)

    def both() -> None:
        with Outputs(force=True) as outputs:
            outputs.add(tmp_path / "a", b"new")
            outputs.add(tmp_path / "b", b"new")

    with pytest.raises(OutputError, match="b: cannot be written"):
        both()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"old", "b": b"old"}


def test_a_claimed_name_is_given_back_when_the_file_does_not_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_links(monkeypatch, errno.EPERM, renames=False)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    (tmp_path / "hidden").write_bytes(b"x")
    with pytest.raises(OSError, match="No space"):
        place_new(str(tmp_path / "hidden"), tmp_path / "a")
    assert names(tmp_path) == {"hidden"}


def test_other_failures_of_links_are_failures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"x")
    refuse_links(monkeypatch, errno.EIO, renames=True)
    for place in (lambda: place_new(str(tmp_path / "a"), tmp_path / "b"), lambda: keep_old(tmp_path / "a", "b")):
        with pytest.raises(OSError, match="Input/output"):
            place()


@pytest.mark.parametrize("call", ["fsync", "link", "replace", "unlink"])
def test_what_a_file_system_refuses_is_known_early(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    try_writing(tmp_path / "a")
    assert names(tmp_path) == set()
    monkeypatch.setattr(os, call, full)
    with pytest.raises(OutputError, match=r"output = .*a: cannot be written \(No space left on device\)"):
        require_writing(tmp_path / "a", name="output")
