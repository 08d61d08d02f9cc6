"""The one place where a budget is kept: the total, what was spent or reserved, and what is left.

A ledger is a value: spending returns another one, and is refused if the budget is too small. All numbers are
exact rationals in one currency; costs and the choice of the next query may depend on everything published before.
Proof: docs/proofs/synthbounds.ledger.md.

It does not know who else has a copy: a program that keeps a ledger in a file must lock that file, write the entry
before the noise is drawn, and go on only from the last ledger.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from bounds.errors import BudgetError, DataError, ParameterError, UsageError
from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.amounts import (
    Cost,
    Currency,
    Entry,
    State,
    cost_of,
    currency_of,
    fields_of,
    largest_total,
    read_cost,
    read_entry,
    require_what,
    sum_of,
    total_of,
)
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement, one_adjacency

MOST_ENTRIES = 10**4
_FIELDS = ("adjacency", "total", "target", "entries")


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """A budget under one adjacency with its entries; make it with `of`, `in_rho` or `in_mu_squared`.

    `total`, `spent`, `reserved` and `left` are in the currency, and the `dp_delta` that goes with each is 0 unless the
    currency is (epsilon, dp_delta). At any time spent + reserved <= total, in both.

    >>> ledger = Ledger.of(ZCDP(rho="0.5", adjacency="replace-one"))
    >>> ledger = ledger.spend(ZCDP(rho="0.125", adjacency="replace-one"), "one-way tables")
    >>> ledger = ledger.spend(DP(epsilon="0.5", delta=0, adjacency="replace-one"), "choice of a pair")
    >>> ledger.left
    Fraction(1, 4)
    >>> ledger.spend(ZCDP(rho="0.3", adjacency="replace-one"), "a pair")
    Traceback (most recent call last):
    bounds.errors.BudgetError: rho = 0.3: only 0.25 of 0.5 is left for replace-one (a pair)
    """

    currency: Currency
    adjacency: Adjacency
    total: Fraction
    dp_delta: Fraction = Fraction(0)
    target: DP | None = None
    """The (epsilon, dp_delta) from which a total in rho or mu^2 was computed, rounded down."""
    entries: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        typed = isinstance(self.currency, Currency) and isinstance(self.adjacency, Adjacency)
        if not typed or not all(isinstance(entry, Entry) for entry in self.entries):
            raise UsageError("a ledger is made with Ledger.of, Ledger.in_rho or Ledger.in_mu_squared")
        self._total.require_fine()
        require_range("dp_delta", self.dp_delta, self.dp_delta, below=1, reason="1 promises nothing")
        if self.target is not None:
            self._require_target(self.target)
        if len(self.entries) > MOST_ENTRIES:
            raise UsageError(f"ledger: more than {MOST_ENTRIES} entries; record rounds of one mechanism together")
        names = [entry.what for entry in self.entries if entry.state == "reserved"]
        if len(set(names)) < len(names):
            raise UsageError("ledger: two reservations have the same name, so which one is drawn on is unclear")
        if self.dp_delta and self.currency is not Currency.EPSILON_DELTA:
            raise UsageError(f"ledger: dp_delta has no place in a ledger that counts {self.currency.text}")
        booked = sum_of(self.entries)
        if not booked.fits(self._total):
            said = f"{self.currency.text} = {self._shown(booked, up=True)}"
            raise BudgetError(f"ledger: entries of {said} exceed the total of {self._shown(self._total, up=False)}")

    @classmethod
    def of(cls, total: Statement) -> Ledger:
        """An empty ledger for this promise; an enclosed number counts at its lower end."""
        adjacency = one_adjacency(total)
        currency, (amount, dp_delta) = total_of(total)
        return cls(currency=currency, adjacency=adjacency, total=amount, dp_delta=dp_delta)

    @classmethod
    def in_rho(cls, *, epsilon: Exact, dp_delta: Exact, adjacency: Adjacency | str) -> Ledger:
        """A ledger in rho, all of which is (epsilon, dp_delta)-private by Proposition C.2 of zhou2024.

        >>> ledger = Ledger.in_rho(epsilon=1, dp_delta="1e-6", adjacency="replace-one")
        >>> ledger.text()
        'rho = 0.0243560 for replace-one: 0 spent, 0 reserved, 0.0243559 left'
        """
        return cls._for_target(Currency.RHO, epsilon, dp_delta, adjacency)

    @classmethod
    def in_mu_squared(cls, *, epsilon: Exact, dp_delta: Exact, adjacency: Adjacency | str) -> Ledger:
        """A ledger in mu^2, for Gaussian noise only; all of it is (epsilon, dp_delta)-private by the exact curve."""
        return cls._for_target(Currency.MU_SQUARED, epsilon, dp_delta, adjacency)

    @classmethod
    def _for_target(cls, currency: Currency, epsilon: Exact, dp_delta: Exact, adjacency: Adjacency | str) -> Ledger:
        numbers = parse_rational(epsilon, "epsilon"), parse_rational(dp_delta, "dp_delta")
        total, where = largest_total(currency, *numbers), read_adjacency(adjacency)
        return cls(currency=currency, adjacency=where, total=total, target=_dp(*numbers, where))

    @property
    def spent(self) -> Fraction:
        """If costs were chosen in view of outputs, the promise is the total, not this."""
        return self._sum("spent").amount

    @property
    def reserved(self) -> Fraction:
        """Kept for later and not yet spent."""
        return self._sum("reserved").amount

    @property
    def left(self) -> Fraction:
        """Neither spent nor reserved."""
        return self._left.amount

    @property
    def dp_delta_spent(self) -> Fraction:
        return self._sum("spent").dp_delta

    @property
    def dp_delta_reserved(self) -> Fraction:
        return self._sum("reserved").dp_delta

    @property
    def dp_delta_left(self) -> Fraction:
        return self._left.dp_delta

    def reservation(self, name: str) -> Entry:
        """What is still kept under this name."""
        for entry in self.entries:
            if entry.state == "reserved" and entry.what == name:
                return entry
        used = any(entry.reserve == name for entry in self.entries)
        raise BudgetError(f"reservation {name!r}: {'is spent' if used else 'nothing is reserved under this name'}")

    def statement(self, amount: Exact, dp_delta: Exact = 0) -> Statement:
        """What an amount in the currency of the ledger promises: the total of the ledger, or a cost to spend.

        >>> ledger = Ledger.of(GaussianDP(mu_squared=1, adjacency="add-remove"))
        >>> ledger.spend(ledger.statement(ledger.left / 2), "moments").left
        Fraction(1, 2)
        """
        value = parse_rational(amount, self.currency.value[0])
        if self.currency is Currency.RHO:
            return ZCDP(rho=value, adjacency=self.adjacency)  # type: ignore[arg-type]
        if self.currency is Currency.MU_SQUARED:
            return GaussianDP(mu_squared=value, adjacency=self.adjacency)
        return _dp(value, parse_rational(dp_delta, "dp_delta"), self.adjacency)

    def affords(self, cost: Statement, *, reserve: str | None = None) -> bool:
        """Whether this cost can be spent, from what is left or from a reservation."""
        there = self._left if reserve is None else self.reservation(reserve).cost
        return self._cost(cost).fits(there)

    def spend(self, cost: Statement, what: str, *, reserve: str | None = None) -> Ledger:
        """The ledger after this cost, paid from what is left or from a reservation; refused if there is too little.

        In rho a pure epsilon costs epsilon^2/2 and Gaussian privacy mu^2/2; the exponential mechanism costs less than
        its epsilon does, so state it with `exponential_zcdp`. An enclosed cost counts at its upper end.
        """
        asked = self._cost(cost)
        return self._booked(asked, what, "spent") if reserve is None else self._drawn(asked, what, reserve)

    def reserve(self, cost: Statement, what: str) -> Ledger:
        """The ledger with this cost kept for later, under the name `what`."""
        return self._booked(self._cost(cost), what, "reserved")

    def reserve_share(self, share: Exact, what: str) -> Ledger:
        """The ledger with this share of the total kept for later, exactly."""
        return self._booked(self._total.scaled(_share(share, "share")), what, "reserved")

    def spend_reserved(self, name: str, what: str, *, part: Exact = 1) -> Ledger:
        """The ledger after spending a share of what is still kept under this name; the rest stays reserved.

        >>> ledger = Ledger.of(GaussianDP(mu_squared=1, adjacency="add-remove")).reserve_share("1/4", "gradients")
        >>> ledger = ledger.spend_reserved("gradients", "first gradient", part="0.3")
        >>> ledger.entries[-1].amount, ledger.reserved
        (Fraction(3, 40), Fraction(7, 40))
        """
        return self._drawn(self.reservation(name).cost.scaled(_share(part, "part")), what, name)

    def give_back(self, name: str) -> Ledger:
        """The ledger without a reservation: what is still kept under this name is free again."""
        kept = self.reservation(name)
        return replace(self, entries=tuple(entry for entry in self.entries if entry is not kept))

    def text(self, digits: int = 6) -> str:
        """One line: costs rounded up, the remainder rounded down."""
        spent, reserved = self._sum("spent"), self._sum("reserved")
        shown = [self._shown(cost, up=True, digits=digits) for cost in (spent, reserved)]
        left = self._shown(self._left, up=False, digits=digits)
        return f"{self._total_text(digits)}: {shown[0]} spent, {shown[1]} reserved, {left} left"

    def to_json(self) -> dict[str, Any]:
        """Plain JSON that `from_json` reads back: exact rationals as text; sums are left to the reader."""
        target = None
        if self.target is not None:
            target = Cost(self.target.epsilon.lo, self.target.delta.lo).to_json(Currency.EPSILON_DELTA)
        listed = [entry.to_json(self.currency) for entry in self.entries]
        values = (self.adjacency.value, self._total.to_json(self.currency), target, listed)
        return dict(zip(_FIELDS, values, strict=True))

    @classmethod
    def from_json(cls, body: object) -> Ledger:
        """The ledger that `to_json` wrote; refused if anything does not add up or the total is above its target."""
        try:
            adjacency, total, target, entries = fields_of(body, "ledger", _FIELDS)
            if adjacency not in [known.value for known in Adjacency]:
                raise ParameterError("adjacency", type(adjacency).__name__, "replace-one or add-remove")
            if not isinstance(entries, list) or len(entries) > MOST_ENTRIES:
                raise ParameterError("entries", type(entries).__name__, f"a list of at most {MOST_ENTRIES} entries")
            where = Adjacency(adjacency)
            currency = currency_of(total)
            amount, dp_delta = read_cost(total, "total", currency)
            wanted = None if target is None else _dp(*read_cost(target, "target", Currency.EPSILON_DELTA), where)
            listed = tuple(read_entry(entry, currency) for entry in entries)
            return cls(
                currency=currency, adjacency=where, total=amount, dp_delta=dp_delta, target=wanted, entries=listed
            )
        except UsageError as error:
            said = str(error)
            raise DataError(said if said.startswith("ledger: ") else f"ledger: {said}") from None

    @property
    def _total(self) -> Cost:
        return Cost(self.total, self.dp_delta)

    @property
    def _left(self) -> Cost:
        return self._total.less(sum_of(self.entries))

    def _sum(self, state: State) -> Cost:
        return sum_of(entry for entry in self.entries if entry.state == state)

    def _booked(self, asked: Cost, what: str, state: State) -> Ledger:
        require_what(what, "what")
        left = self._left
        if not asked.fits(left):
            of = self._shown(self._total, up=True)
            raise BudgetError(f"{self._asked_text(asked, left)} of {of} is left for {self.adjacency.value} ({what})")
        return replace(self, entries=(*self.entries, Entry(what=what, state=state, **asked._asdict())))

    def _drawn(self, asked: Cost, what: str, name: str) -> Ledger:
        require_what(what, "what")
        kept = self.reservation(name)
        if not asked.fits(kept.cost):
            said = self._asked_text(asked, kept.cost)
            raise BudgetError(f"{said} is reserved as {name!r} for {self.adjacency.value} ({what})")
        rest = kept.cost.less(asked)
        still = (replace(kept, **rest._asdict()),) if any(rest) else ()
        place = self.entries.index(kept)
        entry = Entry(what=what, reserve=name, **asked._asdict())
        return replace(self, entries=(*self.entries[:place], *still, *self.entries[place + 1 :], entry))

    def _cost(self, cost: Statement) -> Cost:
        """A cost in the currency of the ledger."""
        if not isinstance(cost, DP | ZCDP | GaussianDP):
            raise UsageError(f"a cost is DP, ZCDP or GaussianDP, with its adjacency, not {type(cost).__name__}")
        if cost.adjacency is not self.adjacency:
            raise UsageError(
                f"adjacency = {cost.adjacency.value}: the ledger is for {self.adjacency.value}, and statements about "
                "different pairs of data sets do not add up"
            )
        return cost_of(cost, self.currency)

    def _require_target(self, target: DP) -> None:
        if self.currency not in (Currency.RHO, Currency.MU_SQUARED):
            raise UsageError(f"target: a ledger that counts {self.currency.text} can have no target but its total")
        if target.adjacency is not self.adjacency or not (target.epsilon.is_exact and target.delta.is_exact):
            raise UsageError(f"target: must be exact and for {self.adjacency.value}")
        if self.total > largest_total(self.currency, target.epsilon.lo, target.delta.lo):
            raise BudgetError(f"total: {self._total_text()} is more than {target.text()} allows")

    def _asked_text(self, asked: Cost, there: Cost) -> str:
        return f"{self.currency.text} = {self._shown(asked, up=True)}: only {self._shown(there, up=False)}"

    def _total_text(self, digits: int = 6) -> str:
        return f"{self.currency.text} = {self._shown(self._total, up=True, digits=digits)} for {self.adjacency.value}"

    def _shown(self, cost: Cost, *, up: bool, digits: int = 6) -> str:
        return cost.text(self.currency, up=up, digits=digits)


def _dp(epsilon: Fraction, dp_delta: Fraction, adjacency: Adjacency) -> DP:
    return DP(epsilon=epsilon, delta=dp_delta, adjacency=adjacency)  # type: ignore[arg-type]


def _share(value: Exact, name: str) -> Fraction:
    share = parse_rational(value, name)
    require_range(name, share, value, above=0, most=1)
    return share
