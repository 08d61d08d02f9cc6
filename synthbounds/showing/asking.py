"""A wrapper for every function of the API: the question is noted on the answer, and errors use Python names.

Arguments are kept as text, as on a command line; a float as the decimal that it stands for. Tables are not kept.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

from bounds.errors import SynthboundsError
from bounds.shown import Asked, Shown
from synthbounds.showing.given import bound_arguments, require_kinds

Function = TypeVar("Function", bound=Callable[..., Any])

_COMMAND_WORDS = {"finished": "release", "parameter": "solve_for", "log": "redraw"}
"""Parameters that a function calls by another name than the command."""
_BESIDE = ("release", "query", "model", "previous")
"""Public things that are needed to show an answer."""
_FLAGS = {"plan": "plan", "edges": "infer_edges"}
"""Flags of a command that are separate functions in Python."""
_HIDDEN = ("format", "output", "force", "report")
_ENGLISH = frozenset({"by-value", "held-out", "odds-ratio", "one-hot", "one-way"})
"""Names that are also words: a line that begins with one means the name."""
_OPTION = re.compile(r"--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")


def manners(function: Function, home: str) -> Function:
    """The function as `synthbounds` offers it, with that as its module, so that it can be pickled."""
    signature = inspect.signature(function)

    @wraps(function)
    def asked(*arguments: Any, **said: Any) -> Any:
        bound = bound_arguments(signature, function.__name__, arguments, said)
        try:
            require_kinds(bound, function.__globals__)
            found = function(*bound.args, **bound.kwargs)
        except SynthboundsError as error:
            error.args = (in_python(str(error)), *error.args[1:])
            raise
        if isinstance(found, Shown):
            found._noted(_asked(function.__name__, _flat(bound)))
        return found

    asked.__module__ = home
    return asked  # type: ignore[return-value]


def _flat(bound: inspect.BoundArguments) -> dict[str, Any]:
    """Arguments by name, including those without a parameter of their own."""
    rest = [n for n, p in bound.signature.parameters.items() if p.kind is p.VAR_KEYWORD and n in bound.arguments]
    named = {name: value for name, value in bound.arguments.items() if name not in rest}
    return {**named, **{name: value for each in rest for name, value in bound.arguments[each].items()}}


def _asked(function: str, given: Mapping[str, Any]) -> Asked:
    flat = {_COMMAND_WORDS.get(name, name): value for name, value in given.items()}
    said = {name: text for name, value in flat.items() if (text := _text(value)) is not None}
    beside = {n: flat[n] for n in _BESIDE if isinstance(flat.get(n), str | Path | Shown)}
    return Asked(function, said, beside)


def _text(value: Any) -> str | None:
    """As on the command line; None for what cannot be typed there or was not given."""
    if value is None or value is False:
        return None
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, list | tuple) and value and all(_text(item) is not None for item in value):
        return ("," if isinstance(value, tuple) else ", ").join(str(_text(item)) for item in value)
    if isinstance(value, str | Path | int) or (hasattr(value, "__float__") and not hasattr(value, "__len__")):
        return str(value)
    return None


def inputs_shown(asked: Asked, command: str, *, files: bool) -> dict[str, str]:
    """What was asked, in the order of the command, with the defaults that count as given."""
    from synthbounds.api.commands import COMMANDS

    declared = COMMANDS[command].parameters
    lists = [name for name, parameter in declared.items() if parameter.kind == "list"]
    found: dict[str, str] = {}
    for name in (*sorted(declared.keys() - set(lists)), *lists):
        parameter = declared[name]
        if name in _HIDDEN or (parameter.kind == "file" and parameter.role != "kept" and not files):
            continue
        if name in asked.said:
            found[name] = asked.said[name]
        elif asked.function.startswith(_FLAGS.get(name, " ")):
            found[name] = str(True)
        elif parameter.filled:
            found[name] = str(parameter.default)
    return found


def in_python(message: str) -> str:
    """The message with parameters by their names in Python instead of options.

    >>> in_python("dp-delta is missing: give --dp-delta, or --n with --least-size")
    'dp_delta is missing: give dp_delta, or n with least_size'
    """
    message = _OPTION.sub(lambda found: found[1].replace("-", "_"), message)
    return _hyphened().sub(lambda found: found[0].replace("-", "_"), message)


@cache
def _hyphened() -> re.Pattern[str]:
    """Names of parameters as commands write them, the longest first."""
    from synthbounds.api.commands import COMMANDS

    names = {name.replace("_", "-") for command in COMMANDS.values() for name in command.parameters if "_" in name}
    said = "|".join(sorted(names - _ENGLISH, key=len, reverse=True))
    first = "|".join(sorted(_ENGLISH))
    return re.compile(rf"(?<![\w-])({said})(?![\w-])|^({first})(?= is | has |:)")
