"""What was clicked, told again: a script for a POSIX shell and a notebook that run the same commands.

Neither contains the table, and neither spends unless told to: if a release was made, both simulate it, since
every further run of the release itself would be a further release about the same people.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from synthbounds._version import __version__

_SAID = {
    "schema": "Draft a schema from the table.",
    "plan": "What a release would cost and promise, only from the schema and the number of records.",
    "synth": "Make a synthetic table, without any protection: a simulation.",
    "certify": "How far the model is from the best one, from the release alone.",
    "evaluate": "Errors of the synthetic table compared with a public one: never private.",
    "account": "What was spent on these people.",
}
_SPENDS = "Make the release. Each run spends the budget again and counts as a further release."
_INSTEAD = "the same as a simulation, which spends nothing"
_END = "END_OF_SCHEMA"


@dataclass(frozen=True, kw_only=True)
class Retold:
    """Commands as they ran, without the program's name; files have the names that they have next to each other."""

    commands: Sequence[Sequence[str]]
    table: str
    """The name of the table, which the reader has."""
    schema: str
    """The name of the schema."""
    schema_text: str


def tidied(command: Sequence[str], **places: str) -> list[str]:
    """The same for a person to read: the answer in words, and some files, by their options, in other places."""
    words, found = iter(command), list[str]()
    for word in words:
        if word == "--format":
            next(words, None)
        elif word.removeprefix("--") in places and word.startswith("--"):
            found += [word, places[word.removeprefix("--")]]
            next(words, None)
        else:
            found.append(word)
    return found


def spends(command: Sequence[str]) -> bool:
    """Whether running it again is a further release."""
    return ("--mode", "release") in pairwise(command)


def simulated(command: Sequence[str]) -> list[str]:
    """The same command without spending: a simulation is recorded in no account."""
    words, found = iter(command), list[str]()
    for word in words:
        if word == "--account":
            next(words, None)
        elif word == "--mode":
            found += [word, "simulate"]
            next(words, None)
        else:
            found.append(word)
    return found


def script(told: Retold) -> str:
    """A shell script that lies next to the table; `--spend` as its first word makes the release."""
    lines = [
        "#!/bin/sh",
        *(f"# {line}" for line in _head(told, "sh repeat.sh --spend")),
        "set -eu",
        'cd "$(dirname "$0")"',
    ]
    lines += ["", f"# {_schema_said(told)}", f"[ -e {shlex.quote(told.schema)} ] ||"]
    lines += [f"cat > {shlex.quote(told.schema)} <<'{_END}'", *_laid_out(told.schema_text), _END]
    for command in told.commands:
        lines += ["", f"# {_said(command)}"]
        if spends(command):
            again = _line(simulated(command))
            lines += [
                'if [ "${1-}" = --spend ]; then',
                f"  {_line(command)}",
                "else",
                f"  # {_INSTEAD}",
                f"  {again}",
                "fi",
            ]
        else:
            lines.append(_line(command))
    return "\n".join(lines) + "\n"


def notebook(told: Retold) -> str:
    """A Jupyter notebook (format 4.5) that lies next to the table; `SPEND = True` makes the release."""
    cells = [_cell("markdown", "# From a table to a release\n\n" + "\n".join(_head(told, "SPEND = True")))]
    cells.append(_cell("code", _RUNNING + ("\nSPEND = False" if any(map(spends, told.commands)) else "")))
    cells.append(_cell("markdown", _schema_said(told)))
    written = "\n".join(f"    {line!r}" for line in _laid_out(told.schema_text, end="\n")).strip()
    schema = (
        f"schema = Path({told.schema!r})\nif not schema.exists():\n    schema.write_text({written}, encoding='utf-8')"
    )
    cells.append(_cell("code", schema))
    for command in told.commands:
        cells.append(_cell("markdown", _said(command)))
        if spends(command):
            cells.append(
                _cell("code", f"if SPEND:\n    {_call(command)}\nelse:  # {_INSTEAD}\n    {_call(simulated(command))}")
            )
        else:
            cells.append(_cell("code", _call(command)))
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


_RUNNING = '''import subprocess
import sys
from pathlib import Path


def synthbounds(*words):
    """The command with these words; what it says is shown."""
    done = subprocess.run(
        [sys.executable, "-m", "synthbounds", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    print(done.stdout)
    done.check_returncode()

'''


def _head(told: Retold, spending: str) -> Iterator[str]:
    yield f"What was clicked in `synthbounds serve`, as commands of synthbounds {__version__}."
    table = "".join(c if c.isprintable() else "?" for c in told.table)  # it must not end the comment
    yield f"The table is not in here: put it next to this file, as {table}."
    if any(map(spends, told.commands)):
        yield f"As it stands, this spends nothing. To make the release, which spends the budget each time: {spending}"


def _schema_said(told: Retold) -> str:
    from release.data.schema import parse_schema

    found = parse_schema(told.schema_text)
    if found.is_public and not found.has_draft_note:
        return "The public schema of the table."
    return "The schema of the table: a draft made from its values, which it reveals. Do not pass it on."


def _laid_out(schema: str, *, end: str = "") -> list[str]:
    """Its lines, one per column."""
    body = json.loads(schema)
    columns = [json.dumps(column, ensure_ascii=False) for column in body.pop("columns")]
    head = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in body.items()]
    rows = [f"    {column}{',' * (i < len(columns))}" for i, column in enumerate(columns, start=1)]
    return [line + end for line in ("{", *head, '  "columns": [', *rows, "  ]", "}")]


def _said(command: Sequence[str]) -> str:
    return _SPENDS if spends(command) else _SAID.get(command[0], f"Run {command[0]}.")


def _line(command: Sequence[str]) -> str:
    return shlex.join(["synthbounds", *command])


def _call(command: Sequence[str]) -> str:
    return f"synthbounds({', '.join(map(repr, command))})"


def _cell(kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    return cell if kind == "markdown" else cell | {"execution_count": None, "outputs": []}
