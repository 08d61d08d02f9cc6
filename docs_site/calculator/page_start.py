"""What Python does first inside the page: import python-flint piece by piece, and make a function that answers.

`import flint` loads every one of its forty extension modules, and the linker of the browser takes longer with each.
Here a name is loaded when it is used. The build adds `page_facts`: the digest of the sources, of which the page
contains only the bytecode, and the modules left out. This module runs in the browser; none of our modules imports it.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

FACTS = import_module("page_facts")


class LeftOut:
    """The last of the finders: says which package one of our modules would have needed."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        if needed := FACTS.LEFT_OUT.get(name):
            raise ModuleNotFoundError(f"{name} needs {needed}", name=needed)


def load_flint_lazily() -> None:
    """Replace flint by a package that imports what its `__init__` imports, but one name at a time."""
    spec = find_spec("flint")
    if spec is None or spec.origin is None:
        raise ImportError("python-flint is not unpacked", name="flint")
    imports = [node for node in ast.parse(Path(spec.origin).read_bytes()).body if isinstance(node, ast.ImportFrom)]
    homes = {alias.asname or alias.name: (node.module, alias.name) for node in imports for alias in node.names}
    flint = ModuleType("flint")
    flint.__spec__, flint.__path__ = spec, spec.submodule_search_locations or []

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module 'flint' has no attribute {name!r}")
        home, own = homes[name]
        found = getattr(import_module(f"flint.{home}"), own)
        setattr(flint, name, found)
        return found

    flint.__getattr__ = load  # type: ignore[method-assign]
    sys.modules["flint"] = flint
    sys.setdlopenflags(sys.getdlopenflags() | os.RTLD_GLOBAL)  # or FLINT's symbols are copied for every module


def start() -> Callable[[str, Callable[[str], None]], None]:
    """A function that answers a question, message by message."""
    sys.meta_path.append(LeftOut)
    load_flint_lazily()
    import bounds.registry
    from synthbounds.web.engine import respond

    bounds.registry.registry_digest = lambda: FACTS.DIGEST  # type: ignore[assignment]

    def answer(text: str, send: Callable[[str], None]) -> None:
        for message in respond(text):
            send(message)

    return answer
