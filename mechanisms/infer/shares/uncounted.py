"""The share of an event when even the number of records is known only with noise: a log under add-remove.

Like a share in a group, it is a ratio of two noisy counts; the group is all records. Fieller's set is for the table, an
asymptotic interval for the population.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.inputs import probability
from bounds.errors import UsageError
from bounds.shown import Shown
from mechanisms.infer.findings import About, Interval
from mechanisms.infer.shares.conditional import MAY_BE_EMPTY, fieller, line_in, point_note
from mechanisms.infer.shares.event import Event
from mechanisms.infer.shares.functional import weighted
from mechanisms.infer.shares.joint import joint_sums
from mechanisms.infer.shares.share import DRAWN, non_private_width
from mechanisms.infer.shares.shown import ShownTables

_ONE = Fraction(1)


@dataclass(frozen=True, kw_only=True)
class UncountedAnswer(Shown):
    """The share of an event, or of two at once, among an unknown number of records."""

    events: tuple[Event, ...]
    size: int
    """The public number that the log states."""
    n_is_public: bool
    table: Interval
    population: Interval
    records_est: float
    tables: int

    @property
    def text(self) -> str:
        return " & ".join(event.text for event in self.events)

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        return (self.table, self.population)


def infer_uncounted(shown: ShownTables, events: tuple[Event, ...], *, level: Fraction) -> UncountedAnswer:
    """Intervals for the share in the table and in the population."""
    alpha = 1 - probability("level", level)
    wanted = {event.column for event in events}
    if not any(wanted <= set(table.columns) for table in shown.tables):
        named = " x ".join(event.name for event in events)
        raise UsageError(f"release: no table shows {named}{shown.hidden(wanted)}")
    told = (Fraction(0), events)
    sums = joint_sums([weighted([told, (_ONE, met)]) for met in (events, ())], shown)
    line, name = line_in(sums, 0), " & ".join(event.text for event in events)
    records, estimate = float(max(line.y, Fraction(0)) * shown.size), line.estimate
    free = None if estimate is None or records < 1 else non_private_width(estimate, int(records), level)

    def said(about: About) -> Interval:
        of_table = about == "table"
        lo, hi = fieller(line, alpha=alpha, records=None if of_table else shown.size)
        empty = MAY_BE_EMPTY.replace("group", "table") if lo == 0 and hi == 1 else ""
        return Interval(
            name=name,
            about=about,
            kind="exact" if of_table else "asymptotic",
            level=level,
            estimate=None if estimate is None else float(estimate),
            lo=lo,
            hi=hi,
            is_certified=of_table,
            width_without_privacy=None if of_table else free,
            note="; ".join(part for part in ("" if of_table else DRAWN, empty, point_note(line, (lo, hi))) if part),
        )

    return UncountedAnswer(
        events=events,
        size=shown.size,
        n_is_public=False,
        table=said("table"),
        population=said("population"),
        records_est=records,
        tables=line.tables,
    )
