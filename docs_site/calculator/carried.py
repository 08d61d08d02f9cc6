"""Which modules the page contains: all that its questions can reach and that it can import, found from the imports.

A module that needs a package the page does not have (numpy, say) cannot be imported there, so it is left out, and with
it all modules that only such modules need. A module left out is recorded with the package that it needs, so that the
answer to a question that would have used it can say so.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docs_site.pages import ROOT
from synthbounds.web.allowed import allowed

OURS = ("bounds", "release", "lp", "mechanisms", "verify", "synthbounds")
UNASKED = (
    "synthbounds.report",
    "verify.spread.cluster",
    "verify.spread.processes",
    "verify.spread.store",
    "mechanisms.models.sklearn_",
    "release.measure",
    "release.query.make",
    "release.comparison.make",
    "release.noise.cube",
    "release.noise.draw",
    "release.noise.exact",
    "release.noise.exponential",
    "release.noise.geometric",
    "release.noise.rounded_gaussian",
    "release.noise.uniform",
)
"""Beginnings of modules that no question of the page uses: reports are files, a browser has no other workers, and it
draws no noise."""
PRESENT = {*OURS, *sys.stdlib_module_names, "flint"}


@dataclass(frozen=True)
class Imports:
    """What a module imports when it is imported, and what its functions import later."""

    at_once: frozenset[str]
    later: frozenset[str]


@dataclass(frozen=True)
class Carried:
    """Modules by name with their files, and those left out with the package that they need."""

    files: dict[str, Path]
    left_out: dict[str, str]


@cache
def our_files() -> dict[str, Path]:
    """Every one of our modules by its name."""
    paths = [path for package in OURS for path in sorted((ROOT / package).rglob("*.py"))]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def carried() -> Carried:
    """The modules that the questions of the page reach."""
    files = our_files()
    roots = ["synthbounds.web.engine", *(f"synthbounds.cli.{command}_command" for command in allowed())]
    roots += [name for name in files if name.startswith("bounds.theorems.")]  # found by looking into the folder
    left_out = _left_out(files)
    reached: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in reached or name.startswith(UNASKED):
            continue
        reached.add(name)
        if name not in left_out:
            found = imports_of(name)
            waiting += found.at_once & files.keys() | found.later & files.keys()
    return Carried(
        {name: files[name] for name in sorted(reached - left_out.keys())},
        {name: left_out[name] for name in sorted(reached & left_out.keys())},
    )


def _left_out(files: Iterable[str]) -> dict[str, str]:
    """Modules whose import fails in the page, by the package that is missing."""
    missing = {
        name: min(needed)
        for name in files
        if (needed := {other for other in imports_of(name).at_once if "." not in other} - PRESENT)
    }
    while True:
        more = {
            name: missing[min(failing)]
            for name in files
            if name not in missing and (failing := imports_of(name).at_once & missing.keys())
        }
        if not more:
            return missing
        missing |= more


@cache
def imports_of(name: str) -> Imports:
    """The imports of one of our modules."""
    path = our_files()[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(path.read_bytes())
    at_once = frozenset(_named(_at_once(tree.body), package)) | {package} - {name, ""}
    return Imports(at_once, frozenset(_named(ast.walk(tree), package)))


def _at_once(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """The statements that run on import, without those for type checkers."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If) and ast.unparse(statement.test) != "TYPE_CHECKING":
            yield from _at_once([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.With):
            yield from _at_once(statement.body)


def _named(nodes: Iterable[ast.AST], package: str) -> Iterator[str]:
    """The modules that imports name, and the packages above them; a name computed at run time is not seen."""
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{package}: imports are absolute here")
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
            names = [name.value for name in node.args if isinstance(name, ast.Constant) and isinstance(name.value, str)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: i + 1]) for i in range(len(parts)))
