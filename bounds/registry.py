"""Discovery: every module of bounds.theorems that defines THEOREM is in the registry. Nothing is listed by hand."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import MappingProxyType

import bounds
import bounds.theorems
from bounds.errors import ParameterError, UsageError
from bounds.model import Theorem


@cache
def all_theorems() -> MappingProxyType[str, Theorem]:
    """Every theorem by id, in alphabetical order."""
    found: dict[str, Theorem] = {}
    for module in pkgutil.iter_modules(bounds.theorems.__path__):
        theorem = getattr(importlib.import_module(f"bounds.theorems.{module.name}"), "THEOREM", None)
        if theorem is None:
            raise RuntimeError(f"bounds/theorems/{module.name}.py defines no THEOREM")
        if theorem.id in found:
            raise RuntimeError(f"two files define the theorem {theorem.id}")
        found[theorem.id] = theorem
    return MappingProxyType(dict(sorted(found.items())))


def find_theorem(theorem_id: str) -> Theorem:
    """The theorem with that id; a near miss is suggested."""
    theorems = all_theorems()
    if not isinstance(theorem_id, str):
        raise ParameterError("theorem", theorem_id, "an id as `synthbounds list` shows it")
    if theorem_id in theorems:
        return theorems[theorem_id]
    from difflib import get_close_matches

    close = get_close_matches(theorem_id, theorems, n=1) or [
        known for known in theorems if known.endswith("." + theorem_id)
    ]
    hint = f"did you mean {close[0]}?" if close else "see `synthbounds list`"
    raise UsageError(f"theorem {theorem_id[:60]!r} is not known: {hint}")


@cache
def registry_digest() -> str:
    """A short fingerprint of all the mathematics, so that an answer can be tied to the formulas behind it."""
    from hashlib import sha256
    from pathlib import Path

    digest = sha256()
    root = Path(bounds.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
