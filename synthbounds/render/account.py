"""An account as a document and as JSON, and what a release says about the account in which it is recorded."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from bounds.exact import show_rational
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.amounts import Entry
from release.account.file import Account
from release.account.fitting import gaussian_cost, gaussian_fits
from release.spending import InAccount
from synthbounds.render.document import Answer, Block, Document, Facts, Table, Title
from synthbounds.render.numbers import down, up

_PUBLIC = {
    Adjacency.REPLACE_ONE: "the number of people is public",
    Adjacency.ADD_REMOVE: "the number of people is private",
}


def account_document(account: Account, file: str) -> Document:
    """What may be spent, what was and what is left; then the entries."""
    ledger = account.ledger
    rows = [
        ("total", up(ledger.total, 6), f"{account.unit} that may be spent{_meaning(account, ledger.total)}"),
        ("spent", up(ledger.spent, 6), f"so far{_meaning(account, ledger.spent)}"),
    ]
    if ledger.reserved:
        rows.append(("reserved", up(ledger.reserved, 6), "kept for the queries that releases have planned"))
    rows.append(("left", down(ledger.left, 6), f"for future releases{_fits(account)}"))
    blocks: list[Block] = [
        Title("Account", account.name),
        Answer(tuple(rows)),
        Facts(
            (
                ("File", file),
                ("Privacy", f"adjacency {account.adjacency.value}; {_PUBLIC[account.adjacency]}"),
                ("Counts", _counts(account)),
                *_same_epsilon(account),
                (
                    "Promise",
                    f"everything ever recorded here together has {_promise(account)}, "
                    "even if a cost was chosen after earlier results were seen",
                ),
                ("Proof", "docs/proofs/synthbounds.account.md"),
            )
        ),
    ]
    if ledger.entries:
        listed = tuple((entry.what, entry.state, up(entry.amount, 6)) for entry in ledger.entries)
        blocks.append(Table("Entries", ("what", "state", account.unit), listed, right=frozenset({2})))
    return tuple(blocks)


def account_payload(account: Account, file: str) -> dict[str, Any]:
    """The same as JSON; every amount is rounded to the side that is safe."""
    ledger = account.ledger
    return {
        "file": file,
        **_state(account),
        "adjacency": account.adjacency.value,
        "n_is_public": account.adjacency is Adjacency.REPLACE_ONE,
        "dp_delta": None if account.dp_delta is None else show_rational(account.dp_delta),
        "epsilon_total": up(account.as_epsilon(ledger.total), 25),
        "epsilon_spent": up(account.as_epsilon(ledger.spent), 25),
        "epsilon_fits": None if account.dp_delta is None else gaussian_fits(account),
        "entries": _entries(ledger.entries),
    }


def booked_block(found: InAccount) -> Facts:
    """What a release says about its account."""
    account, ledger = found.account, found.account.ledger
    booked = [_booked(account, entry) for entry in found.entries]
    left = f"{account.unit} = {down(ledger.left, 6)} of {up(ledger.total, 6)}; the total is {_promise(account)}"
    rows = (("Account", f"{account.name}, {found.file}"), ("Recorded", "; ".join(booked) or "nothing"), ("Left", left))
    return Facts(rows, "Account")


def _booked(account: Account, entry: Entry) -> str:
    paid = "" if entry.reserve is None else ", paid from what was reserved"
    return f"{account.unit} = {up(entry.amount, 6)} {entry.state} ({entry.what}){paid}"


def booked_payload(found: InAccount) -> dict[str, Any]:
    return {"file": found.file, "booked": _entries(found.entries), **_state(found.account)}


def _state(account: Account) -> dict[str, str]:
    ledger = account.ledger
    return {
        "name": account.name,
        "unit": account.unit,
        "total": up(ledger.total, 25),
        "spent": up(ledger.spent, 25),
        "reserved": up(ledger.reserved, 25),
        "left": down(ledger.left, 25),
    }


def _entries(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    return [
        {"what": entry.what, "amount": up(entry.amount, 25), "state": entry.state, "reserve": entry.reserve}
        for entry in entries
    ]


def _meaning(account: Account, amount: Fraction) -> str:
    """What rho is as epsilon; a pure account counts that already."""
    if account.dp_delta is None or not amount:
        return ""
    return f": epsilon = {up(account.as_epsilon(amount), 6)} at dp-delta = {show_rational(account.dp_delta)}"


def _fits(account: Account) -> str:
    """The largest release with Gaussian noise that what is left pays for."""
    fits = None if account.dp_delta is None else gaussian_fits(account)
    return "" if fits is None else f": Gaussian noise of epsilon = {fits} at this dp-delta"


def _same_epsilon(account: Account) -> list[tuple[str, str]]:
    """Of a new account, that a release of the same epsilon costs more, and why."""
    total = account.ledger.total
    if account.dp_delta is None or account.ledger.entries:
        return []
    epsilon = account.as_epsilon(total)
    cost, fits = gaussian_cost(epsilon, account), gaussian_fits(account)
    if cost <= total:
        return []
    said = (
        f"with Gaussian noise of epsilon = {up(epsilon, 6)} costs rho = {up(cost, 6)}, more than the total, if its "
        "cost comes from its exact curve: rho is converted by a bound that holds for any noise"
    )
    return [("A release", said if fits is None else f"{said}; epsilon = {fits} fits")]


def _counts(account: Account) -> str:
    if account.dp_delta is None:
        return "epsilon of pure privacy; anything with a delta is refused"
    return "rho: epsilon^2/2 of pure privacy, mu^2/2 of Gaussian privacy; a cost in epsilon and delta only is refused"


def _promise(account: Account) -> str:
    found = f"epsilon = {up(account.as_epsilon(account.ledger.total), 6)}"
    return found if account.dp_delta is None else f"{found}, dp-delta = {show_rational(account.dp_delta)}"
