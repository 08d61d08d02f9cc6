"""The same question elsewhere: the line for a POSIX shell, and the line of Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from bounds.parameter import Parameter
from synthbounds.api import Command

_PYTHON_NAMES = {"list": "theorems", "approx": "approximate"}


def command_line(command: Command, said: Mapping[str, str | bool]) -> str:
    """`synthbounds require --p 10 ...`, quoted; a value that starts with a dash is joined to its option."""
    words, last = ["synthbounds", command.name], []
    for name, value in said.items():
        parameter = command.parameters[name]
        if value is True:
            words.append(parameter.option)
        elif parameter.positional:
            last += ["--", str(value)] if str(value).startswith("-") else [str(value)]
        elif str(value).startswith("-"):
            words.append(f"{parameter.option}={value}")
        else:
            words += [parameter.option, str(value)]
    return shlex.join([*words, *last])


def python_line(command: Command, said: Mapping[str, str | bool]) -> str:
    """`sb.require(p=10, ...)`, after `import synthbounds as sb`; numbers are exact, so most of them are text."""
    function = _PYTHON_NAMES.get(command.name, command.name)
    values = dict(said)
    first = []
    if command.name == "require" and "solve_for" in values:
        function = "solve_for"
        first = [repr(values.pop("solve_for"))]
    elif command.name == "compare" and "features" in values:
        function = "compare_risk"
    elif command.name == "risk" and values.get("theorem") == "zhou2024.lower":
        function = "query_lower_bound"
        del values["theorem"]
    elif values.pop("plan", False):
        function = "plan"
    return f"sb.{function}({', '.join([*first, *(_argument(command.parameters[n], v) for n, v in values.items())])})"


def _argument(parameter: Parameter, value: str | bool) -> str:
    if parameter.kind == "integer" and isinstance(value, str) and value.isascii() and value.isdigit():
        value_text = str(int(value))
    else:
        value_text = repr(value)
    return f"{parameter.name}={value_text}"
