"""The command reference, from the table from which the commands are made."""

from __future__ import annotations

from bounds.parameter import Parameter
from docs_site.text import plain, table
from synthbounds.api import OUTPUT, Command
from synthbounds.api.commands import COMMANDS


def command_reference() -> str:
    """Every command with its options, in the order of the help."""
    from synthbounds.cli.parser import DESCRIPTION, EXIT_CODES

    parts = ["# Commands", plain(DESCRIPTION), f"{plain(EXIT_CODES.capitalize())}."]
    rows = [(f"[`{name}`](#{_anchor(name)})", plain(command.text)) for name, command in COMMANDS.items()]
    parts.append(table(("command", "what it does"), rows))
    return "\n\n".join([*parts, *(_section(command) for command in COMMANDS.values())]) + "\n"


def _anchor(name: str) -> str:
    return "command-" + name


def _section(command: Command) -> str:
    said = command.text[:1].upper() + command.text[1:]
    parts = [f"## {command.name} {{: #{_anchor(command.name)} }}", f"{plain(said)}."]
    if command.example:
        parts.append(f"```console\n$ {command.example}\n```")
    known = tuple(command.parameters.values())
    titled = [
        ("arguments", [p for p in known if p.positional]),
        ("options", [p for p in known if not p.group and not p.positional]),
        *((title, [p for p in known if p.group == title]) for title in command.groups if title != OUTPUT),
        (OUTPUT, [p for p in known if p.group == OUTPUT]),
    ]
    for title, group in titled:
        if group:
            parts.append(f"**{plain(title)}**\n\n" + table(("option", "meaning"), [_row(p) for p in group]))
    return "\n\n".join(parts)


def _row(parameter: Parameter) -> tuple[str, str]:
    shown = parameter.metavar or parameter.name.upper()
    spelled = ", ".join(spelling for spelling in (parameter.short, parameter.option) if spelling)
    if parameter.kind == "flag":
        return f"`{spelled}`", plain(parameter.help)
    return f"`{shown if parameter.positional else f'{spelled} {shown}'}`", plain(parameter.help)
