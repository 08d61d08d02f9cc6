"""A log in a few numbers: what was measured, the number of choices, and the cost of each part."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from release.log.file import MarginalLog

ONE_WAY, WIDER, ANSWERS, CHOICES, DISTANCE = "one-way tables", "wider tables", "answers", "choices", "distance"


@dataclass(frozen=True, kw_only=True)
class LogSummary:
    """A summary of a log."""

    tables: int
    cells: int
    queries: int
    """Number of queries whose answers were measured, in addition to tables."""
    answers: int
    choices: int
    rho: Fraction
    """The whole budget."""
    spent: Fraction
    """The part of the budget that was spent."""
    parts: dict[str, Fraction]
    """Shares of the budget by use, which add up to what was spent."""


def summarise(log: MarginalLog) -> LogSummary:
    """The log in numbers."""
    costs = {
        ONE_WAY: sum((table.rho for table in log.tables if len(table.columns) == 1), Fraction(0)),
        WIDER: sum((table.rho for table in log.tables if len(table.columns) > 1), Fraction(0)),
        ANSWERS: sum((step.rho for step in log.answers), Fraction(0)),
        CHOICES: sum((choice.rho for choice in log.choices), Fraction(0))
        + sum((choice.rho for choice in log.query_choices), Fraction(0)),
        DISTANCE: sum((entry.amount for entry in log.ledger.entries if entry.reserve), Fraction(0)),
    }
    total = log.ledger.total
    return LogSummary(
        tables=len(log.tables),
        cells=sum(len(table.counts) for table in log.tables),
        queries=sum(len(step.queries) for step in log.answers),
        answers=sum(len(step.sums) for step in log.answers),
        choices=len(log.choices) + sum(len(choice.chosen) for choice in log.query_choices),
        rho=total,
        spent=log.ledger.spent,
        parts={what: cost / total for what, cost in costs.items() if cost},
    )
