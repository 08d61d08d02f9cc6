"""The front door in Python: a typed function for each command, and what goes with it. It computes nothing itself.

Every module declares its names in `__all__`, and `synthbounds` offers them all. Modules are light: the mathematics is
imported when a function is called. The table of commands in `commands` says which function answers which command.
A command is defined here: what it does, its parameters, the functions that answer, and how answers are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from bounds.parameter import Parameter

OUTPUT = "output"
FORMATS = ("text", "json", "latex", "markdown")


def table(*parameters: Parameter) -> dict[str, Parameter]:
    """Parameters by name."""
    return {parameter.name: parameter for parameter in parameters}


SHOWN = table(
    Parameter(
        "format",
        OUTPUT,
        "{choices}",
        "choice",
        choices=FORMATS,
        default="text",
        filled=True,
    ),
    Parameter(
        "output", OUTPUT, "write to FILE, whole or not at all", "file", metavar="FILE", role="written", short="-o"
    ),
    Parameter("force", OUTPUT, "replace FILE if it exists", "flag"),
)
"""How an answer is shown; every command takes these."""
STATED = {
    **SHOWN,
    "format": replace(
        SHOWN["format"],
        text="{default} (default), json, latex, markdown or, for an article, latex-line, latex-row, latex-theorem",
        choices=(*FORMATS, "latex-line", "latex-row", "latex-theorem"),
    ),
}
"""The same for commands whose answer is a statement that can stand in an article."""
CITED = {
    **SHOWN,
    "format": replace(
        SHOWN["format"],
        text="{default} (default), json, latex, markdown or, for a .bib file, bibtex",
        choices=(*FORMATS, "bibtex"),
    ),
}
"""The same for references."""
REPORT = Parameter(
    "report",
    OUTPUT,
    "also write a page to read: what is certified, what it means for one person, what not to conclude",
    "file",
    metavar="FILE.html",
    role="written",
)
REPORTED = {**SHOWN, REPORT.name: REPORT}
"""The same for commands whose answers are for people who never see a command line."""


def output(hint: str, shown: Mapping[str, Parameter] = SHOWN) -> dict[str, Parameter]:
    """The same for commands whose --output names the file that they make, and is required."""
    return {**shown, "output": replace(SHOWN["output"], hint=hint)}


@dataclass(frozen=True)
class Command:
    """One command: options + call + render; this is the part that is declared."""

    name: str
    text: str
    example: str
    functions: tuple[str, ...]
    """Functions of the API, by name: together they take what is declared."""
    parameters: Mapping[str, Parameter] = field(hash=False)
    groups: tuple[str, ...] = (OUTPUT,)
    selects: frozenset[str] = frozenset()
    """Parameters that select the function, or say how its answer is written to a file."""


def command(
    name: str,
    text: str,
    arguments: str,
    functions: str,
    parameters: Iterable[Parameter] = (),
    groups: tuple[str, ...] = (),
    *,
    shown: Mapping[str, Parameter] = SHOWN,
    selects: Iterable[str] = (),
) -> Command:
    return Command(
        name,
        text,
        f"synthbounds {name} {arguments}" if arguments else "",
        tuple(functions.split()),
        {**shown, **table(*parameters)},
        (OUTPUT, *groups),
        frozenset(selects),
    )
