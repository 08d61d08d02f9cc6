"""A table that is not a file: `--from ADDRESS --table NAME` in place of the file that a command would read."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from release.parameters import ADDRESS, TABLE_NAME

_STANDS_IN = "@"
"""In place of the file: it cannot be the name of a table, since it has no suffix."""
_NAMES = ("table", "given", "real")
"""What commands call the table; only plan has none."""


def with_stand_in(arguments: list[str]) -> list[str]:
    """The arguments, with a stand-in for the file that is not named."""
    command = arguments[0] if arguments else ""
    said = any(a == ADDRESS.option or a.startswith(f"{ADDRESS.option}=") for a in arguments)
    if not said or command not in ("schema", "synth", "release", "regress", "evaluate"):
        return arguments
    place = 1
    if command == "release":
        from synthbounds.api.commands import COMMANDS

        kinds = COMMANDS["release"].parameters["kind"].choices
        place += next((i for i, a in enumerate(arguments) if a in kinds), 0)
    return [*arguments[:place], _STANDS_IN, *arguments[place:]]


def take_table(options: argparse.Namespace) -> None:
    """Put the table that an address names in place of the file; a plan takes only its number of records."""
    if ADDRESS.name not in options.declared.parameters:
        return
    address, table = getattr(options, ADDRESS.name), getattr(options, TABLE_NAME.name)
    if address is None:
        if table is not None:
            raise UsageError(f"table is for a table in an engine: also give its address ({ADDRESS.option})")
        return
    from release.lake.address import Address

    found = Address(address, table)
    name = next((name for name in _NAMES if name in options.declared.parameters), None)
    if name is not None:
        setattr(options, name, found)
        return
    from synthbounds.api.tables import size_of

    if options.n is not None:
        raise UsageError(f"n: is counted in the table at {ADDRESS.option}; give only one of them")
    options.n = str(size_of(found, options.adjacency))
