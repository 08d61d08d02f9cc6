"""Discovery: every module of verify.claims that defines CLAIMS is in the ledger. Nothing is listed by hand."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import verify.claims
from bounds.errors import DataError
from verify.claim import Claim


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every claim, by id."""
    found: dict[str, Claim] = {}
    for module in pkgutil.iter_modules(verify.claims.__path__):
        for claim in _claims_of(module.name):
            if claim.id in found:
                raise DataError(f"ledger file {module.name}: the id {claim.id} stands in another file, too")
            found[claim.id] = claim
    return tuple(found[name] for name in sorted(found))


def _claims_of(name: str) -> tuple[Claim, ...]:
    """The claims of one file; whatever is wrong with it is said in one line."""
    try:
        claims = importlib.import_module(f"verify.claims.{name}").CLAIMS
    except Exception as error:
        raise DataError(f"ledger file {name}: cannot be read ({type(error).__name__}: {str(error)[:100]})") from None
    if not isinstance(claims, tuple) or not all(isinstance(claim, Claim) for claim in claims):
        raise DataError(f"ledger file {name}: CLAIMS must be a tuple of claims")
    return claims
