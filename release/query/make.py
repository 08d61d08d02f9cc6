"""One query to the steward: counted exactly, recorded, and answered with noise, once.

What pays is marked as spent after the records have been read and before the noise is drawn, so that of two who try only
one draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bounds.errors import DataError, UsageError
from bounds.privacy.ledger import Ledger
from release.measure import Measurement, measure
from release.noise.randomness import read_randomness
from release.query.file import Query
from release.query.planned import QueryPlan
from release.reserving import ReservingRelease
from release.spending import spending
from release.statistics.statistic import Counted


@dataclass(frozen=True, kw_only=True)
class Payer:
    """What pays for a query, now marked as spent: keep it in place of the old one."""

    release: ReservingRelease
    previous: Query | None

    def to_text(self) -> str:
        """The file of whichever pays."""
        return (self.release if self.previous is None else self.previous).to_text()


def paying(release: ReservingRelease, previous: Query | None) -> Payer:
    """What pays, as it will be marked."""
    if previous is None:
        return Payer(release=release.with_reservation_spent(), previous=None)
    return Payer(release=release, previous=previous.with_rest_spent())


def require_booking(release: ReservingRelease, book: Callable[[Payer], None] | None) -> None:
    """A real query is refused if nothing marks what pays for it: one reservation could pay twice."""
    if book is None and not release.is_simulated:
        raise UsageError("book is missing: it must mark as spent what pays, before the noise is drawn")


def measure_query(
    plan: QueryPlan,
    exact: Counted,
    payer: Payer,
    *,
    kept_as: str,
    book: Callable[[Payer], None] | None,
) -> tuple[Measurement, Ledger]:
    """Draw the noise on exact numbers, once; `book` writes what pays, marked as spent, to where it is kept."""
    if plan.size_is_exact and exact.n != plan.stated_size:
        raise DataError(f"the table does not have the {plan.stated_size} rows of the release")

    def booked(_: Ledger) -> None:
        if book is not None:
            book(payer)

    with spending(is_private=not plan.is_simulated):
        # The release of the same seed and run has the stream of round 0: noise must be independent of it.
        stream = None if plan.seed is None else plan.seed + (plan.round << 64)
        return measure(
            exact,
            plan.noise,
            plan.ledger,
            what=plan.KIND,
            randomness=read_randomness(plan.mode, seed=stream, run=plan.run or 0),
            kept_as=kept_as,
            header=plan.header(),
            book=booked,
        )
