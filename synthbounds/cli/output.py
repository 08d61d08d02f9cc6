"""Where an answer goes: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from bounds.errors import OutputError, ParameterError
from synthbounds.cli.parser import FORMATS


def require_format(name: str) -> None:
    if name not in FORMATS:
        raise ParameterError("format", name, "one of " + ", ".join(FORMATS))


def wants_colour() -> bool:
    """Colour only for a person at a terminal who has not asked for none."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and "NO_COLOR" not in os.environ
        and os.environ.get("TERM") != "dumb"
    )


def check_target(target: str | None, *, force: bool, name: str = "output") -> None:
    """Refuse an existing or impossible target before anything is computed."""
    if target is None:
        return
    path = _place(target, name)
    if len(os.fsencode(path.name)) > 255:
        raise OutputError(f"{name} = {target[:60]}...: the name is too long")
    if path.is_dir():
        raise OutputError(f"{name} = {target}: is a folder")
    if path.exists() and not path.is_file():
        raise OutputError(f"{name} = {target}: is not a regular file")
    if path.exists() and not force:
        raise OutputError(f"{name} = {target}: exists; give --force to replace it")
    if not path.parent.is_dir():
        raise OutputError(f"{name} = {target}: the folder {path.parent} does not exist")


def _place(target: str, name: str = "output") -> Path:
    """Where the file really is: a link is followed, not replaced."""
    if not target or target.endswith(("/", os.sep)):
        raise OutputError(f"{name} = {target!r}: give the name of a file")
    try:
        return Path(target).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise OutputError(f"{name} = {target[:60]!r}: is not a usable name ({error})") from None


def write(text: str, target: str | None, *, force: bool, name: str = "output") -> None:
    """Print, or put the finished text in place with one rename."""
    if target is None:
        if sys.stdout is None:
            raise OutputError("standard output is closed")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    path = _place(target, name)
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".synthbounds-", suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        if force:
            os.replace(temporary, path)
        else:
            os.link(temporary, path)  # fails if another run has put a file there meanwhile
            os.unlink(temporary)
        temporary = None
    except FileExistsError:
        raise OutputError(f"{name} = {target}: exists; give --force to replace it") from None
    except OSError as error:
        raise OutputError(f"{name} = {target}: cannot be written ({error.strerror})") from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
