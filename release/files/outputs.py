"""Files that appear whole or not at all, several of them together.

Every file is written under a hidden name in its own folder and forced to disk; only then are all of them renamed. A
failure before the last rename leaves every target unchanged. Only a process killed exactly between two renames leaves
the first file new and the second unchanged. Files are put in place in the order in which they were added, so a report
that is added last never stands next to a missing table.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from bounds.errors import OutputError
from release.files.placing import hidden_beside, keep_old, place_new, try_writing
from release.files.watched import tell_begun, tell_gone


@dataclass
class _Staged:
    name: str
    target: str
    path: Path
    hidden: str
    force: bool
    replaces: bytes | None = None
    backup: str | None = None
    placed: bool = False


@dataclass
class Outputs:
    """Use as `with Outputs(force=False) as outputs:`; leaving without an exception puts all files in their places.

    `name` in error messages is the option that named the file. Without `force` an existing file is an error, also if
    another process creates it meanwhile. A file that was read before is replaced in any case if `replaces` is given and
    it still has these bytes; it keeps its permissions.
    """

    force: bool = False
    _staged: list[_Staged] = field(default_factory=list)

    def __enter__(self) -> Outputs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._place_all()
        finally:
            self._clean_up()

    @contextlib.contextmanager
    def stream(self, target: str | Path, *, name: str = "output", replaces: bytes | None = None) -> Iterator[BinaryIO]:
        """A stream whose bytes become the file when all files are placed."""
        force = self.force or replaces is not None
        path = require_place(target, name=name, force=force)
        if any(path == staged.path for staged in self._staged):
            raise OutputError(f"{name} = {target}: is written twice; give another file")
        with _explained(name, str(target)):
            handle, hidden = hidden_beside(path)
            staged = _Staged(name, str(target), path, hidden, force, replaces)
            self._staged.append(staged)
            with os.fdopen(handle, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if replaces is None:
                mask = os.umask(0)
                os.umask(mask)
                os.chmod(hidden, 0o666 & ~mask)
            else:
                os.chmod(hidden, stat.S_IMODE(os.stat(path).st_mode))
            _require_unchanged(staged)

    def add(self, target: str | Path, data: bytes, *, name: str = "output", replaces: bytes | None = None) -> None:
        """A file with these bytes."""
        with self.stream(target, name=name, replaces=replaces) as stream:
            stream.write(data)

    def _place_all(self) -> None:
        watched = {staged.path.parent for staged in self._staged if staged.replaces is not None}
        with _locked(watched):
            self._place_in_order()
        for folder in {staged.path.parent for staged in self._staged}:
            _force_to_disk(folder)

    def _place_in_order(self) -> None:
        try:
            for staged in self._staged:
                with _explained(staged.name, staged.target):
                    self._place(staged)
        except BaseException:
            if not all(staged.placed for staged in self._staged):
                for staged in self._staged:
                    self._take_back(staged)
            raise

    def _place(self, staged: _Staged) -> None:
        _require_unchanged(staged)
        if not staged.force:
            place_new(staged.hidden, staged.path)  # fails if there is a file, even if it appeared meanwhile
            staged.placed = True
            return
        if staged.path.exists() and len(self._staged) > 1:  # a single file needs no way back
            staged.backup = f"{staged.hidden}.old"
            tell_begun(staged.backup)
            keep_old(staged.path, staged.backup)
        os.replace(staged.hidden, staged.path)
        staged.placed = True

    def _take_back(self, staged: _Staged) -> None:
        with contextlib.suppress(OSError):
            if staged.backup is not None and staged.placed:
                os.replace(staged.backup, staged.path)
            elif staged.placed:
                staged.path.unlink()

    def _clean_up(self) -> None:
        for staged in self._staged:
            for leftover in (staged.hidden, staged.backup):
                if leftover is not None:
                    with contextlib.suppress(OSError):
                        os.unlink(leftover)
                    tell_gone(leftover)
        self._staged.clear()


def require_place(target: str | Path, *, name: str, force: bool) -> Path:
    """Where the file goes; a link is followed, not replaced. Call it early: it refuses files that cannot be written."""
    text = str(target)
    if not text or text.endswith(("/", os.sep)):
        raise OutputError(f"{name} = {text!r}: give the name of a file")
    try:
        path = Path(text).resolve()
        if len(os.fsencode(path.name)) > 255:
            raise OutputError(f"{name} = {text[:60]}...: the name is too long")
        if path.is_dir():
            raise OutputError(f"{name} = {text}: is a folder")
        if path.exists() and not path.is_file():
            raise OutputError(f"{name} = {text}: is not a regular file")
        if path.exists() and not force:
            raise OutputError(f"{name} = {text}: exists; give --force to replace it")
        if not path.parent.is_dir():
            raise OutputError(f"{name} = {text}: the folder {path.parent} does not exist")
        if not os.access(path.parent, os.W_OK):
            raise OutputError(f"{name} = {text}: the folder {path.parent} cannot be written to")
    except (OSError, RuntimeError, ValueError) as error:
        raise OutputError(f"{name} = {text[:60]!r}: is not a usable name ({error})") from None
    return path


def require_writing(target: str | Path, *, name: str) -> Path:
    """The place of a file, once every step of writing it has been tried next to it: before anything is spent."""
    path = require_place(target, name=name, force=True)
    with _explained(name, str(target)):
        try_writing(path)
    return path


def _require_unchanged(staged: _Staged) -> None:
    if staged.replaces is not None and staged.path.read_bytes() != staged.replaces:
        raise OutputError(f"{staged.name} = {staged.target}: has been changed since it was read")


@contextlib.contextmanager
def _explained(name: str, target: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise OutputError(f"{name} = {target}: exists; give --force to replace it") from None
    except OSError as error:
        raise OutputError(f"{name} = {target}: cannot be written ({error.strerror or error})") from None


@contextlib.contextmanager
def _locked(folders: set[Path]) -> Iterator[None]:
    """No other process replaces a file between our check and our replacing it; without locks, this is not certain."""
    with contextlib.ExitStack() as held:
        for folder in sorted(folders):  # in one order, so that two processes do not wait for each other
            with contextlib.suppress(ImportError, OSError):
                import fcntl

                handle = os.open(folder, os.O_RDONLY)
                held.callback(os.close, handle)
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _force_to_disk(folder: Path) -> None:
    """The new names, too, survive a power cut; if folders cannot be synced, this is left to the system."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
