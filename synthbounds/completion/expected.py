"""What a shell may offer for a parameter: words, files, folders, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from bounds.parameter import Parameter
from synthbounds.api import Command

MAIN_OPTIONS = (("-h", "--help"), ("--version",))


@dataclass(frozen=True)
class Expected:
    """What may follow an option, or stand at a place."""

    words: tuple[str, ...] = ()
    files: bool = False
    folders: bool = False


def expected(command: Command, parameter: Parameter) -> Expected:
    """What completes the value of a parameter."""
    if parameter.choices:
        return Expected(parameter.choices)
    if (command.name, parameter.name) in _FOLDERS:
        return Expected(folders=True)
    known = _KNOWN.get((command.name, parameter.name))
    return Expected(() if known is None else known(), files=parameter.kind == "file" or parameter.role is not None)


def spellings(parameter: Parameter) -> tuple[str, ...]:
    return (parameter.short, parameter.option) if parameter.short else (parameter.option,)


def options_of(command: Command) -> list[Parameter]:
    return [parameter for parameter in command.parameters.values() if not parameter.positional]


def places_of(command: Command) -> list[Parameter]:
    return [parameter for parameter in command.parameters.values() if parameter.positional]


@cache
def _theorems() -> tuple[str, ...]:
    from bounds.registry import all_theorems

    return tuple(all_theorems())


def _papers() -> tuple[str, ...]:
    from bounds.papers import PAPERS

    return tuple(PAPERS)


_FOLDERS = {("figures", "folder")}
_KNOWN: dict[tuple[str, str], Callable[[], tuple[str, ...]]] = {
    ("require", "theorem"): _theorems,
    ("risk", "theorem"): _theorems,
    ("explain", "id"): _theorems,
    ("cite", "what"): lambda: (*_theorems(), *_papers()),
    ("list", "paper"): _papers,
    ("verify", "paper"): _papers,
}
"""Texts whose possible values are known when the script is made."""
