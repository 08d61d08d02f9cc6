"""The folder of uploads and of all that is made from them: only for its owner, and gone when the server is.

A lock that the living server holds says that the folder is in use. If a server was killed, nobody holds it, and the
next server that starts removes the folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path

_PREFIX = "synthbounds-private-"
_LOCK = "lock"


class PrivateFolder:
    """Made and locked when it is opened, removed when it is closed."""

    def __init__(self) -> None:
        remove_abandoned()
        while True:  # a server that starts at the same moment may take an unlocked folder for an abandoned one
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))  # only for its owner
            held = _lock(self.path, make=True)
            if held is not None:
                self._held = held
                break
            remove(self.path)

    def close(self) -> None:
        remove(self.path)
        os.close(self._held)

    def __enter__(self) -> PrivateFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def folder(self, *names: str) -> Path:
        """A folder inside, made if it is missing."""
        found = self.path.joinpath(*names)
        found.mkdir(mode=0o700, parents=True, exist_ok=True)
        return found


def remove_abandoned() -> None:
    """Remove the folders of servers that were killed; those of other people and of living servers stay."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            found = path.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
                continue
            held = _lock(path, make=False)
            if held is not None:
                remove(path)
                os.close(held)


def remove(path: Path) -> None:
    """All of it, as far as it can be; a link is removed, not what it leads to."""
    shutil.rmtree(path, ignore_errors=True)


def _lock(folder: Path, *, make: bool) -> int | None:
    """The lock of the folder, which is held until it is closed; None if another has it, or the folder is going."""
    place = folder / _LOCK
    try:
        handle = os.open(place, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_CREAT, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if make and os.stat(place).st_ino != os.fstat(handle).st_ino:
            raise OSError
    except OSError:
        os.close(handle)
        return None
    return handle
