"""The part of a schema that is a ledger: what a budget was, and what was spent of it."""

from __future__ import annotations

from typing import get_args

from bounds.privacy.amounts import MOST_CHARACTERS, Currency, State
from bounds.privacy.ledger import MOST_ENTRIES
from synthbounds.schemas.parts import ADJACENCY, FRACTION, choice, either, many, maybe, obj, part, text

_COST = part(
    "cost",
    either(*(obj(dict.fromkeys(currency.value, FRACTION)) for currency in Currency)),
    "An amount in the currency of a ledger.",
)
_WHAT = text(1, MOST_CHARACTERS)
LEDGER = obj(
    {
        "adjacency": ADJACENCY,
        "total": _COST,
        "target": (maybe(_COST), "the (epsilon, dp_delta) that the total was computed from"),
        "entries": many(
            obj(
                {
                    "what": _WHAT,
                    "cost": _COST,
                    "state": choice(get_args(State)),
                    "reserve": (maybe(_WHAT), "the reservation that paid"),
                }
            ),
            1,
            MOST_ENTRIES,
        ),
    }
)
