"""From a planned query for scores and the records to its answer: counted exactly, recorded, noise drawn once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from release.query.file import Query
from release.query.make import Payer, measure_query, paying, require_booking
from release.reserving import ReservingRelease
from release.scores.file import ScoreQuery
from release.scores.planned import ScorePlan, counted
from release.statistics.question import Asked


@dataclass(frozen=True, kw_only=True)
class ScoreBooking:
    """A query together with what paid for it, now marked as spent."""

    query: ScoreQuery
    payer: Payer


def ask_scores(
    plan: ScorePlan,
    asked: Asked,
    release: ReservingRelease,
    *,
    previous: Query | None = None,
    book: Callable[[Payer], None] | None = None,
) -> ScoreBooking:
    """Ask; noise is drawn once, and the budget is spent whether or not the answer is used.

    `release` and `previous` are those that the plan was made with. `book` writes what pays, marked as spent, before
    the noise; a real query is refused without it.
    """
    require_booking(release, book)
    payer = paying(release, previous)
    exact = counted(plan.questions, asked)
    measurement, ledger = measure_query(plan, exact, payer, kept_as=release.kept_as, book=book)
    values = tuple(int(value) for value in measurement.values)
    return ScoreBooking(query=ScoreQuery(**(plan.public() | {"ledger": ledger, "values": values})), payer=payer)
