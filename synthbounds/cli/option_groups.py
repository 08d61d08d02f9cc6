"""Tables of parameters as groups of options: every parameter that is declared is offered, under its group's title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bounds.parameters import Parameter


def add_groups(command: Any, titles: Iterable[str], *tables: Mapping[str, Parameter]) -> dict[str, Any]:
    """The groups by title, filled with the tables; flags and files are added by whoever asks."""
    groups = {title: command.add_argument_group(title) for title in titles}
    for table in tables:
        for parameter in table.values():
            groups[parameter.group].add_argument(parameter.option, metavar=parameter.metavar, help=parameter.help)
    return groups
