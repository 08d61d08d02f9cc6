"""Discovery: every module of verify.claims that defines CLAIMS is in the ledger. Nothing is listed by hand.

A module may also define WITHDRAWN: the remains of claims that were once there. Their ids are never used again.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import verify.claims
from bounds.errors import DataError, ParameterError, UsageError, shorten
from bounds.listing import listed
from bounds.nearest import did_you_mean
from bounds.numbering import Place, read_place, standing_at
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


def claims_at(said: str, among: Sequence[Claim]) -> tuple[Claim, ...]:
    """Those at a place of one paper, such as "zhou2024 Theorem 3.2"; none if that is not a place."""
    place = read_place(said)
    if place is None:
        return ()
    found = standing_at(place, [(claim.paper, claim.locator, claim) for claim in among])
    papers = sorted({claim.paper for claim in found})
    if len(papers) > 1:
        asked = shorten(said)
        raise UsageError(f"{asked} is in {', '.join(papers)}: name the paper, as in '{papers[0]} {asked}'")
    return found


def the_claim(said: str) -> Claim:
    """The one with that id, or the only one at that place."""
    claims = {claim.id: claim for claim in all_claims()}
    if said in claims:
        return claims[said]
    found = claims_at(said, all_claims())
    if len(found) != 1:  # of several, the one that stands there and nowhere else
        numbers = [read_place(text) for text in (said, *(claim.locator for claim in found))]
        exact = [c for c, at in zip(found, numbers[1:], strict=True) if at and numbers[0] and _same(at, numbers[0])]
        found = tuple(exact) if len(exact) == 1 else found
    if len(found) == 1:
        return found[0]
    if found:
        known = listed([f"{claim.id} ({claim.locator})" for claim in found], 8)
        raise UsageError(f"{shorten(said)} has {len(found)} claims: give the id of one, such as {known}")
    hint = did_you_mean(said, claims, "see `synthbounds verify`")
    raise ParameterError("falls", said, "the id of a claim, or a place such as 'Lemma A.1'", hint)


def _same(one: Place, other: Place) -> bool:
    return [n.number for n in one.numbers] == [n.number for n in other.numbers]


def _collected(name: str, kind: type[_Entry]) -> tuple[_Entry, ...]:
    found: dict[str, _Entry] = {}
    for module in pkgutil.iter_modules(verify.claims.__path__):
        for entry in _entries_of(module.name, name, kind):
            if entry.id in found:
                raise DataError(f"ledger file {module.name}: the id {entry.id} is also in another file")
            found[entry.id] = entry
    return tuple(found[key] for key in sorted(found))


def _entries_of(module: str, name: str, kind: type[_Entry]) -> tuple[_Entry, ...]:
    """The entries of one file; anything wrong with it is reported in one line."""
    try:
        content = importlib.import_module(f"verify.claims.{module}")
        entries = content.CLAIMS if name == "CLAIMS" else getattr(content, name, ())
    except Exception as error:
        raise DataError(f"ledger file {module}: cannot be read ({type(error).__name__}: {str(error)[:100]})") from None
    if not isinstance(entries, tuple) or not all(isinstance(entry, kind) for entry in entries):
        raise DataError(f"ledger file {module}: {name} must be a tuple of {kind.__name__}")
    return entries
