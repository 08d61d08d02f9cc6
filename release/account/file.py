"""The account of some people: one budget under one adjacency, every cost in one unit, and its file.

The unit is epsilon, for pure privacy only, or rho, which is read as epsilon at a declared dp_delta. A cost is
converted by a proved rule or refused with the reason; the amount recorded is never less than the cost.
release.account.book changes files, one process at a time. Proof: docs/proofs/synthbounds.account.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.enclosure import as_fraction, decimal_text
from bounds.errors import BudgetError, DataError, SynthboundsError, UsageError
from bounds.exact import Exact, show_rational
from bounds.parameter import Range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.amounts import MOST_CHARACTERS, Currency, Entry, cost_of, require_what
from bounds.privacy.concentrated import zcdp_epsilon
from bounds.privacy.ledger import Ledger
from bounds.privacy.other_adjacency import EPSILON_FACTOR, SQUARE_FACTOR, under_adjacency
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement, read_delta
from bounds.shown import Shown
from release.files.digest import digest_of
from release.files.fields import read_exact, require_digest, require_version
from release.files.strict_json import is_text, parse_json, read_json_file, require_object, shown

VERSION = 1
_DIGITS = 15
"""Significant digits to which a cost is rounded up, so that the sum of very many costs stays short."""
_FIELDS = {"synthbounds_account", "name", "dp_delta", "ledger", "digest"}
_DELTA = Range(above=0, below=1, reason="a probability")


@dataclass(frozen=True, kw_only=True)
class Charge:
    """What a measurement asks of an account; `kept` is what its release keeps for later, under `reservation`.

    A measurement that was paid for when its release was recorded names that `reservation` and keeps nothing.
    """

    what: str
    cost: Statement
    kept: Statement | None = None
    reservation: str | None = None


class TooLittle(BudgetError):
    """An account has too little left for these charges."""

    account: Account
    charges: tuple[Charge, ...]


@dataclass(frozen=True, kw_only=True)
class Account(Shown):
    """What may be spent on some people, and what was spent; make it with `open_account`, go on with `charged`."""

    name: str
    ledger: Ledger
    dp_delta: Fraction | None
    """At which rho is read; None for pure privacy."""

    def __post_init__(self) -> None:
        require_what(self.name, "name")
        pure, unit = self.dp_delta is None, self.ledger.currency
        if unit is not (Currency.EPSILON if pure else Currency.RHO):
            raise UsageError("account: counts pure epsilon, or rho with the dp_delta at which it is read")
        target = self.ledger.target
        if target is not None and target.delta.lo != self.dp_delta:
            raise UsageError("dp_delta: is not the one from which the total was computed")

    @property
    def unit(self) -> str:
        """epsilon or rho."""
        return self.ledger.currency.text

    @property
    def adjacency(self) -> Adjacency:
        return self.ledger.adjacency

    def as_epsilon(self, amount: Fraction) -> Fraction:
        """What an amount in the unit means as epsilon, at the declared dp_delta, rounded up."""
        if self.dp_delta is None or not amount:
            return amount
        if self.ledger.target is not None and amount == self.ledger.total:
            return self.ledger.target.epsilon.hi  # from which the total was computed, rounded down
        return zcdp_epsilon(ZCDP(rho=amount, adjacency=self.adjacency), dp_delta=self.dp_delta).epsilon.hi  # type: ignore[arg-type]

    def amount_of(self, cost: Statement) -> Fraction:
        """The exact amount of a cost in the unit; refused with the reason if it has none."""
        try:
            if self.dp_delta is None and (isinstance(cost, ZCDP | GaussianDP) or not cost.is_pure):
                raise UsageError(f"{cost.text()}: is not pure privacy, the only kind an account in epsilon counts")
            if isinstance(cost, DP) and not cost.is_pure:
                raise UsageError(f"{cost.text()}: has no rho, since a delta allows losses that no rho bounds")
            return cost_of(under_adjacency(cost, self.adjacency), self.ledger.currency).amount
        except UsageError as error:
            raise UsageError(f"{self._where}: {error}") from None

    def charged(self, charges: Sequence[Charge]) -> Account:
        """The account with all of these recorded; refused as a whole if one of them does not fit."""
        try:
            return self._charged(charges, rounded=True)
        except BudgetError:  # the last digits of what is left may be those of the cost itself
            pass
        try:
            return self._charged(charges, rounded=False)
        except BudgetError:
            refused = TooLittle(f"{self._where}: {self._too_little(charges)}")
        refused.account, refused.charges = self, tuple(charges)
        raise refused

    def asked_by(self, charges: Sequence[Charge]) -> Fraction:
        """What these charges take in total from what is left, including what they keep for later."""
        costs = [charge.cost for charge in charges] + [charge.kept for charge in charges if charge.kept is not None]
        return sum(map(self.amount_of, costs), Fraction(0))

    def _too_little(self, charges: Sequence[Charge]) -> str:
        """What is asked for in total, next to what was left before; in epsilon, too."""
        asked, there = self.asked_by(charges), self.ledger.left
        left, total = decimal_text(there, 6, up=False), decimal_text(self.ledger.total, 6, up=True)
        cost = f"{self.ledger.currency.text} = {decimal_text(asked, 6, up=True)}"
        named = "; ".join(charge.what for charge in charges)
        said = f"{cost}: only {left} of {total} is left for {self.ledger.adjacency.value} ({named})"
        if self.dp_delta is None:
            return said
        costs, leaves = (
            decimal_text(end, 6, up=up) for end, up in ((self.as_epsilon(asked), True), (self._least(), False))
        )
        return (
            f"{said}; as this account counts, that costs epsilon = {costs}, and epsilon = {leaves} is left, "
            f"at dp-delta = {show_rational(self.dp_delta)}"
        )

    def _least(self) -> Fraction:
        """What is left as epsilon, rounded down."""
        if not self.ledger.left or self.dp_delta is None:
            return self.ledger.left
        left = ZCDP(rho=self.ledger.left, adjacency=self.adjacency)  # type: ignore[arg-type]
        return zcdp_epsilon(left, dp_delta=self.dp_delta).epsilon.lo

    def _charged(self, charges: Sequence[Charge], *, rounded: bool) -> Account:
        ledger = self.ledger
        for charge in charges:
            exact = self.amount_of(charge.cost)
            what = self._line(charge.what, charge.cost)
            paying = None if charge.reservation is None or charge.kept else _open(ledger, charge.reservation, exact)
            amount = _rounded_up(exact) if rounded and paying is None else exact
            ledger = self._booked(ledger.spend, ledger.statement(amount), what, reserve=paying)
            if charge.kept is not None and charge.reservation is not None:
                kept = ledger.statement(self.amount_of(charge.kept))
                ledger = self._booked(ledger.reserve, kept, _free(ledger, charge.reservation))
        return replace(self, ledger=ledger)

    def _booked(self, book: Any, cost: Statement, what: str, **more: Any) -> Ledger:
        try:
            found: Ledger = book(cost, what, **more)
        except BudgetError as error:
            raise BudgetError(f"{self._where}: {error}") from None
        except UsageError as error:
            raise UsageError(f"{self._where}: {error}") from None
        return found

    def _line(self, what: str, cost: Statement) -> str:
        """The text of an entry: what it is for, and the cost as it was stated."""
        found = f"{what}: {cost.text()}"
        if cost.adjacency is self.adjacency:
            return found
        factor = EPSILON_FACTOR if self.dp_delta is None else SQUARE_FACTOR
        return f"{found}, counted {factor} times for {self.adjacency.value}"

    @property
    def _where(self) -> str:
        return f"account {shown(self.name)}"

    def new_since(self, before: Account) -> tuple[Entry, ...]:
        """The entries recorded since an earlier state of the same account."""
        known = {entry.what for entry in before.ledger.entries if entry.state == "reserved"}
        spent = [entry for entry in self.ledger.entries if entry.state == "spent"]
        earlier = sum(entry.state == "spent" for entry in before.ledger.entries)
        kept = [entry for entry in self.ledger.entries if entry.state == "reserved" and entry.what not in known]
        return (*spent[earlier:], *kept)

    def to_json(self) -> dict[str, Any]:
        """The object of its file."""
        body = {
            "synthbounds_account": VERSION,
            "name": self.name,
            "dp_delta": None if self.dp_delta is None else str(self.dp_delta),
            "ledger": self.ledger.to_json(),
        }
        return {**body, "digest": digest_of(body)}

    def to_text(self) -> str:
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"


def open_account(
    *,
    name: str,
    adjacency: Adjacency | str,
    epsilon: Exact | None = None,
    dp_delta: Exact | None = None,
    rho: Exact | None = None,
) -> Account:
    """An account with nothing spent: pure epsilon; or rho, given or the largest for (epsilon, dp_delta).

    >>> open_account(name="patients", adjacency="replace-one", epsilon=1, dp_delta="1e-6").ledger.text()
    'rho = 0.0243560 for replace-one: 0 spent, 0 reserved, 0.0243559 left'
    """
    where = read_adjacency(adjacency)
    if (epsilon is None) == (rho is None):
        raise UsageError("account: give epsilon (--epsilon), or rho (--rho), as its total")
    if dp_delta is None:
        if rho is not None:
            raise UsageError("dp-delta is missing: say at which delta rho is read as epsilon (--dp-delta)")
        return Account(name=name, ledger=Ledger.of(DP(epsilon=epsilon, delta=0, adjacency=where)), dp_delta=None)  # type: ignore[arg-type]
    if rho is None:
        assert epsilon is not None
        ledger = Ledger.in_rho(epsilon=epsilon, dp_delta=dp_delta, adjacency=where)
    else:
        ledger = Ledger.of(ZCDP(rho=rho, adjacency=where))  # type: ignore[arg-type]
    return Account(name=name, ledger=ledger, dp_delta=as_fraction(read_delta(dp_delta)))


def read_account(path: str | Path) -> Account:
    """The account in a file; refused if anything does not add up."""
    return parse_account(*read_json_file(path, "account"))


def parse_account(text: str, where: str = "account") -> Account:
    """The account in the text of a file."""
    fields = require_object(parse_json(text, where), where, _FIELDS)
    require_version(fields, "synthbounds_account", VERSION, where)
    require_digest(fields, where)
    if not is_text(fields["name"]):
        raise DataError(f"{where}: name = {shown(fields['name'])}: must be text of 1 to {MOST_CHARACTERS} characters")
    delta = None
    if fields["dp_delta"] is not None:
        delta = read_exact(fields["dp_delta"], "dp_delta", where, allowed=_DELTA)
    try:
        found = Account(name=fields["name"], ledger=Ledger.from_json(fields["ledger"]), dp_delta=delta)
    except SynthboundsError as error:
        raise DataError(f"{where}: {error}") from None
    return found


def _rounded_up(amount: Fraction) -> Fraction:
    return Fraction(decimal_text(amount, _DIGITS, up=True))


def _open(ledger: Ledger, reservation: str, amount: Fraction) -> str | None:
    """The name of a reservation of this release that still has the amount; None if the account has none."""
    for entry in ledger.entries:
        if entry.state == "reserved" and _is_of(entry.what, reservation) and entry.amount >= amount:
            return entry.what
    return None


def _free(ledger: Ledger, reservation: str) -> str:
    """A name for a reservation; equal releases have one each, and any of them pays for a query of any."""
    taken = {entry.what for entry in ledger.entries if entry.state == "reserved"}
    count = 1
    while (name := reservation if count == 1 else f"{reservation} ({count})") in taken:
        count += 1
    return name


def _is_of(name: str, reservation: str) -> bool:
    return name == reservation or name.startswith(f"{reservation} (")
