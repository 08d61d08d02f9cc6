"""What an expression in a page may name, and its value.

Our packages by their full names; a module of `verify.numbers` or `docs_site.numbers.of_pages` by its own; and the few
names that stand here. Pages are ours: an expression is Python.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import math
import statistics
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = frozenset(("bounds", "release", "lp", "mechanisms", "verify", "synthbounds"))
PACKAGES |= {"paper_figures", "benchmarks", "docs_site", "tests"}
_ROOMS = ("docs_site.numbers.of_pages", "verify.numbers")


@cache
def run(name: str) -> dict[str, Any]:
    """The recorded result of a benchmark."""
    found: dict[str, Any] = json.loads((ROOT / f"benchmarks/results/{name}.json").read_text(encoding="utf-8"))
    return found


def pick(table: dict[str, Any], *keys: str) -> list[Any]:
    """Some of the values of a table, in this order."""
    return [table[key] for key in keys]


def default(command: str, option: str) -> Any:
    """The default of an option of a command."""
    return importlib.import_module("synthbounds.api.commands").COMMANDS[command].parameters[option].default


_NAMES: dict[str, Any] = {
    "run": run,
    "pick": pick,
    "default": default,
    "Fraction": Fraction,
    "Decimal": Decimal,
    "mean": statistics.fmean,
    "median": statistics.median,
    **{name: getattr(math, name) for name in ("ceil", "comb", "exp", "floor", "log", "log2", "log10", "pi", "sqrt")},
}


@cache
def value_of(expression: str) -> Any:
    """The value; computed once in a process."""
    tree = ast.parse(expression, mode="eval")
    names = dict(_NAMES)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            _bring(names, ast.unparse(node))
        elif isinstance(node, ast.Name):
            _bring(names, node.id)
    value = eval(compile(tree, expression, "eval"), names)  # noqa: S307 -- of pages, which are ours
    return list(value) if hasattr(value, "__next__") else value


def _bring(names: dict[str, Any], dotted: str) -> None:
    """Import what a dotted name needs."""
    first, *rest = dotted.split(".")
    if first in PACKAGES:
        names[first] = importlib.import_module(first)
        for end in range(1, len(rest) + 1):
            whole = ".".join((first, *rest[:end]))
            if not rest[end - 1].isidentifier() or importlib.util.find_spec(whole) is None:
                return
            importlib.import_module(whole)
            if not hasattr(importlib.import_module(whole), "__path__"):
                return
    elif first == "sb":
        names[first] = importlib.import_module("synthbounds")
    elif first not in names:
        for room in _ROOMS:
            if importlib.util.find_spec(f"{room}.{first}") is not None:
                names[first] = importlib.import_module(f"{room}.{first}")
                return
