"""How the share of an event differs between two groups: the difference of shares, and the ratio of odds.

About the table: Fieller's set for each group at half of the failure probability, so that conclusions from both are
certified, for every table. About the population: the delta method with the covariances of noise and of sampling, whose
level is known only from simulations (benchmarks/shares.py). If a group, or for odds a cell, may be empty, nothing is
excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, sqrt

from bounds.certify.inputs import probability
from bounds.certify.radii import normal_interval
from bounds.errors import UsageError
from bounds.shown import Shown
from mechanisms.infer.findings import About, Interval, Kind
from mechanisms.infer.shares.conditional import MAY_BE_EMPTY, Line, fieller, group_sums, line_in, point_note
from mechanisms.infer.shares.event import Event
from mechanisms.infer.shares.joint import JointSums
from mechanisms.infer.shares.noisy_share import noisy_share
from mechanisms.infer.shares.share import DRAWN, outwards, table_interval
from mechanisms.infer.shares.shown import ShownTables

CELL_MAY_BE_EMPTY = "{} of {} may have no records (the noise is too large to tell): no odds ratio is excluded"
_SIMULATED = "delta method"
_BOTH = "from separate intervals for both groups, valid at any noise: it may be longer than that of the population"
_Ends = tuple[Fraction | None, Fraction | None]


@dataclass(frozen=True, kw_only=True)
class GroupShare:
    """The share of the event in one group, with an interval that holds at the level for both groups together."""

    group: Event
    table: Interval
    records_est: float
    may_be_empty: bool


@dataclass(frozen=True, kw_only=True)
class DifferenceAnswer(Shown):
    """The share of `event` in the first group minus that in the second, and the odds ratio if it was asked for."""

    event: Event
    groups: tuple[GroupShare, GroupShare]
    size: int
    n_is_public: bool
    table: Interval
    population: Interval
    odds_table: Interval | None
    odds_population: Interval | None
    tables: int

    @property
    def text(self) -> str:
        first, second = (found.group.text for found in self.groups)
        return f"{self.event.text}: {first} less {second}"

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        odds = (self.odds_table, self.odds_population)
        return (
            self.table,
            self.population,
            *(found for found in odds if found is not None),
            *(found.table for found in self.groups),
        )


@dataclass(frozen=True)
class _Cell:
    """A group in floats: the shares of all records that are in it with the event and without it."""

    met: float
    unmet: float

    @property
    def share(self) -> float:
        return self.met / (self.met + self.unmet)


def infer_difference(
    shown: ShownTables, event: Event, groups: tuple[Event, Event], *, odds_ratio: bool, level: Fraction
) -> DifferenceAnswer:
    """Intervals for the difference, and for the odds ratio if it is asked for."""
    if event.column == groups[0].column:
        raise UsageError(f"difference: {event.name} is the column of the event: groups need another column")
    alpha = 1 - probability("level", level)
    sums = group_sums(shown, event, groups, option="difference")
    lines = line_in(sums, 0), line_in(sums, 1)
    found = _group(shown, event, groups[0], lines[0], level), _group(shown, event, groups[1], lines[1], level)
    cells = tuple(_cell(sums, place, shown.size) for place in (0, 1))
    z = float(normal_interval(alpha))
    empty = next((group for group in found if group.may_be_empty), None)
    note = "" if empty is None else f"{empty.group.text}: {MAY_BE_EMPTY}"
    name = f"{event.text}: {groups[0].text} less {groups[1].text}"

    def said(label: str, about: About, estimate: float, ends: _Ends, free: float | None, why: str) -> Interval:
        of_table = about == "table"
        kind: Kind = "exact" if of_table else "simulated"
        return Interval(
            name=label,
            about=about,
            kind=kind,
            level=level,
            estimate=None if empty is not None else estimate,
            lo=ends[0],
            hi=ends[1],
            is_certified=of_table,
            width_without_privacy=free,
            note="; ".join(part for part in (_BOTH if of_table else f"{_SIMULATED}, {DRAWN}", why) if part),
        )

    estimate, deviation = delta_method(sums, shown.size, odds=False)
    first, second = ((_end(group.table.lo), _end(group.table.hi)) for group in found)
    free = _width([1 / (cell.met + cell.unmet) * cell.share * (1 - cell.share) for cell in cells], z, shown.size)
    table = said(name, "table", estimate, (first[0] - second[1], first[1] - second[0]), None, note)
    half = None if empty is not None else z * deviation
    ends: _Ends = (Fraction(-1), Fraction(1)) if half is None else _cut(estimate - half, estimate + half)
    population = said(name, "population", estimate, ends, free, note)
    odds_table = odds_population = None
    if odds_ratio:
        label = f"odds ratio of {name.replace(' less ', ' to ')}"
        ratio, deviation = delta_method(sums, shown.size, odds=True)
        bare = empty_cell(sums, event, groups, z)
        why = note or ("" if bare is None else CELL_MAY_BE_EMPTY.format(*bare))
        odds_table = said(label, "table", exp(ratio), _odds_ends(first, second), None, note)
        spread = z * deviation
        bare_width = _width([1 / cell.met + 1 / cell.unmet for cell in cells], z, shown.size) / 2
        free_odds = exp(ratio + bare_width) - exp(ratio - bare_width) if bare_width < _MOST_LOG else None
        loose = bool(why) or abs(ratio) + spread > _MOST_LOG
        sides: _Ends = (None, None) if loose else (Fraction(exp(ratio - spread)), Fraction(exp(ratio + spread)))
        odds_population = said(label, "population", exp(ratio), sides, None if loose else free_odds, why)
    return DifferenceAnswer(
        event=event,
        groups=found,
        size=shown.size,
        n_is_public=shown.n_is_public,
        table=table,
        population=population,
        odds_table=odds_table,
        odds_population=odds_population,
        tables=sums.tables,
    )


_MOST_LOG = 50.0
"""Largest logarithm of an odds ratio; beyond it nothing is said."""


def _group(shown: ShownTables, event: Event, group: Event, line: Line, level: Fraction) -> GroupShare:
    alpha = (1 - level) / 2
    lo, hi = fieller(line, alpha=alpha)
    members, _ = table_interval(noisy_share(shown, (group,)), alpha)
    estimate = line.estimate
    return GroupShare(
        group=group,
        records_est=float(max(line.y, Fraction(0)) * shown.size),
        may_be_empty=members == 0,
        table=Interval(
            name=f"{event.text} given {group.text}",
            about="table",
            kind="exact",
            level=level,
            estimate=None if estimate is None else float(estimate),
            lo=lo,
            hi=hi,
            is_certified=True,
            simultaneous=True,
            note=MAY_BE_EMPTY if members == 0 else point_note(line, (lo, hi)),
        ),
    )


def _cell(sums: JointSums, group: int, size: int) -> _Cell:
    """Both parts raised to at least half a record, so that share and logarithm exist."""
    met, members = (float(value) for value in sums.estimates[2 * group : 2 * group + 2])
    least = 0.5 / size
    return _Cell(max(met, least), max(members - met, least))


def delta_method(sums: JointSums, size: int, *, odds: bool) -> tuple[float, float]:
    """The difference, or the log odds ratio, and its deviation: noise with its covariance, and sampling.

    If noise is not quite Gaussian, the deviation is enlarged by as much as it may be off.
    """
    cells = [_cell(sums, group, size) for group in (0, 1)]
    weights, sampling = [], 0.0
    for cell, sign in zip(cells, (1, -1), strict=True):
        whole, share = cell.met + cell.unmet, cell.share
        if odds:
            weights += [sign * (1 / cell.met + 1 / cell.unmet), -sign / cell.unmet]
            sampling += (1 / cell.met + 1 / cell.unmet) / size
        else:
            weights += [sign / whole, -sign * share / whole]
            sampling += share * (1 - share) / (whole * size)
    exact = [Fraction(weight) for weight in weights]
    first, second = cells
    estimate = log(first.met / first.unmet) - log(second.met / second.unmet) if odds else first.share - second.share
    return estimate, sqrt(float(sums.covariance(exact, exact)) + sampling) + float(sums.slack(exact))


def empty_cell(sums: JointSums, event: Event, groups: tuple[Event, Event], z: float) -> tuple[str, str] | None:
    """A cell that may be empty: noise alone might have produced its count."""
    for place, group in enumerate(groups):
        for name, weights in ((event.text, (1, 0)), (f"not {event.text}", (-1, 1))):
            combined = [Fraction(0)] * len(sums.estimates)
            combined[2 * place], combined[2 * place + 1] = (Fraction(weight) for weight in weights)
            value = sum((w * x for w, x in zip(combined, sums.estimates, strict=True)), Fraction(0))
            if float(value) <= z * sqrt(float(sums.covariance(combined, combined))):
                return name, group.text
    return None


def _odds_ends(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction]) -> _Ends:
    """Odds grow with the share: least odds of the first group over most of the second, and the other way round."""

    def ratio(share: Fraction, other: Fraction) -> Fraction | None:
        below = (1 - share) * other
        return None if below == 0 else share * (1 - other) / below

    # without an upper end if a share may be 1 or 0; 0 excludes nothing from below
    lo, hi = ratio(first[0], second[1]), ratio(first[1], second[0])
    return (outwards(lo, lo)[0] if lo else None), (None if hi is None else outwards(hi, hi)[1])


def _end(end: Fraction | None) -> Fraction:
    assert end is not None
    return end


def _cut(lo: float, hi: float) -> tuple[Fraction, Fraction]:
    return max(Fraction(lo), Fraction(-1)), min(Fraction(hi), Fraction(1))


def _width(variances: Sequence[float], z: float, size: int) -> float:
    return 2 * z * sqrt(sum(variances) / size)
