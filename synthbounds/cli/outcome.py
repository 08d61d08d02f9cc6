"""What a command has to say, how its options become a call of the API, and how an answer is printed."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from bounds.errors import OutputError, UsageError
from synthbounds.api import SHOWN

if TYPE_CHECKING:
    from release.files.outputs import Outputs
    from synthbounds.api import Command
    from synthbounds.render.document import Document
    from synthbounds.report.sheet import Sheet

Answer = TypeVar("Answer")
_HIDDEN = ("format", "output", "force", "report", "address", "table_name")
"""How an answer is shown, and where a table is: not among the inputs, like files."""


@dataclass(frozen=True)
class Outcome:
    """What a command has to say; `document` is built only when a text-like format asks for it."""

    document: Callable[[], Document]
    payload: Callable[[], dict[str, Any]]
    answer: Any = field(default=None, kw_only=True)
    """What the API answered, for callers that say it in other words."""
    warnings: tuple[str, ...] = ()
    exit_code: int = 0
    stage: Callable[[Outputs], None] | None = None
    """Adds further files; they appear together with that of the answer, or not at all."""
    inputs: dict[str, str] = field(default_factory=dict)
    precision: int | None = None
    text: str | None = None
    """The answer is a file of its own, the same in every format."""
    stages_output: bool = False
    """`stage` writes what --output names; the report is printed."""
    spent: bool = False
    """Noise has been drawn: a failure from now on must say so."""
    report: Callable[[], Sheet] | None = None
    """What --report writes, for people; built only on request."""
    article: Callable[[str], str] | None = None
    """The answer in one of the forms for an article or a bibliography."""
    uses_ledger: bool = True
    """The answer rests on the mathematics of bounds/, whose fingerprint then goes with it."""


def json_body(outcome: Outcome, command: str) -> dict[str, Any]:
    """The answer as `--format json` prints it."""
    from synthbounds.render.envelope import envelope

    ledger = None
    if outcome.uses_ledger:
        from bounds.registry import registry_digest

        ledger = registry_digest()
    return envelope(command, outcome.inputs, outcome.payload(), precision=outcome.precision, ledger=ledger)


def call(function: Callable[..., Answer], options: argparse.Namespace, **more: Any) -> Answer:
    """The function with the values of the options that it shares; those not given keep its defaults."""
    said: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        value = getattr(options, name, None)
        if value not in (None, False) or parameter.default is inspect.Parameter.empty:
            said[name] = value
    return function(**said | more)


def require_options(options: argparse.Namespace, *names: str) -> None:
    """Refuse to go on without these."""
    declared: Command = options.declared
    for name in names:
        declared.parameters[name].require(getattr(options, name))


def is_said(options: argparse.Namespace, name: str) -> bool:
    """Whether an option was given; an empty list was."""
    return getattr(options, name) is not None and getattr(options, name) is not False


def inputs_of(options: argparse.Namespace, *, files: bool = False) -> dict[str, str]:
    """The options as they were written, by name, with lists last and files only on request."""
    declared = options.declared.parameters
    lists = [name for name, parameter in declared.items() if parameter.kind == "list"]
    said: dict[str, str] = {}
    for name in (*sorted(declared.keys() - set(lists)), *lists):
        parameter = declared[name]
        hidden = name in _HIDDEN or (parameter.kind == "file" and parameter.role != "kept" and not files)
        if hidden or not is_said(options, name):
            continue
        value = getattr(options, name)
        if name not in lists:
            said[name] = str(value)
        elif value or not parameter.positional:
            said[name] = ", ".join(value)
    return {name: text.encode("utf-8", "backslashreplace").decode() for name, text in said.items()}


def typed_again(options: argparse.Namespace) -> str:
    """The command with the options that were given, as a shell takes it; files that it wrote would be in the way."""
    declared = options.declared
    first, last = [declared.name], []
    for name, parameter in declared.parameters.items():
        if not is_said(options, name) or name in _HIDDEN or parameter.role == "written":
            continue
        value = getattr(options, name)
        words = [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]
        if parameter.positional:
            first += words
        else:
            last += [f"--{name.replace('_', '-')}", *([] if parameter.kind == "flag" else words)]
    return shlex.join(["synthbounds", *first, *last])


def require_format(options: argparse.Namespace) -> None:
    options.declared.parameters.get("format", SHOWN["format"]).choice(options.format)


def wants_colour() -> bool:
    """Colour only for a person at a terminal who has not turned it off."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and "NO_COLOR" not in os.environ
        and os.environ.get("TERM") != "dumb"
    )


def text_width() -> int:
    """Columns of the terminal, or as COLUMNS says, within what is readable; 80 if there is no terminal."""
    from synthbounds.render.text import NARROWEST, WIDEST, WIDTH

    if "COLUMNS" not in os.environ and not (sys.stdout is not None and sys.stdout.isatty()):
        return WIDTH
    return min(WIDEST, max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns))


def write(text: str) -> None:
    """Print to standard output, at once."""
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        raise OutputError(f"standard output: cannot be written ({error.strerror})") from None


def abandon_output() -> None:
    """Nothing more can be written; Python must not try again at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def printable_json(text: str) -> str:
    """JSON that stays JSON on a terminal without UTF-8: other characters are escaped as JSON escapes them."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "").startswith("utf"):
        return text
    units = text.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)


def rendered(outcome: Outcome, command: str, name: str, *, to_file: bool) -> str:
    """The answer in a format, as a terminal or a file has it."""
    if outcome.text is not None:
        return outcome.text if to_file else printable_json(outcome.text)
    if name == "json":
        import json

        text = json.dumps(json_body(outcome, command), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return text if to_file else printable_json(text)
    if name == "markdown":
        from synthbounds.render.markdown import render_markdown

        return render_markdown(outcome.document())
    if name.startswith("latex-") or name == "bibtex":
        if outcome.article is None:
            raise UsageError(f"format = {name}: this answer has no such form; latex shows all of it")
        return outcome.article(name)
    if name == "latex":
        from synthbounds.render.latex import render_latex

        return render_latex(outcome.document())
    from synthbounds.render.text import TextRenderer

    if to_file:
        return TextRenderer().render(outcome.document())
    return TextRenderer(colour=wants_colour(), width=text_width()).render(outcome.document())
