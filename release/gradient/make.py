"""One planned query to the steward: the noisy gradient of the real risk at a model that was fixed before.

It is paid for by the reservation of a release of moments, in full or in part; what is left pays for a second one. The
payment is recorded before the noise is drawn. Proof: docs/proofs/synthbounds.gradient-query.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from release.data.source import as_source
from release.gradient.file import GradientQuery
from release.gradient.planned import plan_gradient
from release.moments.file import MomentRelease
from release.query.file import Query
from release.query.make import Payer, measure_query, paying, require_booking

if TYPE_CHECKING:
    from release.data.source import Records


@dataclass(frozen=True, kw_only=True)
class Booking:
    """A query together with what paid for it, now marked as spent."""

    query: GradientQuery
    release: MomentRelease
    previous: Query | None


def ask_gradient(
    records: Records,
    release: MomentRelease,
    coefficients: Sequence[Fraction],
    *,
    loss: str = "logistic",
    offset: Fraction = Fraction(0),
    slope: Fraction = Fraction(0),
    part: Fraction = Fraction(1),
    previous: Query | None = None,
    seed: int | None = None,
    run: int = 0,
    book: Callable[[Payer], None] | None = None,
) -> Booking:
    """Ask for the gradient at a model; noise is drawn once, and the budget is spent whether or not it is used.

    `part` is the share of the reservation, or of what `previous` left, that this query spends. The mode is that of the
    release. Records are codes of its schema; they must be those of the release. `book` writes what pays, marked as
    spent, to where it is kept: after the records have been read and before the noise, so that of two who try only one
    draws. A simulation needs none; a real query without it is refused, since one reservation could pay twice.
    """
    plan = plan_gradient(
        release, coefficients, loss=loss, offset=offset, slope=slope, part=part, previous=previous, seed=seed, run=run
    )
    require_booking(release, book)
    payer = paying(release, previous)
    exact = plan.statistic.of(as_source(records, plan.schema.domain))
    measurement, ledger = measure_query(plan, exact, payer, kept_as=release.kept_as, book=book)
    sums = tuple(int(value) for value in measurement.values)
    query = GradientQuery(**(plan.public() | {"ledger": ledger, "sums": sums}))
    assert isinstance(payer.release, MomentRelease)
    return Booking(query=query, release=payer.release, previous=payer.previous)
