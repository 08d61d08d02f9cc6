"""The rounds of RAP and RAP++: how many of each kind, in which order, and at what cost, by public facts alone.

By default, answers should not be mostly noise, whose deviation is compared with the number of records. There are as
many thresholds as keep it at 3 per cent, up to 500. There are as many tables as keep it at 0.7 per cent, but at most
one less than there are categories, as in the paper, and at least half as many as that if this keeps it at 10 per cent:
fewer tables say nothing about most columns. These percentages were found by trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING

from bounds.errors import ParameterError
from mechanisms.select.settings import MOST_ROUNDS, TOO_MANY_ROUNDS
from release.log.steps import records_moved

if TYPE_CHECKING:
    from bounds.privacy.adjacency import Adjacency
    from mechanisms.rap.roles import Roles
    from release.log.steps import Columns
    from release.statistics.conditional_counts import ConditionalCounts

_MOST_ANSWERS, _MOST_TOP = 500, 10
_ANSWER_NOISE, _TABLE_NOISE, _MOST_TABLE_NOISE = Fraction(3, 100), Fraction(7, 1000), Fraction(1, 10)


@dataclass(frozen=True)
class Round:
    """What one round chooses, and its cost."""

    workload: int | None
    """The workload of queries; None if tables are chosen."""
    top: int
    """Number of queries or tables chosen."""
    rho: Fraction
    """Total cost: half for the choice, half for measuring what it chose."""

    @property
    def half(self) -> Fraction:
        return self.rho / 2


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The options; None if public facts decide."""

    rounds: int | None
    top: int | None
    table_rounds: int | None


def planned_rounds(
    wanted: Wanted,
    *,
    rho: Fraction,
    roles: Roles,
    candidates: Sequence[Columns],
    queries: Sequence[ConditionalCounts],
    size: int,
    adjacency: Adjacency,
) -> tuple[Round, ...]:
    """Rounds that cost rho together; without queries all choose tables, and workloads of queries take turns."""
    moved = records_moved(adjacency)
    most = len(roles.categories) - 1

    def few_tables(paid: Fraction) -> int:
        quiet, loud = (int(paid * (share * size) ** 2 / moved) for share in (_TABLE_NOISE, _MOST_TABLE_NOISE))
        return min(len(candidates), max(1, min(most, quiet), min((most + 1) // 2, loud)))

    if not queries:
        if wanted.table_rounds is not None:
            why = "all rounds choose tables; give rounds"
            raise ParameterError("table_rounds", wanted.table_rounds, "not given", why)
        top = 1 if wanted.top is None else wanted.top
        count = few_tables(rho) // top or 1 if wanted.rounds is None else wanted.rounds
        _require(count, top, len(candidates), "tables")
        return (Round(None, top, rho / count),) * count
    # numbers are only in thresholds, categories in tables, and labels in both
    categories = len(roles.categories) if candidates else 0
    share = Fraction(categories, categories + 2 * len(roles.numbers))
    tables = few_tables(share * rho) if wanted.table_rounds is None else wanted.table_rounds
    if not 0 <= tables <= len(candidates):
        raise ParameterError("table_rounds", tables, f"0 to {len(candidates)}", "each round chooses one of them")
    if not tables:
        share = Fraction(0)
    turns, among = len(queries), sum(workload.count for workload in queries)
    count, top = _asked((1 - share) * rho * (_ANSWER_NOISE * size) ** 2 / moved, wanted, among)
    if count < turns:
        if wanted.rounds is not None:
            raise ParameterError("rounds", count, f"at least {turns}", "each kind of query has its turn")
        count = turns
    if wanted.top is None:
        top = min(top, *(max(1, workload.count // -(-count // turns)) for workload in queries))
    for turn, workload in enumerate(queries):
        _require(len(range(turn, count, turns)), top, workload.count, workload.KIND)
    of_tables = [(Fraction(2 * i + 1, 2 * tables), Round(None, 1, share * rho / tables)) for i in range(tables)]
    each = (1 - share) * rho / count
    of_queries = [(Fraction(2 * i + 1, 2 * count), Round(i % turns, top, each)) for i in range(count)]
    return tuple(found for _, found in sorted(of_tables + of_queries, key=lambda pair: pair[0]))


def _asked(affordable: Fraction, wanted: Wanted, most: int) -> tuple[int, int]:
    """Rounds, and queries in each, such that this many answers are not too noisy."""
    answers = max(1, min(_MOST_ANSWERS, most, int(affordable)))
    top = wanted.top
    if top is None:
        top = min(_MOST_TOP, max(1, isqrt(answers // 5))) if wanted.rounds is None else _MOST_TOP
        top = min(top, max(1, most // (wanted.rounds or 1)))
    return (max(1, answers // top) if wanted.rounds is None else wanted.rounds), top


def _require(rounds: int, top: int, among: int, what: str) -> None:
    if not 1 <= rounds <= MOST_ROUNDS:
        raise ParameterError("rounds", rounds, f"1 to {MOST_ROUNDS}", TOO_MANY_ROUNDS)
    if not 1 <= top <= among // rounds:
        why = f"{rounds} rounds choose among {among:,} {what}, and none is chosen twice"
        raise ParameterError("top", top, f"1 to {among // rounds}" if among >= rounds else "fewer rounds", why)
