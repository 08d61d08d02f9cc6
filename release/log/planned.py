"""The public part of a log, before any record is seen: schema, method, settings, budget in rho."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from bounds.errors import ParameterError, UsageError
from bounds.exact import require_range
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.amounts import Currency
from bounds.privacy.ledger import Ledger
from release.account.file import Charge
from release.data.schema import Schema
from release.distance.planned import DISTANCE
from release.log.impossible import Impossible
from release.log.steps import TableStep
from release.noise.kinds import Mode
from release.parameters import MOST_RECORDS

if TYPE_CHECKING:
    from release.statistics.public_queries import PublicQueries

MARGINAL_LOG = "marginal-log"
STATISTIC = (
    "counts of all combinations of codes of some columns, with independent discrete Gaussian noise; which columns come "
    "next was chosen by the exponential mechanism"
)
STATISTIC_WITH_QUERIES = (
    "counts of all combinations of codes of some columns, and sums of public queries over records, with independent "
    "discrete Gaussian noise; what comes next was chosen by the exponential mechanism"
)
Setting: TypeAlias = str | int | tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class LogPlan:
    """A method that measures tables and chooses among them, and its budget; a plan has no numbers."""

    schema: Schema
    method: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """Of the method, by name: all of them functions of public facts."""
    mode: Mode
    ledger: Ledger
    """In rho; it may keep a reservation for questions about the finished table, and everything else is for the log."""
    stated_size: int
    """n under replace-one, where it is public; under add-remove the public least size."""
    impossible: tuple[Impossible, ...] = ()
    queries: tuple[PublicQueries, ...] = ()
    """Workloads of queries that may be asked in addition to tables."""

    def __post_init__(self) -> None:
        if self.ledger.currency is not Currency.RHO:
            raise UsageError(f"ledger: counts {self.ledger.currency.text}; a log is paid in rho (Ledger.in_rho)")
        if any(entry.what != DISTANCE for entry in self.ledger.entries if entry.state == "reserved" or entry.reserve):
            raise UsageError(f"ledger: what a log keeps for later is called {DISTANCE!r}")
        require_range("size", self.stated_size, self.stated_size, least=1, most=MOST_RECORDS)
        for name, value in self.settings.items():
            texts = value if type(value) is tuple else (value,)
            if type(value) is not int and not all(type(text) is str for text in texts):
                raise ParameterError(name, type(value).__name__, "text, texts or a whole number")
        if any(queries.schema != self.schema for queries in self.queries):
            raise UsageError("queries: belong to another schema than the log")

    @property
    def adjacency(self) -> Adjacency:
        return self.ledger.adjacency

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    @property
    def size_is_exact(self) -> bool:
        return self.adjacency is Adjacency.REPLACE_ONE

    @property
    def rho(self) -> Fraction:
        """The cost of all steps together, whether it has been spent or not."""
        kept = self.ledger.reserved + sum((e.amount for e in self.ledger.entries if e.reserve), Fraction(0))
        return self.ledger.total - kept

    @property
    def charges(self) -> tuple[Charge, ...]:
        """Everything an account is charged, including what is kept for later: all of it or nothing."""
        kept = (entry for entry in self.ledger.entries if entry.state == "reserved")
        later = (Charge(what=entry.what, cost=self.ledger.statement(entry.amount)) for entry in kept)
        return (Charge(what=MARGINAL_LOG, cost=self.ledger.statement(self.rho)), *later)

    def total_said(self, tables: Sequence[TableStep]) -> float:
        """The number of records: n if it is public, else its estimate from tables, within the allowed range."""
        if self.size_is_exact:
            return float(self.stated_size)
        counted = [table for table in tables if len(table.columns) == 1] or tables
        weights = [1 / (len(table.counts) * float(table.sd) ** 2) for table in counted]
        found = sum(w * sum(table.counts) for w, table in zip(weights, counted, strict=True)) / sum(weights or [1])
        return min(max(float(self.stated_size), found), float(MOST_RECORDS))

    def said(self) -> dict[str, Any]:
        """What its file, or that of an interrupted one, says about the plan only."""
        found: dict[str, Any] = {
            "method": self.method,
            "settings": {name: list(v) if isinstance(v, tuple) else v for name, v in self.settings.items()},
            "impossible": [zeros.to_json(self.schema) for zeros in self.impossible],
            "schema": self.schema.to_json(),
        }
        return found | ({"queries": [queries.to_json() for queries in self.queries]} if self.queries else {})

    @property
    def statistic(self) -> str:
        """What is measured, in words."""
        return STATISTIC_WITH_QUERIES if self.queries else STATISTIC
