"""A share from the rows of a finished table and what a release certifies about them; nothing else is used.

The interval is valid for rows made by anyone in any way, but much longer than one from noisy tables: the certificate
says how far the rows are off, not in which direction. Proof: docs/proofs/synthbounds.noisy-proportion.md (i).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.certify.inputs import probability
from bounds.shown import Shown
from mechanisms.infer.findings import About, Interval
from mechanisms.infer.shares.certified_binomial import population_from_bound
from mechanisms.infer.shares.event import Event
from mechanisms.infer.shares.finished import CertifiedShare, certified_share, comparison_of
from mechanisms.infer.shares.share import DRAWN, non_private_width, outwards
from release.private_release import Release

if TYPE_CHECKING:
    from release.data.domain import Codes

_FOR_THE_BOUND = Fraction(1, 20)
"""The bound's part of the failure probability: public; a smaller part makes the bound only a little larger."""


@dataclass(frozen=True, kw_only=True)
class RowsAnswer(Shown):
    """The share of an event from a finished table and its certificate."""

    events: tuple[Event, ...]
    size: int
    n_is_public: bool
    table: Interval
    population: Interval
    rows: int
    rows_share: Fraction
    route: str
    bound_failure: Fraction
    """The bound's part of the population's failure probability."""

    @property
    def text(self) -> str:
        return " & ".join(event.text for event in self.events)

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        return (self.table, self.population)


def infer_share_of_rows(release: Release, codes: Codes, events: tuple[Event, ...], *, level: Fraction) -> RowsAnswer:
    """Intervals at that level for the share in the real table, and in the population."""
    alpha = 1 - probability("level", level)
    found = comparison_of(release)
    whole, part = (certified_share(found, codes, events, chance) for chance in (alpha, alpha * _FOR_THE_BOUND))
    ends = Fraction(0), Fraction(1)
    if part.records:
        ends = population_from_bound(
            least=part.least,
            most=part.most,
            failure=part.failure,
            n=part.records,
            n_is_least=not found.size_is_exact,
            alpha=alpha,
        )
    name = " & ".join(event.text for event in events)

    def said(about: About, between: tuple[Fraction, Fraction], share: CertifiedShare, free: float | None) -> Interval:
        return Interval(
            name=name,
            about=about,
            kind="exact",
            level=level,
            estimate=float(share.estimate),
            lo=between[0],
            hi=between[1],
            is_certified=True,
            width_without_privacy=free,
            note=DRAWN if about == "population" else "",
        )

    return RowsAnswer(
        events=events,
        size=found.stated_size,
        n_is_public=found.size_is_exact,
        table=said("table", outwards(whole.least, whole.most), whole, None),
        population=said("population", ends, part, non_private_width(part.estimate, found.stated_size, level)),
        rows=whole.rows,
        rows_share=whole.estimate,
        route=whole.route,
        bound_failure=part.failure,
    )
