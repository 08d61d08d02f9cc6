"""Where the files of a command go, checked before anything is computed, and what a release keeps of its command."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import OutputError, UsageError

if TYPE_CHECKING:
    from release.recovery_file import Asked

RELEASING = ("synth", "release", "regress", "confirm")
"""Commands that open tables: in a release, only the type of an unforeseen exception is shown."""
_NOT_PUBLIC = ("table", "given", "predictions")
_MARKED = ("release", "previous")
"""Files that a query changes; it names them by its own digests."""


def is_private(options: argparse.Namespace) -> bool:
    """Whether what is computed may be a release; for a query, that is known only once the release has been read."""
    return options.command in RELEASING and getattr(options, "mode", None) != "simulate"


def release_target(options: argparse.Namespace) -> str | None:
    """The file that a release goes to; what an interrupted one has paid for is kept next to it."""
    if options.command not in RELEASING:
        return None
    table = options.declared.parameters.get("synthetic")  # the one that is made, not one that is compared
    made: str | None = options.synthetic if table is not None and table.role == "written" else None
    target: str | None = made or options.output
    return target


def asked_of(options: argparse.Namespace, arguments: list[str]) -> Asked | None:
    """The command as its recovery file has it, with digests of the public files that it reads."""
    if release_target(options) is None or not is_private(options):
        return None
    from release.files.digest import digest_of_file
    from release.recovery_file import Asked

    files = {said: digest_of_file(said, "file") for said in public_files(options) if os.path.isfile(said)}
    elsewhere = getattr(options, "address", None) is not None
    table = None if elsewhere else options.given if options.command == "regress" else options.table
    return Asked(arguments=tuple(arguments), folder=os.getcwd(), files=files, table=table)


def public_files(options: argparse.Namespace) -> list[str]:
    """The names of all files that are read and public."""
    names: list[str] = []
    for name, parameter in options.declared.parameters.items():
        said = getattr(options, name)
        if parameter.role == "read" and said and name not in (*_NOT_PUBLIC, *_MARKED):
            names += said if isinstance(said, list) else [said]
    return names


def require_places(options: argparse.Namespace) -> None:
    """Refuse, before anything is computed, to write files that cannot be written or that are also read."""
    declared = options.declared.parameters
    read = [(name, getattr(options, name)) for name, p in declared.items() if p.role in ("read", "kept")]
    targets = {name: getattr(options, name) for name, p in declared.items() if p.role == "written"}
    if not any(target is not None for target in targets.values()):
        return
    from release.files.outputs import require_place

    taken: dict[Path, str] = {}
    beside = release_target(options)
    if beside is not None:
        from release.recovery_file import SUFFIX

        taken[Path(f"{beside}{SUFFIX}").resolve()] = "the file in which an interrupted release is kept"
    for name, target in targets.items():
        if target is None:
            continue
        place = require_place(target, name=name, force=options.force)
        if place in taken:
            raise UsageError(f"{name} and {taken[place]} name the same file")
        taken[place] = name
        for source, said in read:
            for path in said if isinstance(said, list) else [said]:
                if not (path and place.exists() and os.path.exists(path) and os.path.samefile(place, path)):
                    continue
                what = f"read as well (--{source})" if isinstance(said, list) else f"the {source} that is read"
                raise OutputError(f"{name} = {target}: is {what}; give another file")
    if is_private(options):
        from release.files.outputs import require_writing

        for name, target in {os.path.dirname(os.path.realpath(t)): (n, t) for n, t in targets.items() if t}.values():
            require_writing(target, name=name)
