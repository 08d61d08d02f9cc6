"""Discovery: every module of verify.claims that defines CLAIMS is in the ledger. Nothing is listed by hand."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import verify.claims
from verify.claim import Claim


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every claim, by id."""
    found: dict[str, Claim] = {}
    for module in pkgutil.iter_modules(verify.claims.__path__):
        for claim in importlib.import_module(f"verify.claims.{module.name}").CLAIMS:
            if claim.id in found:
                raise RuntimeError(f"two claims have the id {claim.id}")
            found[claim.id] = claim
    return tuple(found[name] for name in sorted(found))
