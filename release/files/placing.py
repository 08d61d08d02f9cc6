"""Putting a finished file in its place: when none may be replaced, when one may, and keeping the old one.

A hard link is the safest way to a new name, since it fails if the file exists. Many file systems have none (FAT, exFAT,
some on networks and FUSE): there the kernel is asked to rename without replacing, and if it cannot, the name is claimed
by an empty file that nobody else can make. `try_writing` does all of this next to a target and leaves nothing: what a
file system refuses is known before anything is spent.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
from pathlib import Path
from secrets import token_hex

from release.files.watched import tell_begun, tell_gone

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EINVAL}
"""Error codes of systems without hard links, or with no more of them."""
_NOT_HERE = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}
_AT_CWD, _NO_REPLACE = -100, 1
"""For Linux: names are relative to the current folder; an existing file is not replaced."""
_RANDOM_BYTES = 16
PART = ".part"
"""How hidden names end."""


def hidden_beside(path: Path) -> tuple[int, str]:
    """An open file under a hidden name in the same folder."""
    name = str(path.parent / f".synthbounds-{token_hex(_RANDOM_BYTES)}{PART}")
    tell_begun(name)  # first: a watcher removes it, whenever this process ends
    return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), name


def place_new(hidden: str, path: Path) -> None:
    """Give the file its name, if no file has it; FileExistsError if one appeared meanwhile."""
    try:
        os.link(hidden, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if not _renamed(hidden, path):
            _claim(hidden, path)


def keep_old(path: Path, backup: str) -> None:
    """The file as it is, under another name as well."""
    try:
        os.link(path, backup)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        shutil.copy2(path, backup)


def try_writing(path: Path) -> None:
    """Write, place, replace and remove a file next to the target, as for the real one; raises whatever fails."""
    made: list[str] = []
    try:
        for _ in range(2):
            handle, hidden = hidden_beside(path)
            made.append(hidden)
            with os.fdopen(handle, "wb") as stream:
                stream.write(b"synthbounds tries whether files can be written here\n")
                stream.flush()
                os.fsync(stream.fileno())
        first, second = made
        made += [placed := f"{first}.new{PART}", backup := f"{first}.old{PART}"]
        for name in (placed, backup):
            tell_begun(name)
        place_new(first, Path(placed))
        keep_old(Path(placed), backup)
        os.replace(second, placed)
        os.unlink(placed)
    finally:
        for name in made:
            with contextlib.suppress(OSError):
                os.unlink(name)
            tell_gone(name)


def _renamed(hidden: str, path: Path) -> bool:
    """Rename without replacing, in one step of the kernel; False if that does not exist."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes  # a browser has none

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    if rename(_AT_CWD, os.fsencode(hidden), _AT_CWD, os.fsencode(path), _NO_REPLACE) == 0:
        return True
    found = ctypes.get_errno()
    if found in _NOT_HERE:
        return False
    raise OSError(found, os.strerror(found), str(path))


def _claim(hidden: str, path: Path) -> None:
    """Take the name by an empty file, and put the finished one in its place."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        os.replace(hidden, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
