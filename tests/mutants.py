"""What a changed constant does to the corpus: `python -m tests.mutants FILE THEOREM ...`, run in a copy of the project.

It reads versions of the file, one JSON string per line, and prints a line for each: `same`, a label whose numbers
differ, or the exception. Starting a process for each version would take most of the time, so each is forked from one
that has loaded everything except the project itself.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from importlib.util import cache_from_source
from pathlib import Path

SAME, FAILED = "same", "failed: "
FORMULAS = ("bounds.theorems", "bounds.pieces")


def _load_the_rest() -> None:
    """Libraries stay loaded, and modules of the project that load no formula; others only leave their bytecode."""
    sys.dont_write_bytecode = False
    from tests.corpus import all_theorems

    all_theorems()
    sys.dont_write_bytecode = True
    names = [name for name in sys.modules if name.split(".")[0] in ("bounds", "tests")]
    _forget(names)
    for name in names:
        before = set(sys.modules)
        import_module(name)
        new = [name for name in sys.modules if name not in before]
        if any(name.startswith(FORMULAS) for name in new):
            _forget(new)


def _forget(names: list[str]) -> None:
    for name in names:
        module = sys.modules.pop(name)
        folder, _, last = name.rpartition(".")
        if vars(sys.modules.get(folder, module)).get(last) is module:
            delattr(sys.modules[folder], last)


def _effect(users: tuple[str, ...], first: list[str]) -> str:
    from tests.corpus import difference

    try:
        return difference(users, first) or SAME
    except Exception as error:
        return f"{FAILED}{type(error).__name__}: {error}".replace("\n", " ")


def _in_a_child(users: tuple[str, ...], first: list[str]) -> str:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, _effect(users, first)[:1000].encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as said:
        text = said.read()
    os.waitpid(child, 0)
    return text


def main(file: str, *users: str) -> None:
    _load_the_rest()
    path, first = Path(file), list[str]()
    Path(cache_from_source(file)).unlink(missing_ok=True)
    for line in sys.stdin:
        path.write_text(json.loads(line), encoding="utf-8")
        effect = _in_a_child(users, first)
        if effect != SAME and not effect.startswith(FAILED):  # the next constant often shows in the same place
            first = [effect, *(label for label in first if label != effect)]
        print(json.dumps(effect), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
