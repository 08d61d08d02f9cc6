"""One planned query to the holder of the data: the noisy gradient of the real risk at a model that was fixed before.

It is paid for by the reservation of a release of moments, in full or in part; what is left pays for a second one. What
pays is booked before the noise is drawn. Proof: docs/proofs/synthbounds.gradient-query.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import DataError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from release.data.source import as_source
from release.gradient.file import GRADIENT, GradientQuery
from release.gradient.planned import GradientPlan, plan_gradient
from release.measure import measure
from release.moments.file import MomentRelease
from release.noise.randomness import read_randomness
from release.spending import spending

if TYPE_CHECKING:
    from release.data.source import Records


@dataclass(frozen=True, kw_only=True)
class Payer:
    """What pays for a query, now marked as spent: keep it in place of the old one."""

    release: MomentRelease
    previous: GradientQuery | None

    def to_text(self) -> str:
        """The file of whichever pays."""
        return (self.release if self.previous is None else self.previous).to_text()


@dataclass(frozen=True, kw_only=True)
class Booking:
    """A query and, beside it, what paid for it, now marked as spent."""

    query: GradientQuery
    release: MomentRelease
    previous: GradientQuery | None


def ask_gradient(
    records: Records,
    release: MomentRelease,
    coefficients: Sequence[Fraction],
    *,
    loss: str = "logistic",
    offset: Fraction = Fraction(0),
    slope: Fraction = Fraction(0),
    part: Fraction = Fraction(1),
    previous: GradientQuery | None = None,
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
    if book is None and not release.is_simulated:
        raise UsageError("book is missing: say where what pays is marked as spent before the noise is drawn")
    payer = _paying(release, previous)
    exact = plan.statistic.of(as_source(records, plan.feature_map.schema.domain))
    if plan.adjacency is Adjacency.REPLACE_ONE and exact.n != plan.stated_size:
        raise DataError(f"the table does not have the {plan.stated_size} rows of the release")

    def booked(_: Ledger) -> None:
        if book is not None:
            book(payer)

    with spending(is_private=not plan.is_simulated):
        # The release of the same seed and run has the stream of round 0: noise must be independent of it.
        stream = None if seed is None else seed + (plan.round << 64)
        measurement, ledger = measure(
            exact,
            plan.noise,
            plan.ledger,
            what=GRADIENT,
            randomness=read_randomness(plan.mode, seed=stream, run=run),
            kept_as=release.kept_as,
            header=_header(plan),
            book=booked,
        )
        sums = tuple(int(value) for value in measurement.values)
        query = GradientQuery(**(plan.public() | {"ledger": ledger, "sums": sums}))
        return Booking(query=query, release=payer.release, previous=payer.previous)


def _paying(release: MomentRelease, previous: GradientQuery | None) -> Payer:
    if previous is None:
        return Payer(release=release.with_reservation_spent(), previous=None)
    return Payer(release=release, previous=previous.with_rest_spent())


def _header(plan: GradientPlan) -> dict[str, object]:
    """What is public around the sums, from which a query that was interrupted can be finished."""
    return {
        "kind": GRADIENT,
        "mode": plan.mode,
        "release": plan.release_id,
        "previous": plan.previous,
        "round": plan.round,
        "loss": plan.loss,
        "coefficients": [str(value) for value in plan.coefficients],
        "offset": str(plan.offset),
        "slope": str(plan.slope),
        "mu_squared": str(plan.mu_squared),
    }
