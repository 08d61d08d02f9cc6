"""The share of an event in a group of records: Fieller's set for the table, an asymptotic one for the population.

The true share p makes X - p Y vanish, X the records of both and Y those of the group, so that X - p Y from the noisy
tables is pure noise of a known variance, for every p. For the population, sampling is added, with the estimated size of
the group. If the group may be empty, nothing is excluded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.certify.inputs import probability
from bounds.certify.radii import normal_interval
from bounds.errors import NotApplicable, UsageError
from bounds.exact import root_at_least
from bounds.inference.gaussian_ratio import Quadratic, square_of, where_at_most_zero
from bounds.shown import Shown
from mechanisms.infer.findings import Interval
from mechanisms.infer.shares.event import Event
from mechanisms.infer.shares.functional import weighted
from mechanisms.infer.shares.joint import JointSums, joint_sums
from mechanisms.infer.shares.noisy_share import noisy_share
from mechanisms.infer.shares.share import DRAWN, non_private_width, outwards, table_interval
from mechanisms.infer.shares.shown import ShownTables

MAY_BE_EMPTY = "the group may have no records (the noise is too large to tell): nothing is excluded"
NO_SHARE = "the noise is larger than an interval at this level allows: no share is left, and the nearest one is shown"
MOST_OF_A_POINT = Fraction(2, 10**15)
"""Largest width of a single point after rounding outwards."""
_ONE = Fraction(1)


@dataclass(frozen=True, kw_only=True)
class ConditionalAnswer(Shown):
    """The share of `event` among the records of `given`."""

    event: Event
    given: Event
    size: int
    n_is_public: bool
    table: Interval
    population: Interval
    group: Interval
    """The share of the group in the table."""
    group_may_be_empty: bool
    tables: int

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        return (self.table, self.population, self.group)

    @property
    def text(self) -> str:
        return f"{self.event.text} given {self.given.text}"


@dataclass(frozen=True, kw_only=True)
class Line:
    """X - p Y with the variance of its noise, as the tables give it at every p."""

    x: Fraction
    y: Fraction
    variance: Quadratic
    slack: Fraction
    lost: Fraction
    tables: int

    @property
    def estimate(self) -> Fraction | None:
        """X/Y, clipped to [0, 1]; None if there seem to be no records."""
        return None if self.y <= 0 else min(max(self.x / self.y, Fraction(0)), _ONE)

    def supposed_at(self, x: Fraction, y: Fraction) -> Line:
        """The same with other estimates."""
        return replace(self, x=x, y=y)


def infer_conditional(shown: ShownTables, event: Event, given: Event, *, level: Fraction) -> ConditionalAnswer:
    """Intervals for the share of an event in a group, in the table and in the population."""
    if event.column == given.column:
        raise UsageError(f"given: {given.name} is the column of the event: a group needs another column")
    alpha = 1 - probability("level", level)
    line = line_of(shown, event, given)
    group_share = noisy_share(shown, (given,))
    lo, hi = table_interval(group_share, alpha)
    members = max(line.y, Fraction(0)) * shown.size
    estimate = line.estimate
    free = None if estimate is None or members < 1 else non_private_width(estimate, int(members), level)
    empty = lo == 0

    def said(ends: tuple[Fraction, Fraction], *, of_table: bool) -> Interval:
        return Interval(
            name=f"{event.text} given {given.text}",
            about="table" if of_table else "population",
            kind="exact" if of_table else "asymptotic",
            level=level,
            estimate=None if estimate is None else float(estimate),
            lo=ends[0],
            hi=ends[1],
            is_certified=of_table,
            width_without_privacy=None if of_table else free,
            note="; ".join(
                part
                for part in ("" if of_table else DRAWN, MAY_BE_EMPTY if empty else "", point_note(line, ends))
                if part
            ),
        )

    table, population = fieller(line, alpha=alpha), fieller(line, alpha=alpha, records=shown.size)
    return ConditionalAnswer(
        event=event,
        given=given,
        size=shown.size,
        n_is_public=shown.n_is_public,
        table=said(table, of_table=True),
        population=said(population, of_table=False),
        group=Interval(
            name=given.text,
            about="table",
            kind="exact",
            level=level,
            estimate=float(min(max(group_share.estimate, Fraction(0)), _ONE)),
            lo=lo,
            hi=hi,
            is_certified=True,
        ),
        group_may_be_empty=empty,
        tables=line.tables,
    )


def require_known_total(shown: ShownTables, option: str) -> None:
    """Refuse tables that do not show shares: groups need them."""
    if not shown.total_is_known:
        raise NotApplicable(f"{option}: a log under add-remove shows only shares of all records, none in groups")


def line_of(shown: ShownTables, event: Event, given: Event) -> Line:
    """The line from the best combinations for X and Y."""
    return line_in(group_sums(shown, event, (given,)), 0)


def group_sums(shown: ShownTables, event: Event, groups: tuple[Event, ...], *, option: str = "given") -> JointSums:
    """For each group the records in event and group, and those in the group, as shares of all."""
    require_known_total(shown, option)
    told = [(Fraction(0), (event, group)) for group in groups]  # so that all have the same classes
    wanted = [events for group in groups for events in ((event, group), (group,))]
    try:
        return joint_sums([weighted([*told, (_ONE, events)]) for events in wanted], shown)
    except NotApplicable as reason:
        raise NotApplicable(f"{option}: a share in a group needs Gaussian noise: {reason}") from None


def line_in(sums: JointSums, group: int) -> Line:
    """The line of one group; the slack is convex in p, so it is largest at 0 or at 1."""
    x, y = ([Fraction(i == 2 * group + side) for i in range(len(sums.estimates))] for side in (0, 1))
    return Line(
        x=sums.estimates[2 * group],
        y=sums.estimates[2 * group + 1],
        variance=Quadratic(c0=sums.covariance(x, x), c1=-2 * sums.covariance(x, y), c2=sums.covariance(y, y)),
        slack=max(sums.slack(x), sums.slack([a - b for a, b in zip(x, y, strict=True)])),
        lost=sums.lost,
        tables=sums.tables,
    )


def fieller(line: Line, *, alpha: Fraction, records: int | None = None) -> tuple[Fraction, Fraction]:
    """All p in [0, 1] that the line does not exclude, or the interval around them; `records` adds sampling.

    |N| <= z sd + slack implies N^2 <= (1 + k) z^2 sd^2 + (1 + 1/k) slack^2 for every k > 0; public numbers decide k.
    Without a deviation only the slack is left.
    """
    left = alpha - line.lost
    if left <= 0:
        raise NotApplicable("level: is higher than any level at which the noise is known")
    z = normal_interval(left)
    variance = line.variance
    if records is not None:
        sampling = max(line.y, Fraction(0)) / records
        variance = variance.plus(Quadratic(c0=Fraction(0), c1=sampling, c2=-sampling))
    allowed = variance.times(z**2)
    if line.slack:
        typical, wider = _typical_variance(line, records), line.slack**2
        if typical:
            k = max(Fraction(line.slack / (z * root_at_least(typical))).limit_denominator(10**6), Fraction(1, 10**6))
            allowed, wider = allowed.times(1 + k), (1 + 1 / k) * wider
        allowed = allowed.plus(Quadratic(c0=wider, c1=Fraction(0), c2=Fraction(0)))
    found = where_at_most_zero(square_of(line.x, line.y).plus(allowed.times(-_ONE)))
    # Nothing is left only if the noise is larger than it may be: the answer is then the nearest share.
    return outwards(*(found if found is not None else _nearest(line)))


def point_note(line: Line, ends: tuple[Fraction, Fraction]) -> str:
    """The note if the noise leaves no share: a set of one point does not mean what its length suggests."""
    is_noisy = line.slack or any(line.variance.at(share) for share in (Fraction(0), Fraction(1, 2), _ONE))
    return NO_SHARE if is_noisy and ends[1] - ends[0] <= MOST_OF_A_POINT else ""


def _typical_variance(line: Line, records: int | None) -> Fraction:
    """A public typical variance, 0 only if there is none; if there is less noise than slack, sampling is added."""
    noise = line.variance.at(Fraction(1, 2)) or max(line.variance.at(end) for end in (Fraction(0), _ONE))
    return noise if records is None or noise >= line.slack**2 else noise + Fraction(1, 4 * records)


def _nearest(line: Line) -> tuple[Fraction, Fraction]:
    estimate = line.estimate
    if estimate is None:
        return Fraction(0), _ONE
    return estimate, estimate
