"""From a question to an answer: the options become what the command line would have parsed, and the command runs.

There is no parser in between: what a question says is looked up in the declared parameters, so nothing is abbreviated,
read twice or smuggled in. Values stay text, as the mathematics parses them exactly.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bounds.errors import UsageError
from bounds.parameter import Parameter
from synthbounds.api import Command
from synthbounds.cli.outcome import json_body
from synthbounds.web.allowed import MOST_CHARACTERS, NEEDED, allowed, command_named, shown
from synthbounds.web.equivalents import command_line, python_line
from synthbounds.web.one_person import meaning_for_one

if TYPE_CHECKING:
    from synthbounds.cli.outcome import Outcome


@dataclass(frozen=True)
class Question:
    """A command and what is said to it, checked: allowed names, short printable text, or True for a flag."""

    command: Command
    said: Mapping[str, str | bool]
    """By the names of the parameters."""

    def at(self, parameter: Parameter, value: object) -> Question:
        """The same question with another value of one parameter."""
        return Question(self.command, {**self.said, parameter.name: read_value(parameter, value)})


def read_question(command: object, options: object) -> Question:
    """The question that these denote, or one line that says what is wrong with them."""
    declared = command_named(command)
    if not isinstance(options, dict):
        raise UsageError(f"options = {shown(options)}: must be an object of names and values")
    said = {}
    for name, value in options.items():
        parameter = parameter_named(declared, name)
        said[parameter.name] = read_value(parameter, value)
    needed = NEEDED.get(declared.name)
    if needed is not None and needed not in said:
        raise UsageError(f"{declared.name}: give {needed} = true; files cannot be named here")
    missing = [name for name, p in declared.parameters.items() if p.positional and not p.optional and name not in said]
    if missing:
        raise UsageError(f"the following arguments are required: {', '.join(missing)}")
    return Question(declared, said)


def parameter_named(command: Command, name: object) -> Parameter:
    """What an option of a question stands for."""
    found = allowed()[command.name].get(name) if isinstance(name, str) else None
    if found is None:
        raise UsageError(f"{shown(name)}: not an option of {command.name} that can be asked here")
    return found


def read_value(parameter: Parameter, value: object) -> str | bool:
    name = parameter.name.replace("_", "-")
    if parameter.kind == "flag":
        if value is not True:
            raise UsageError(f"{name} = {shown(value)}: must be true, or left out")
        return True
    if type(value) is not str:  # a number of JSON may have lost digits on its way
        raise UsageError(f"{name} = {shown(value)}: must be text, even for a number")
    if len(value) > MOST_CHARACTERS or not value.isprintable():
        raise UsageError(f"{name} = {shown(value)}: must be printable text of at most {MOST_CHARACTERS} characters")
    return value


def run(question: Question) -> Outcome:
    """What the command has to say."""
    outcome: Outcome = import_module(f"synthbounds.cli.{question.command.name}_command").run(_parsed(question))
    return outcome


def _parsed(question: Question) -> argparse.Namespace:
    """The options as the parser of the command line leaves them."""
    declared = question.command.parameters
    values: dict[str, Any] = {
        name: str(p.default) if p.filled else False if p.kind == "flag" else None for name, p in declared.items()
    }
    return argparse.Namespace(command=question.command.name, declared=question.command, **{**values, **question.said})


def answer(question: Question) -> dict[str, Any]:
    """The message that answers: what `--format json` prints, the same in words, and how to ask it elsewhere."""
    from synthbounds.render.sentences import sentence

    outcome = run(question)
    name = question.command.name
    return {
        "exit_code": outcome.exit_code,
        "body": json_body(outcome, name),
        "warnings": list(outcome.warnings),
        "sentence": sentence(name, outcome.answer),
        "meaning": meaning_for_one(name, outcome.answer, question.said),
    }


def equivalents(question: Question) -> dict[str, str]:
    """The same question on a command line and in Python."""
    return {
        "line": command_line(question.command, question.said),
        "python": python_line(question.command, question.said),
    }
