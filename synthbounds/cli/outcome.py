"""What a command has to say, and how what was typed becomes a call of the API."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from release.files.outputs import Outputs
    from synthbounds.api.command import Command
    from synthbounds.render.document import Document

Answer = TypeVar("Answer")
_HIDDEN = ("format", "output", "force")


@dataclass(frozen=True)
class Outcome:
    """What a command has to say; `document` is built only when a text-like format asks for it."""

    document: Callable[[], Document]
    payload: Callable[[], dict[str, Any]]
    warnings: tuple[str, ...] = ()
    exit_code: int = 0
    stage: Callable[[Outputs], None] | None = None
    """Adds further files; they appear together with the answer's, or none of them does."""
    inputs: dict[str, str] = field(default_factory=dict)
    precision: int | None = None
    text: str | None = None
    """The answer is a file of its own, the same in every format."""
    stages_output: bool = False
    """`stage` writes what --output names; the report is printed."""
    spent: bool = False
    """Noise has been drawn: a failure from now on must say so."""
    uses_ledger: bool = True
    """The answer rests on the mathematics of bounds/, whose fingerprint then goes with it."""


def call(function: Callable[..., Answer], options: argparse.Namespace, **more: Any) -> Answer:
    """The function with what the options say, by the names they share; what was not said is left to its defaults."""
    said: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        value = getattr(options, name, None)
        if value not in (None, False) or parameter.default is inspect.Parameter.empty:
            said[name] = value
    return function(**said | more)


def require_options(options: argparse.Namespace, *names: str) -> None:
    """Refuse to go on without these."""
    declared: Command = options.declared
    for name in names:
        declared.parameters[name].require(getattr(options, name))


def is_said(options: argparse.Namespace, name: str) -> bool:
    """Whether an option was given; an empty list was."""
    return getattr(options, name) is not None and getattr(options, name) is not False


def inputs_of(options: argparse.Namespace, *, files: bool = False) -> dict[str, str]:
    """The options as they were written, files only on request, by name and lists last."""
    declared = options.declared.parameters
    lists = [name for name, parameter in declared.items() if parameter.kind == "list"]
    said: dict[str, str] = {}
    for name in (*sorted(declared.keys() - set(lists)), *lists):
        parameter = declared[name]
        hidden = name in _HIDDEN or (parameter.kind == "file" and parameter.role != "kept" and not files)
        if hidden or not is_said(options, name):
            continue
        value = getattr(options, name)
        if name not in lists:
            said[name] = str(value)
        elif value or not parameter.positional:
            said[name] = ", ".join(value)
    return {name: text.encode("utf-8", "backslashreplace").decode() for name, text in said.items()}
