"""What a command is: its options, and what it has to say. Nothing heavy is imported here."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from bounds.errors import OutputError, UsageError

if TYPE_CHECKING:
    from release.files.outputs import Outputs
    from synthbounds.render.document import Document

FORMATS = ("text", "json", "latex", "markdown")
EXIT_CODES = (
    "exit codes: 0 fine, 1 a check failed, 2 wrong usage or parameter, 3 bad input data, 4 the theorem does not "
    "apply or no finite answer exists, 5 not certified, 6 input/output, 130 interrupted, 70 a bug of ours"
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

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments: "):
            unknown = message.removeprefix("unrecognized arguments: ").split()[0]
            message = f"{unknown[:60]} is not an option here"
        elif "invalid choice" in message:
            message = message.replace("argument command: ", "")
        raise UsageError(f"{message} (see `{self.prog} --help`)")


def add_command(commands: Any, name: str, text: str, example: str = "") -> Any:
    command = commands.add_parser(
        name,
        help=text,
        description=text + ".",
        epilog=(f"example: {example}\n" if example else "") + EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    output = command.add_argument_group("output")
    output.add_argument("--format", default="text", help="text, json, latex or markdown (default text)")
    output.add_argument("--output", metavar="FILE", help="write to FILE, whole or not at all")
    output.add_argument("--force", action="store_true", help="replace FILE if it exists")
    return command


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


def inputs_of(options: argparse.Namespace) -> dict[str, str]:
    hidden = {"command", "format", "output", "certificate", "force"}
    said = {name: v for name, v in sorted(vars(options).items()) if v is not None and v is not False}
    given = {name: str(v) for name, v in said.items() if name not in hidden}
    return {name: text.encode("utf-8", "backslashreplace").decode() for name, text in given.items()}
