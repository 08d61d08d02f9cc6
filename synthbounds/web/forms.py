"""The forms of a page, only from the parameter tables: what may be asked of each command, and within which range."""

from __future__ import annotations

from typing import Any

from bounds.exact import show_rational
from bounds.parameter import Parameter, Range
from synthbounds.api.commands import COMMANDS
from synthbounds.web.allowed import allowed, name_of


def forms() -> dict[str, Any]:
    """By command: its fields, in the order of the declaration."""
    from synthbounds._version import __version__

    return {
        "forms": {command: [_field(p) for p in fields.values()] for command, fields in allowed().items()},
        "version": __version__,
        "commands": {command: COMMANDS[command].text for command in allowed()},
    }


def _field(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "option": name_of(parameter),
        "label": parameter.name.replace("_", " "),
        "help": parameter.help,
        "kind": parameter.kind,
        "choices": list(parameter.choices),
        "default": None if parameter.default is None else str(parameter.default),
        "range": _range(parameter.range),
        "group": parameter.group,
        "positional": parameter.positional,
    }


def _range(allowed_values: Range | None) -> dict[str, str]:
    if allowed_values is None:
        return {}
    ends = {name: getattr(allowed_values, name) for name in ("above", "least", "below", "most")}
    return {name: show_rational(end) for name, end in ends.items() if end is not None}
