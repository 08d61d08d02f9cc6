"""The options of every command, from its declaration. Values stay text: the mathematics parses them exactly."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from bounds.errors import OutputError, UsageError
from bounds.parameter import Parameter
from synthbounds.api import SHOWN, Command

DESCRIPTION = "Certified sample sizes and bounds for differentially private synthetic data."
EXIT_CODES = (
    "exit codes: 0 fine, 1 a check failed, 2 wrong usage or parameter, 3 bad input data, 4 the theorem does not "
    "apply or no finite answer exists, 5 not certified, 6 input/output, 7 out of memory, 130 interrupted, "
    "70 a bug of ours"
)


class Parser(argparse.ArgumentParser):
    """argparse with one-line errors instead of a usage dump, and no abbreviated options."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)

    def _print_message(self, message: str, file: Any = None) -> None:
        """argparse hides a failed write; a full disk is an error like any other."""
        stream = file or sys.stdout
        if stream is None:
            raise OutputError("standard output is closed")
        stream.write(message)

    def parse_args(self, args: Any = None, namespace: Any = None) -> argparse.Namespace:  # type: ignore[override]
        """argparse makes an empty list of a value that is two dashes and nothing else.

        An argument that no shell can give would fail as the name of a file.
        """
        for argument in args or ():
            try:
                fine = b"\0" not in os.fsencode(argument)
            except UnicodeEncodeError:
                fine = False
            if not fine:
                self.error("an argument has a character that no name of a file has")
        options: argparse.Namespace = super().parse_args(args, namespace)
        for name, parameter in options.declared.parameters.items():
            if parameter.kind != "list" and isinstance(getattr(options, name), list):
                self.error(f"{parameter.option} has no value")
        return options

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments: "):
            unknown = message.removeprefix("unrecognized arguments: ").split()
            message = f"{unknown[0][:60] if unknown else 'a blank argument'} is not an option here"
        elif "invalid choice" in message:
            message = message.replace("argument command: ", "")
        raise UsageError(f"{message} (see `{self.prog} --help`)")


class _Version(argparse.Action):
    """argparse's own would want the version before it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from synthbounds._version import __version__

        parser.exit(message=f"{parser.prog} {__version__}\n")


_COLUMNS = ("--proportion", "--given", "--difference", "--chi2", "--ols")
_MAY_START_WITH_MINUS = ("--interval", "--function", *_COLUMNS)


def join_negative_values(arguments: list[str]) -> list[str]:
    """`--interval -5,5` as `--interval=-5,5`: argparse takes a value that starts with a minus for an option."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] in _MAY_START_WITH_MINUS and argument.startswith("-") and argument[:2] != "--":
            joined[-1] = f"{joined[-1]}={argument}"
        else:
            joined.append(argument)
    return joined


def build_parser(declared: Iterable[Command] | None = None) -> Parser:
    """The command line with these commands, or all; what was parsed names the declaration."""
    if declared is None:
        from synthbounds.api.commands import COMMANDS

        declared = COMMANDS.values()
    parser = Parser(prog="synthbounds", description=DESCRIPTION, epilog=EXIT_CODES)
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for command in declared:
        _add_command(commands, command)
    return parser


def _add_command(commands: Any, command: Command) -> None:
    parser = commands.add_parser(
        command.name,
        help=command.text,
        description=command.text + ".",
        epilog=(f"example: {command.example}\n" if command.example else "") + EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    groups = {"": parser} | {title: parser.add_argument_group(title) for title in command.groups}
    for parameter in command.parameters.values():
        _add_parameter(groups[parameter.group], parameter)
    missing = {name: shown.default for name, shown in SHOWN.items() if name not in command.parameters}
    parser.set_defaults(declared=command, **missing)


def _add_parameter(group: Any, parameter: Parameter) -> None:
    how: dict[str, Any] = {"help": parameter.help}
    if parameter.kind == "flag":
        group.add_argument(parameter.option, action="store_true", **how)
        return
    how["metavar"] = parameter.metavar
    if parameter.filled:
        how["default"] = str(parameter.default)
    if parameter.positional:
        many = "*" if parameter.kind == "list" else "?" if parameter.optional else None
        group.add_argument(parameter.name, nargs=many, **how)
        return
    if parameter.kind == "list":
        how |= {"nargs": "*" if parameter.optional else "+", "action": "extend"}
    group.add_argument(parameter.option, dest=parameter.name, **how)
