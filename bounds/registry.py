"""Discovery: every module of bounds.theorems that defines THEOREM is in the registry. Nothing is listed by hand."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import MappingProxyType

import bounds
import bounds.theorems
from bounds.errors import ParameterError, UsageError, shorten
from bounds.model import Theorem
from bounds.numbering import Place, nearest_to, read_place


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


class NoTheoremThere(UsageError):
    """A place of a paper at which this registry has nothing; the ledger may have a claim there."""


def find_theorem(theorem_id: str) -> Theorem:
    """The theorem with this id, or at this place in a paper; a near miss is suggested."""
    theorems = all_theorems()
    if not isinstance(theorem_id, str):
        raise ParameterError("theorem", theorem_id, "an id as `synthbounds list` shows it")
    if theorem_id in theorems:
        return theorems[theorem_id]
    place = read_place(theorem_id)
    if place is not None:
        return _the_one_at(place)
    from bounds.nearest import did_you_mean
    from bounds.papers import PAPERS

    if theorem_id in PAPERS:
        raise UsageError(f"{theorem_id} is a paper, not a theorem: see `synthbounds list --paper {theorem_id}`")
    ends = next((known for known in theorems if known.endswith("." + theorem_id)), theorem_id)
    hint = did_you_mean(ends, theorems, "see `synthbounds list`")
    raise UsageError(f"theorem {theorem_id[:60]!r} is not known: {hint}")


def theorems_at(place: Place) -> tuple[Theorem, ...]:
    """The statements of papers at a place; first of all those at this place and no other."""
    return nearest_to(place, [(t.citation.paper, t.citation.locator, t) for t in all_theorems().values()])


def _the_one_at(place: Place) -> Theorem:
    found = theorems_at(place)
    if len(found) == 1:
        return found[0]
    asked = shorten(place.text)
    if not found:
        raise NoTheoremThere(f"no theorem here is at {asked}")
    known = ", ".join(f"{t.id} ({t.citation.locator} of {t.citation.paper})" for t in found)
    raise UsageError(f"{asked} stands for {len(found)} statements: give one of {known}")


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
