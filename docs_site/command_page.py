"""The command reference, from the parser that reads the commands."""

from __future__ import annotations

import argparse

from docs_site.text import plain, table


def command_reference() -> str:
    """Every command with its options, in the order of the help."""
    from synthbounds.cli.command import EXIT_CODES
    from synthbounds.cli.parser import build_parser

    parser = build_parser()
    parts = ["# Commands", plain(parser.description or ""), f"{plain(EXIT_CODES.capitalize())}."]
    commands = _commands(parser)
    rows = [(f"[`{name}`](#{_anchor(name)})", plain(_what(command))) for name, command in commands]
    parts.append(table(("command", "what"), rows))
    for name, command in commands:
        parts.append(_section(name, command))
    return "\n\n".join(parts) + "\n"


def _commands(parser: argparse.ArgumentParser, prefix: str = "") -> list[tuple[str, argparse.ArgumentParser]]:
    found: list[tuple[str, argparse.ArgumentParser]] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                below = _commands(command, f"{prefix}{name} ")
                found += below or [(prefix + name, command)]
    return found


def _anchor(name: str) -> str:
    return "command-" + name.replace(" ", "-")


def _what(command: argparse.ArgumentParser) -> str:
    return (command.description or "").rstrip(".")


def _section(name: str, command: argparse.ArgumentParser) -> str:
    parts = [f"## {name} {{: #{_anchor(name)} }}", f"{plain(_what(command)[:1].upper() + _what(command)[1:])}."]
    for line in (command.epilog or "").splitlines():
        if line.startswith("example: "):
            parts.append(f"```console\n$ {line.removeprefix('example: ')}\n```")
    output = None
    for group in command._action_groups:
        rows = [_row(a) for a in group._group_actions if not isinstance(a, argparse._HelpAction)]
        if not rows:
            continue
        title = {"positional arguments": "arguments"}.get(group.title or "", group.title or "options")
        shown = f"**{plain(title)}**\n\n" + table(("option", "what"), rows)
        if title == "output":
            output = shown
        else:
            parts.append(shown)
    return "\n\n".join([*parts, output] if output else parts)


def _row(action: argparse.Action) -> tuple[str, str]:
    shown = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        name = shown
    elif action.nargs == 0:
        name = ", ".join(action.option_strings)
    else:
        name = f"{', '.join(action.option_strings)} {shown}"
    said = (action.help or "") % {"default": action.default} if "%(" in (action.help or "") else (action.help or "")
    return f"`{name}`", plain(said.replace("%%", "%"))
