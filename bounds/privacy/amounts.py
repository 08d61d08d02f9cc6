"""The currencies of a budget, the exact amounts it adds up, its entries, and what a statement costs in a currency.

Conversions, each on the safe side: an enclosed cost counts at its upper end, a total computed from (epsilon, dp_delta)
is rounded down. Proof: docs/proofs/synthbounds.ledger.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from flint import fmpq

from bounds.enclosure import Enclosure, as_fmpq, as_fraction, decimal_text
from bounds.errors import ParameterError, UsageError
from bounds.exact import require_range
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import gaussian_zcdp, largest_rho, pure_zcdp
from bounds.privacy.gaussian import analytic_gaussian
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement

State: TypeAlias = Literal["spent", "reserved"]

DIGITS = 15
"""Significant digits of a total that is converted from (epsilon, dp_delta)."""
MOST_CHARACTERS = 200
"""Of the purpose of an entry."""
MOST_BITS = 4000
"""Of the numerator and of the denominator of an amount."""
_MOST_SUM_BITS = 1 << 15
_ENTRY_FIELDS = ("what", "cost", "state", "reserve")
_EXACT = re.compile(r"(0|[1-9][0-9]*)(/[1-9][0-9]*)?", re.ASCII)


class Currency(Enum):
    """What a budget counts in; the values are the names of the fields of its amounts in a file."""

    EPSILON = ("epsilon",)
    EPSILON_DELTA = ("epsilon", "dp_delta")
    RHO = ("rho",)
    MU_SQUARED = ("mu_squared",)

    @property
    def text(self) -> str:
        return self.value[0] if len(self.value) == 1 else f"({', '.join(self.value)})"


class Cost(NamedTuple):
    """An amount in a currency, and its dp_delta, which is 0 in all currencies but one."""

    amount: Fraction
    dp_delta: Fraction = Fraction(0)

    def fits(self, there: Cost) -> bool:
        return self.amount <= there.amount and self.dp_delta <= there.dp_delta

    def less(self, part: Cost) -> Cost:
        return Cost(self.amount - part.amount, self.dp_delta - part.dp_delta)

    def scaled(self, share: Fraction) -> Cost:
        return Cost(share * self.amount, share * self.dp_delta)

    def require_fine(self) -> None:
        """Refuse what is not a cost: not exact, negative, zero, or too long to be written."""
        for name, number in zip(self._fields, self, strict=True):
            if not isinstance(number, Fraction):
                raise ParameterError(name, number, "a Fraction", "a ledger is exact")
            require_range(name, number, number, least=0)
            if max(number.numerator.bit_length(), number.denominator.bit_length()) > MOST_BITS:
                shorter = f"a ratio of numbers of at most {MOST_BITS} bits"
                raise ParameterError(name, "a number of too many digits", shorter, "round costs to short decimals")
        if not any(self):
            raise ParameterError("amount", 0, "greater than 0", "zero is neither a cost nor a budget")

    def text(self, currency: Currency, *, up: bool, digits: int = 6) -> str:
        """In decimals, rounded."""
        shown = [decimal_text(number, digits, up=up) for number in self]
        return f"({', '.join(shown)})" if currency is Currency.EPSILON_DELTA else shown[0]

    def to_json(self, currency: Currency) -> dict[str, str]:
        return dict(zip(currency.value, map(str, self), strict=False))


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line: its purpose and its cost, in the currency of the ledger. What is reserved is not yet spent."""

    what: str
    amount: Fraction
    dp_delta: Fraction = Fraction(0)
    state: State = "spent"
    reserve: str | None = None
    """The reservation that paid, if one did."""

    def __post_init__(self) -> None:
        require_what(self.what, "what")
        if self.state not in get_args(State):
            raise ParameterError("state", self.state, "spent or reserved")
        if self.reserve is not None:
            require_what(self.reserve, "reserve")
            if self.state == "reserved":
                raise UsageError("reserve: a reservation cannot be paid for by another one")
        self.cost.require_fine()

    @property
    def cost(self) -> Cost:
        return Cost(self.amount, self.dp_delta)

    def to_json(self, currency: Currency) -> dict[str, Any]:
        values = (self.what, self.cost.to_json(currency), self.state, self.reserve)
        return dict(zip(_ENTRY_FIELDS, values, strict=True))


def require_what(what: object, name: str) -> None:
    """Refuse what does not fit on one line of a file."""
    if type(what) is not str or not what.strip() or not what.isprintable() or len(what) > MOST_CHARACTERS:
        shown = what if isinstance(what, str) else type(what).__name__
        raise ParameterError(name, shown, f"text of 1 to {MOST_CHARACTERS} printable characters")


