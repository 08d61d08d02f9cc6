"""Schemas of accounts: the file, the report on one, and what a release says about the account that records it."""

from __future__ import annotations

from typing import get_args

from bounds.privacy.amounts import MOST_CHARACTERS, Currency, State
from release.account import file
from synthbounds.schemas.ledgers import ledger
from synthbounds.schemas.parts import (
    ADJACENCY,
    BOOLEAN,
    DECIMAL,
    DIGEST,
    FRACTION,
    NULL,
    SHOWN,
    TEXT,
    Fields,
    Schema,
    choice,
    const,
    either,
    has,
    many,
    maybe,
    obj,
    output,
    part,
    text,
    when,
)

_AMOUNT = either(obj({"epsilon": FRACTION}), obj({"rho": FRACTION}))
_ACCOUNT = obj(
    {
        "synthbounds_account": const(file.VERSION),
        "name": (text(1, MOST_CHARACTERS), "of the people"),
        "dp_delta": (maybe(FRACTION), "at which rho is converted to epsilon; null if pure epsilon is counted"),
        "ledger": ledger(cost=_AMOUNT, target=obj(dict.fromkeys(("epsilon", "dp_delta"), FRACTION)), least_entries=0),
        "digest": (DIGEST, "of everything else in the file"),
    }
)
_UNIT = choice((Currency.EPSILON.text, Currency.RHO.text))
_ENTRIES = many(
    obj(
        {
            "what": (TEXT, "with the stated cost"),
            "amount": (DECIMAL, "in the unit, rounded up"),
            "state": choice(get_args(State)),
            "reserve": (maybe(TEXT), "the reservation that paid"),
        }
    )
)
_STATE: Fields = {
    "file": (TEXT, "of the account"),
    "name": (TEXT, "of the people"),
    "unit": _UNIT,
    "total": (DECIMAL, "that may be spent"),
    "spent": DECIMAL,
    "reserved": (DECIMAL, "for queries that releases have planned"),
    "left": (DECIMAL, "rounded down"),
}
_BOOKED = part(
    "booked",
    obj({**_STATE, "booked": (_ENTRIES, "by this command; nothing by a simulation")}),
    "The account of the people in the table, after this command.",
)
IN_ACCOUNT: Fields = {"account": (_BOOKED, "with --account")}
"""For every command that releases."""
_SHOW: Fields = {
    **_STATE,
    "adjacency": ADJACENCY,
    "n_is_public": BOOLEAN,
    "dp_delta": (maybe(SHOWN), "at which rho is converted; null for pure epsilon"),
    "epsilon_total": (DECIMAL, "to which the total converts"),
    "epsilon_spent": (DECIMAL, "to which the amount spent so far converts"),
    "epsilon_fits": (maybe(DECIMAL), "the largest of a release with Gaussian noise, at dp_delta; null if none fits"),
    "entries": _ENTRIES,
}
ACCOUNTS: dict[str, tuple[str, str, Schema]] = {
    "account": ("Account", "Everything spent on the same people. See docs/accounts.md.", _ACCOUNT),
    "output-account": (
        "account",
        "What may be spent on the same people, what was spent, and what is left.",
        output("account", _SHOW, rules=[when("unit", "epsilon", has(dp_delta=NULL), has(dp_delta=SHOWN))]),
    ),
}
