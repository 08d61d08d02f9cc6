"""The options of every command, from its declaration. Values stay text: the mathematics parses them exactly."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable
from functools import partial
from typing import Any, NoReturn

from bounds.errors import UsageError, shorten
from bounds.parameter import Parameter
from synthbounds.api import SHOWN, Command

DESCRIPTION = "Certified sample sizes and bounds for differentially private synthetic data."
EXIT_CODES = (
    "exit codes: 0 fine, 1 a check failed, 2 wrong usage or parameter, 3 bad input data, 4 the theorem does not "
    "apply or no finite answer exists, 5 not certified, 6 input/output, 7 out of memory, 130 interrupted, "
    "70 a bug of ours"
)


class Parser(argparse.ArgumentParser):
    """argparse with one-line errors instead of a usage dump, no abbreviated options, and suggestions for slips."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)

    def format_help(self) -> str:
        """As wide as answers are; who asks for no help does not load what knows how wide."""
        from synthbounds.cli.outcome import text_width

        self.formatter_class = partial(_HelpFormatter, width=text_width() - 2)
        return super().format_help()

    def _print_message(self, message: str, file: Any = None) -> None:
        """argparse hides a failed write; a full disk is an error like any other."""
        from synthbounds.cli.outcome import write

        write(message)

    def parse_args(self, args: Any = None, namespace: Any = None) -> argparse.Namespace:  # type: ignore[override]
        """argparse turns a value that is only two dashes into an empty list.

        An argument that no shell can pass would fail as the name of a file.
        """
        said = list(args or ())
        for argument in said:
            try:
                fine = b"\0" not in os.fsencode(argument)
            except UnicodeEncodeError:
                fine = False
            if not fine:
                self.error("an argument has a character that no file name can have")
        options: argparse.Namespace
        options, extra = self.parse_known_args(said, namespace)
        asked = self._commands()[options.command]
        if extra:
            asked._refuse_extra(extra[0], said, options.declared)
        for name, parameter in options.declared.parameters.items():
            value = getattr(options, name)
            if parameter.kind != "list" and isinstance(value, list):
                asked.error(f"{parameter.option} has no value")
            refuses_itself = parameter.role == "written" or name in _MAY_BE_BLANK
            if isinstance(value, str) and not value.strip() and not refuses_itself:
                what = f"the value of {parameter.option}" if not parameter.positional else "the argument for it"
                asked.error(f"{name.replace('_', '-')} is blank: {what} is empty{_UNSET}")
        return options

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The parser of each command also passes here; an unknown option is reported before anything missing."""
        known = self._option_string_actions
        for argument in args:
            name = argument.partition("=")[0]
            is_option = argument.startswith("-") and argument != "-" and " " not in name
            if argument == "--" or (not is_option and self._subparsers is not None):
                break  # the rest is for the parser of the command
            if is_option and name not in known and not _NUMBER.match(argument):
                self.error(f"{shorten(name)} is not an option here{self._instead(name)}")
        return super().parse_known_args(args, namespace)

    def _commands(self) -> dict[str, Parser]:
        """The parser of each command; that of a command has none."""
        return {} if self._subparsers is None else dict(self._subparsers._group_actions[0].choices or {})

    def _instead(self, name: str) -> str:
        from bounds.nearest import did_you_mean

        if any(name in parser._option_string_actions for parser in self._commands().values()):
            return ": it comes after the name of a command"
        hint = did_you_mean(name, self._option_string_actions)
        if not hint and name[:2] in self._option_string_actions:
            hint = f"write {name[:2]} and its value as two arguments"
        return f": {hint}" if hint else ""

    def _refuse_extra(self, first: str, said: list[str], declared: Command) -> NoReturn:
        from bounds.nearest import did_you_mean

        if not first.strip():
            self.error(f"argument {said.index(first) + 1} is blank, and nothing is expected there{_UNSET}")
        named = {p.option.removeprefix("--"): p.option for p in declared.parameters.values() if not p.positional}
        hint = did_you_mean(named.get(first, first), named.values() if first in named else named)
        self.error(f"{shorten(first)} is one argument too many" + (f": {hint}" if hint else ""))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Only the name of a command is a choice of argparse."""
        if action.choices is None or value in action.choices:
            return
        from bounds.nearest import did_you_mean

        if not value.strip():
            self.error(f"the name of the command is blank{_UNSET}")
        meant = f"--{value}" if f"--{value}" in self._option_string_actions else value
        hint = f"did you mean {meant}?" if meant != value else did_you_mean(value, action.choices)
        self.error(f"{shorten(value)} is not a command" + (f": {hint}" if hint else ""))

    def error(self, message: str) -> NoReturn:
        missing = re.fullmatch(r"argument (?:-\w/)?(--[\w-]+): expected .*", message)
        if missing:
            message = f"{missing[1]} has no value; one that begins with a minus is written {missing[1]}=-1"
        raise UsageError(f"{message} (see `{self.prog} --help`)")