def sum_of(entries: Iterable[Entry]) -> Cost:
    """What entries cost together, exactly."""
    amount, dp_delta = fmpq(0), fmpq(0)
    for entry in entries:
        amount += as_fmpq(entry.amount)
        dp_delta += as_fmpq(entry.dp_delta)
        if max(int(number.denom()).bit_length() for number in (amount, dp_delta)) > _MOST_SUM_BITS:
            raise UsageError("ledger: the sum of its entries has too many digits; round costs to short decimals")
    return Cost(as_fraction(amount), as_fraction(dp_delta))


def total_of(total: Statement) -> tuple[Currency, Cost]:
    """A promise as a budget: the currency and the lower ends, so that spending all of it keeps the promise."""
    if isinstance(total, ZCDP):
        return Currency.RHO, Cost(total.rho.lo)
    if isinstance(total, GaussianDP):
        return Currency.MU_SQUARED, Cost(total.mu_squared)
    if not isinstance(total, DP):
        raise UsageError(f"a ledger needs DP, ZCDP or GaussianDP as its total, not {type(total).__name__}")
    if total.is_pure:
        return Currency.EPSILON, Cost(total.epsilon.lo)
    return Currency.EPSILON_DELTA, Cost(total.epsilon.lo, total.delta.lo)


def cost_of(cost: Statement, currency: Currency) -> Cost:
    """What a statement costs in a currency, at its upper ends; refused if it does not convert."""
    if isinstance(cost, DP):
        if currency is Currency.EPSILON_DELTA or (currency is Currency.EPSILON and cost.is_pure):
            return Cost(cost.epsilon.hi, cost.delta.hi)
        if currency is Currency.RHO and cost.is_pure and cost.epsilon.hi > 0:
            upper = DP(epsilon=Enclosure.of(cost.epsilon.hi), delta=Enclosure.of(0), adjacency=cost.adjacency)
            return Cost(pure_zcdp(upper).rho.hi)
    elif isinstance(cost, GaussianDP) and currency is Currency.MU_SQUARED:
        return Cost(cost.mu_squared)
    elif currency is Currency.RHO:
        return Cost((gaussian_zcdp(cost) if isinstance(cost, GaussianDP) else cost).rho.hi)
    raise UsageError(f"{cost.text()}: is not a cost in {currency.text}, which the ledger counts")


@lru_cache(maxsize=256)
def largest_total(currency: Currency, epsilon: Fraction, dp_delta: Fraction) -> Fraction:
    """The largest total in rho or mu^2 that is (epsilon, dp_delta)-private, rounded down."""
    either = Adjacency.REPLACE_ONE  # the conversion is the same for any
    if currency is Currency.RHO:
        return largest_rho(epsilon=epsilon, dp_delta=dp_delta, adjacency=either, digits=DIGITS).safe_rho
    ratio = analytic_gaussian(epsilon=epsilon, dp_delta=dp_delta, adjacency=either, digits=DIGITS).safe_ratio
    return 1 / ratio**2


def _read_exact(body: object, name: str) -> Fraction:
    """An exact number as it is written in a file: text, whole or a ratio in lowest terms."""
    example = 'text such as "2" or "1/3", in lowest terms'
    if type(body) is not str or len(body) > MOST_BITS or not _EXACT.fullmatch(body):
        raise ParameterError(name, body if isinstance(body, str) else type(body).__name__, example)
    number = Fraction(body)
    if str(number) != body:
        raise ParameterError(name, body, example)
    return number


def fields_of(body: object, name: str, fields: tuple[str, ...]) -> list[Any]:
    """The values of an object in a file that has these fields and no others."""
    if not isinstance(body, dict) or set(body) != set(fields):
        raise UsageError(f"{name}: must be an object with {', '.join(fields)} and nothing else")
    return [body[field] for field in fields]


def currency_of(total: object) -> Currency:
    """The currency of a total as it is written in a file."""
    for currency in Currency:
        if isinstance(total, dict) and set(total) == set(currency.value):
            return currency
    raise UsageError("total: must be an object with epsilon, epsilon and dp_delta, rho, or mu_squared")


def read_cost(body: object, name: str, currency: Currency) -> Cost:
    """An amount as it is written in a file."""
    values = fields_of(body, name, currency.value)
    return Cost(*(_read_exact(value, field) for field, value in zip(currency.value, values, strict=True)))


def read_entry(body: object, currency: Currency) -> Entry:
    """An entry as it is written in a file."""
    what, cost, state, reserve = fields_of(body, "entry", _ENTRY_FIELDS)
    return Entry(what=what, state=state, reserve=reserve, **read_cost(cost, "cost", currency)._asdict())
