"""The schema of a ledger, as contained in releases, recovery files and accounts."""

from __future__ import annotations

from typing import get_args

from bounds.privacy.amounts import MOST_CHARACTERS, Currency, State
from bounds.privacy.ledger import MOST_ENTRIES
from synthbounds.schemas.parts import ADJACENCY, FRACTION, Schema, choice, either, many, maybe, obj, part, text

_COST = part(
    "cost",
    either(*(obj(dict.fromkeys(currency.value, FRACTION)) for currency in Currency)),
    "An amount in the currency of a ledger.",
)
_WHAT = text(1, MOST_CHARACTERS)


def ledger(*, cost: Schema = _COST, target: Schema = _COST, least_entries: int = 1) -> Schema:
    """A budget with its entries."""
    entry = obj(
        {
            "what": _WHAT,
            "cost": cost,
            "state": choice(get_args(State)),
            "reserve": (maybe(_WHAT), "the reservation that paid"),
        }
    )
    return obj(
        {
            "adjacency": ADJACENCY,
            "total": cost,
            "target": (maybe(target), "the (epsilon, dp_delta) that the total was computed from"),
            "entries": many(entry, least_entries, MOST_ENTRIES),
        }
    )
