"""What may be asked through the door: for each command the options that a question can have, and their limits.

A list of what is allowed, never of what is forbidden: a new option of a command stays out until it is written here. A
test holds the list to the parameter tables and shows that no option in it can name a file.
"""

from __future__ import annotations

from functools import cache

from bounds.errors import UsageError
from bounds.parameter import Parameter
from synthbounds.api import Command
from synthbounds.api.commands import COMMANDS

MOST_CHARACTERS = 200
"""Of one value; the longest useful number is far shorter."""
MOST_VALUES = 500
"""Points of one curve."""

_PROMISE = "epsilon dp-delta delta gamma accuracy failure adjacency"
_QUERIES = "p t degree family queries k tau1 tau2 tau lipschitz density-max kappa mechanism rows release"
_MODEL = "loss tau radius intercept optimisation-gap features marginals marginal-error nu n levels target solve-for"
_OPTIONS = {
    "require": f"measure edition theorem solve-for n {_PROMISE} {_QUERIES}",
    "compare": f"measure {_PROMISE} {_QUERIES} {_MODEL} approximation",
    "risk": f"{_MODEL} edition theorem approximation k epsilon dp-delta failure release adjacency log-n query-constant",
    "approx": "function interval degree method marginal-error",
    "explain": "id at edition",
    "list": "paper",
    "cite": "what",
    "certify": "plan n epsilon dp-delta adjacency features reserve target fourth tau ridge loss intercept beta",
}
NEEDED = {"certify": "plan"}
"""The option that turns a command about files into one about numbers."""


def name_of(parameter: Parameter) -> str:
    """As on the command line, without dashes in front."""
    return parameter.name if parameter.positional else parameter.option.removeprefix("--")


@cache
def allowed() -> dict[str, dict[str, Parameter]]:
    """By command, what may be said there, in the order of the declaration."""
    found = {}
    for command, text in _OPTIONS.items():
        declared = {name_of(parameter): parameter for parameter in COMMANDS[command].parameters.values()}
        names = text.split()
        found[command] = {name: declared[name] for name in sorted(names, key=list(declared).index)}
    return found


def command_named(name: object) -> Command:
    """The declaration of a command that may be asked."""
    if not isinstance(name, str) or name not in _OPTIONS:
        raise UsageError(f"command = {shown(name)}: must be one of {', '.join(_OPTIONS)}")
    return COMMANDS[name]


def shown(value: object) -> str:
    """What was said, short enough for a message and on one line; what is no text is shown only by its kind."""
    if not isinstance(value, str):
        return {dict: "an object", list: "a list", bool: "true or false"}.get(type(value), "nothing")
    text = "".join(c if c.isprintable() else "?" for c in value[:40])
    return text if len(value) <= 40 else f"{text}..."