class _HelpFormatter(argparse.HelpFormatter):
    """With both spellings of an option, its value once, and an example to copy."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Each line on its own; a command goes on after a backslash, as a shell reads it."""
        fill = super()._fill_text
        parts = (
            _broken(line, width) if line.startswith(_EXAMPLE) else fill(line, width, indent)
            for line in text.splitlines()
        )
        return "\n".join(parts)


_EXAMPLE = "example: "


def _broken(command: str, width: int) -> str:
    """A long command, broken only before options, so that no quoted value is."""
    lines = [""]
    for piece in re.split(r" (?=--\w)", command):
        if lines[-1] and len(lines[-1]) + 1 + len(piece) > width - 2:
            lines.append("   ")
        lines[-1] = f"{lines[-1]} {piece}" if lines[-1] else piece
    return " \\\n".join(lines)


class _Version(argparse.Action):
    """argparse's own action would need the version before it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from synthbounds._version import __version__

        parser.exit(message=f"{parser.prog} {__version__}\n")


_UNSET = "; a variable of the shell may be unset"
_NUMBER = re.compile(r"-\.?\d")
_MAY_BE_BLANK = ("label", "positive", "coefficient")
"""A table may have a column or a level without a name."""
_COLUMNS = ("--proportion", "--given", "--difference", "--chi2", "--ols")
_MAY_START_WITH_MINUS = ("--interval", "--function", *_COLUMNS)


_HELP_AND_OUTPUT = ("-h", "-o")


def join_negative_values(arguments: list[str]) -> list[str]:
    """`--interval -5,5` as `--interval=-5,5`: argparse would take a value that starts with a minus for an option."""
    joined: list[str] = []
    for argument in arguments:
        negative = argument.startswith("-") and argument[:2] != "--" and argument not in _HELP_AND_OUTPUT
        if joined and joined[-1] in _MAY_START_WITH_MINUS and negative:
            joined[-1] = f"{joined[-1]}={argument}"
        else:
            joined.append(argument)
    return joined


def build_parser(declared: Iterable[Command] | None = None) -> Parser:
    """The command line with these commands, or all of them; the parsed options name the declaration."""
    if declared is None:
        from synthbounds.api.commands import COMMANDS

        declared = COMMANDS.values()
    parser = Parser(prog="synthbounds", description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=_HelpFormatter)
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version number and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for command in declared:
        _add_command(commands, command)
    return parser


def _add_command(commands: Any, command: Command) -> None:
    parser = commands.add_parser(
        command.name,
        help=command.text,
        description=f"{command.text[:1].upper()}{command.text[1:]}.",
        epilog=(f"{_EXAMPLE}{command.example}\n" if command.example else "") + EXIT_CODES,
        formatter_class=_HelpFormatter,
    )
    groups = {"": parser} | {title: parser.add_argument_group(title) for title in command.groups}
    for parameter in command.parameters.values():
        _add_parameter(groups[parameter.group], parameter)
    missing = {name: shown.default for name, shown in SHOWN.items() if name not in command.parameters}
    parser.set_defaults(declared=command, **missing)


def _add_parameter(group: Any, parameter: Parameter) -> None:
    how: dict[str, Any] = {"help": parameter.help}
    spellings = [spelling for spelling in (parameter.short, parameter.option) if spelling]
    if parameter.kind == "flag":
        group.add_argument(*spellings, action="store_true", **how)
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
    group.add_argument(*spellings, dest=parameter.name, **how)
