"""Expected lengths of intervals for a share, before the budget is spent: from a schema and the number of records.

The share is assumed, and the answer is computed as if the noise turned out to be 0. Nothing is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.certify.inputs import probability
from bounds.errors import UsageError
from bounds.exact import Exact, require_range
from bounds.privacy.adjacency import Adjacency
from bounds.shown import Shown
from mechanisms.infer.shares.ask import one_event
from mechanisms.infer.shares.conditional import fieller, line_of
from mechanisms.infer.shares.event import Event, read_event, read_events
from mechanisms.infer.shares.noisy_share import noisy_share
from mechanisms.infer.shares.share import (
    effective_records,
    non_private_width,
    population_interval,
    supposed_at,
    table_interval,
)
from mechanisms.infer.shares.shown import Known, ShownTable, ShownTables
from release.marginals.make import choose_tables, plan_marginals, stated_error
from release.noise.kinds import Mode
from release.parameters import DEFAULT_BETA

if TYPE_CHECKING:
    from release.data.schema import Schema


@dataclass(frozen=True, kw_only=True)
class ReleaseWidths:
    """The widths for one choice of tables."""

    name: str
    tables: int
    """Number of tables released."""
    used: int
    """Number of tables on which the estimate rests."""
    deviation: float | None
    """Deviation of its noise, as a share; None for a share in a group."""
    table_width: float
    population_width: float
    effective_records: float | None


@dataclass(frozen=True, kw_only=True)
class SharePlan(Shown):
    """Expected widths at an assumed share, by what is released; the requested release comes first."""

    events: tuple[Event, ...]
    given: Event | None
    size: int
    n_is_public: bool
    share: Fraction
    group_share: Fraction | None
    """The assumed share of the group; None without one."""
    level: Fraction
    epsilon: Fraction
    dp_delta: Fraction | None
    releases: tuple[ReleaseWidths, ...]
    width_without_privacy: float | None

    @property
    def text(self) -> str:
        named = " & ".join(event.text for event in self.events)
        return named if self.given is None else f"{named} given {self.given.text}"


def plan_proportion(
    schema: Schema,
    *,
    size: int,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency,
    pairs: Iterable[tuple[str, str]] | None = None,
    one_way: Iterable[str] | None = None,
    proportion: str,
    given: str | None = None,
    share: Fraction = Fraction(1, 2),
    group_share: Fraction | None = None,
    level: Fraction = Fraction(19, 20),
) -> SharePlan:
    """The widths to expect from a release of these tables (default: all pairs), and from only the table needed.

    `size` is the public number of records, or under add-remove a public lower bound. `group_share` is the share of the
    records in the group, by default as if the values of its column were equally frequent.
    """
    require_range("share", share, share, above=0, below=1, reason="a share")
    probability("level", level)
    events = read_events(proportion, schema)
    group = None if given is None else read_event(given, schema, option="given")
    if group is not None and group.column == one_event(events).column:
        raise UsageError(f"given: {group.name} is the column of the event: a group needs another column")
    if group_share is not None:
        require_range("group_share", group_share, group_share, above=0, below=1, reason="a share")
        if group is None:
            raise UsageError("group-share is the share of a group: give the group (--given)")
    members = None if group is None else group_share or Fraction(len(group.codes), group.size)
    columns = tuple(sorted({event.column for event in (*events, *((group,) if group else ()))}))
    asked = choose_tables(schema, pairs=pairs, one_way=one_way)
    options = [("this release", asked), ("its own table alone", (columns,))]
    if asked != (every := choose_tables(schema)):
        options.append(("all pairs", every))
    widths, seen = [], set()
    for name, sets in options:
        if sets in seen:
            continue
        seen.add(sets)
        shown = planned_tables(schema, sets, size, epsilon, dp_delta, adjacency)
        widths.append(_widths(name, shown, events, group, members, share, level))
        noise = shown.plan
    assert noise is not None
    return SharePlan(
        events=events,
        given=group,
        size=size,
        n_is_public=adjacency is Adjacency.REPLACE_ONE,
        share=share,
        group_share=members,
        level=level,
        epsilon=noise.epsilon,
        dp_delta=noise.dp_delta,
        releases=tuple(widths),
        width_without_privacy=non_private_width(share, max(1, int((members or 1) * size)), level),
    )


def planned_tables(
    schema: Schema,
    sets: tuple[tuple[int, ...], ...],
    size: int,
    epsilon: Exact,
    dp_delta: Exact | None,
    adjacency: Adjacency,
    *,
    mechanism: str | None = None,
    mode: Mode = "release",
) -> ShownTables:
    """Tables with the noise that would be planned, but without counts."""
    plan = plan_marginals(
        schema,
        sets,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        size=size,
        beta=DEFAULT_BETA,
        mode=mode,
        mechanism=mechanism,
    )
    radius, noise = stated_error(plan)
    lawful: Known = "gaussian" if mode == "simulate" else "discrete"
    without: Known = "laplace" if plan.mechanism == "laplace" else "radius"
    tables = tuple(
        ShownTable(
            columns=places,
            counts=(0,) * _cells(schema, places),
            denominator=1,
            known=without if noise is None else lawful,
            variance=Fraction(0) if noise is None else noise.sd**2,
            rounding=Fraction(0) if noise is None else noise.rounding,
            step=plan.unit if lawful == "discrete" else Fraction(0),
            radius=radius,
        )
        for places in sets
    )
    return ShownTables(
        schema=schema,
        size=size,
        n_is_public=adjacency is Adjacency.REPLACE_ONE,
        is_simulated=mode == "simulate",
        tables=tables,
        beta=plan.beta,
        plan=plan,
    )


def _cells(schema: Schema, places: tuple[int, ...]) -> int:
    count = 1
    for place in places:
        count *= schema.domain.sizes[place]
    return count


def _widths(
    name: str,
    shown: ShownTables,
    events: tuple[Event, ...],
    group: Event | None,
    members: Fraction | None,
    share: Fraction,
    level: Fraction,
) -> ReleaseWidths:
    alpha = 1 - level
    if group is None or members is None:
        found = supposed_at(noisy_share(shown, events), share)
        return ReleaseWidths(
            name=name,
            tables=len(shown.tables),
            used=found.tables,
            deviation=found.deviation,
            table_width=_width(table_interval(found, alpha)),
            population_width=_width(population_interval(found, alpha)),
            effective_records=effective_records(found),
        )
    line = line_of(shown, events[0], group).supposed_at(share * members, members)
    return ReleaseWidths(
        name=name,
        tables=len(shown.tables),
        used=line.tables,
        deviation=None,
        table_width=_width(fieller(line, alpha=alpha)),
        population_width=_width(fieller(line, alpha=alpha, records=shown.size)),
        effective_records=None,
    )


def _width(ends: tuple[Fraction, Fraction]) -> float:
    return float(ends[1] - ends[0])
