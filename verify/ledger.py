"""Discovery: every module of verify.claims that defines CLAIMS is in the ledger. Nothing is listed by hand.

A module may also define WITHDRAWN: what is left of claims that once stood there. Their ids are never used again.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TypeVar

import verify.claims
from bounds.errors import DataError
from verify.claim import Claim, Withdrawn

_Entry = TypeVar("_Entry", Claim, Withdrawn)


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every claim, by id."""
    return _collected("CLAIMS", Claim)


@cache
def all_withdrawn() -> tuple[Withdrawn, ...]:
    """Every claim that was withdrawn, by id."""
    withdrawn = _collected("WITHDRAWN", Withdrawn)
    living = {claim.id for claim in all_claims()}
    for entry in withdrawn:
        if entry.id in living:
            raise DataError(f"the id {entry.id} was withdrawn, and must not be used again")
    return withdrawn


def _collected(name: str, kind: type[_Entry]) -> tuple[_Entry, ...]:
    found: dict[str, _Entry] = {}
    for module in pkgutil.iter_modules(verify.claims.__path__):
        for entry in _entries_of(module.name, name, kind):
            if entry.id in found:
                raise DataError(f"ledger file {module.name}: the id {entry.id} stands in another file, too")
            found[entry.id] = entry
    return tuple(found[key] for key in sorted(found))


def _entries_of(module: str, name: str, kind: type[_Entry]) -> tuple[_Entry, ...]:
    """The entries of one file; whatever is wrong with it is said in one line."""
    try:
        content = importlib.import_module(f"verify.claims.{module}")
        entries = content.CLAIMS if name == "CLAIMS" else getattr(content, name, ())
    except Exception as error:
        raise DataError(f"ledger file {module}: cannot be read ({type(error).__name__}: {str(error)[:100]})") from None
    if not isinstance(entries, tuple) or not all(isinstance(entry, kind) for entry in entries):
        raise DataError(f"ledger file {module}: {name} must be a tuple of {kind.__name__}")
    return entries
