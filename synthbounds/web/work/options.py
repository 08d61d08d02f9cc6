"""Which options the guided way passes on: for each step a list of declared parameters, none of which is a file.

As in `allowed` for questions, the list is of what is allowed, and values stay text. File names are the server's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from bounds.errors import UsageError
from bounds.parameter import Parameter
from synthbounds.api.commands import COMMANDS
from synthbounds.web.allowed import MOST_CHARACTERS, name_of, shown

MOST_VALUES = 1000
"""Of one option: names of columns."""

_TABLE = (
    "method label labels distance most-cells model-mb rounds top thresholds mixed points numbers adjacency epsilon "
    "dp-delta accuracy failure least-size family degree measure m k rows mechanism solver variant lipschitz "
    "cells-per-axis bernstein-degree bernstein-order bandwidth values ignore-extra anyway exact"
)
_NUMBERS = (
    "adjacency epsilon dp-delta reserve least-size beta label positive one-hot linear by-value reduced ignore-extra"
)
_OPTIONS = {
    "draft": ("schema", "bins most-levels"),
    "plan": ("plan", "n least-size adjacency label epsilon dp-delta beta error of method"),
    "simulate": ("synth", f"{_TABLE} seed"),
    "table": ("synth", _TABLE),
    "moments": ("release", f"{_NUMBERS} weight fourth-weight fourth"),
    "marginals": ("release", f"{_NUMBERS} mechanism pairs one-way"),
    "floors": ("release", f"{_NUMBERS} loss tau"),
    "query": (
        "confirm",
        "ask tau ridge largest-intercept model-from loss clip least-positive least-other bins beta part ignore-extra "
        "anyway",
    ),
    "certify": (
        "certify",
        "tau ridge loss intercept beta held-out thorough label positive one-hot linear by-value reduced",
    ),
    "evaluate": ("evaluate", "degree label held-out seed protocol ignore-extra"),
    "account": ("account", "name adjacency epsilon dp-delta rho"),
}
"""By step: the command that does it, and what may be said to it."""


@cache
def options_of(step: str) -> dict[str, Parameter]:
    """By name, in the order of the declaration."""
    command, text = _OPTIONS[step]
    declared = {name_of(parameter): parameter for parameter in COMMANDS[command].parameters.values()}
    return {name: declared[name] for name in sorted(text.split(), key=list(declared).index)}


def steps() -> tuple[str, ...]:
    return tuple(_OPTIONS)


def words(step: str, options: object) -> list[str]:
    """The options as words of a command line, each name checked, and each value kept from being taken for a name."""
    if not isinstance(options, dict):
        raise UsageError(f"options = {shown(options)}: must be an object of names and values")
    found: list[str] = []
    for name, value in options.items():
        parameter = options_of(step).get(name) if isinstance(name, str) else None
        if parameter is None:
            raise UsageError(f"{shown(name)}: not an option of this step")
        found += _words(name, parameter, value)
    return found


def _words(name: str, parameter: Parameter, value: object) -> list[str]:
    if parameter.kind == "flag":
        if value is not True:
            raise UsageError(f"{name} = {shown(value)}: must be true, or left out")
        return [parameter.option]
    if parameter.kind == "list":
        if not isinstance(value, list) or not value or len(value) > MOST_VALUES:
            raise UsageError(f"{name} = {shown(value)}: must be a list of 1 to {MOST_VALUES:,} texts")
        texts = [_text(name, one) for one in value]
        if any(text.startswith("-") for text in texts):
            raise UsageError(f"{name}: a value that starts with a dash cannot be passed on here; use the command")
        return [parameter.option, *texts]
    text = _text(name, value)
    return [f"{parameter.option}={text}"] if text.startswith("-") else [parameter.option, text]


def _text(name: str, value: object) -> str:
    if type(value) is not str:  # a number of JSON may have lost digits on its way
        raise UsageError(f"{name} = {shown(value)}: must be text, even for a number")
    if not value:
        raise UsageError(f"{name}: is empty; enter a value")
    if len(value) > MOST_CHARACTERS or not value.isprintable():
        raise UsageError(f"{name} = {shown(value)}: must be printable text of at most {MOST_CHARACTERS} characters")
    return value


def said(options: Mapping[str, object], name: str) -> str | None:
    """The text of an option, if it was given."""
    value = options.get(name)
    return value if isinstance(value, str) else None
