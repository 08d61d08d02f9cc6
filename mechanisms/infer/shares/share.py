"""The share of records with certain values: in the table, in the population, and what the noise costs.

For the table only the noise matters; for the population also sampling. Both intervals are exact if the distribution of
the noise is known, for every number of records and every share; otherwise they are valid but longer than necessary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from bounds import clopper_pearson
from bounds.certify.inputs import probability
from bounds.inference.noise_laws import Gaussian
from bounds.shown import Shown
from mechanisms.infer.findings import About, Interval
from mechanisms.infer.shares.certified_binomial import population_from_bound
from mechanisms.infer.shares.event import Event
from mechanisms.infer.shares.noisy_share import NoisyShare, Way, noisy_share
from mechanisms.infer.shares.shown import ShownTables

DRAWN = "assumes records drawn independently from the population"
RADIUS_FAILS = "the radius of the tables fails as often as an interval may at this level; none is left for sampling"
LARGEST_COUNTED = 2**53
_GRID = 10**15
_FOR_THE_BOUND = 10
"""The bound's part of the failure probability: it makes the bound little larger and leaves nearly all to sampling."""


@dataclass(frozen=True, kw_only=True)
class ShareAnswer(Shown):
    """The share of an event, or of two at once."""

    events: tuple[Event, ...]
    size: int
    n_is_public: bool
    table: Interval
    population: Interval
    one_sided_table: tuple[Interval, Interval]
    """Lower and upper bound, each at the level on its own."""
    one_sided_population: tuple[Interval, Interval]
    way: Way
    tables: int
    """How many tables the estimate rests on."""
    deviation: float | None
    """Deviation of the noise, as a share."""
    effective_records: float | None
    """An estimate: this many records without noise would say as much about the population."""

    @property
    def text(self) -> str:
        return " & ".join(event.text for event in self.events)

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        return (self.table, self.population, *self.one_sided_table, *self.one_sided_population)

    @property
    def quoted_records(self) -> int | None:
        """The number of records to enter into software that does not account for noise."""
        return None if self.effective_records is None else max(1, floor(self.effective_records))


def infer_share(shown: ShownTables, events: tuple[Event, ...], *, level: Fraction) -> ShareAnswer:
    """Intervals at that level, two-sided and one-sided."""
    found = noisy_share(shown, events)
    alpha = 1 - probability("level", level)
    table, population = table_interval(found, alpha), population_interval(found, alpha)
    table_alone = table_interval(found, alpha, one_sided=True)
    population_alone = population_interval(found, alpha, one_sided=True)
    name = " & ".join(event.text for event in events)

    def said(
        about: About, lo: Fraction | None, hi: Fraction | None, *, free: float | None = None, note: str = ""
    ) -> Interval:
        side = f", {'at least' if hi is None else 'at most'}" if lo is None or hi is None else ""
        return Interval(
            name=name + side,
            about=about,
            kind="exact",
            level=level,
            estimate=float(min(max(found.estimate, Fraction(0)), Fraction(1))),
            lo=lo,
            hi=hi,
            is_certified=True,
            width_without_privacy=free,
            note=note,
        )

    return ShareAnswer(
        events=events,
        size=found.size,
        n_is_public=found.n_is_public,
        table=said("table", *table, note=_table_note(found)),
        population=said(
            "population",
            *population,
            free=non_private_width(found.estimate, found.size, level),
            note=_population_note(found, alpha),
        ),
        one_sided_table=(said("table", table_alone[0], None), said("table", None, table_alone[1])),
        one_sided_population=(
            said("population", population_alone[0], None),
            said("population", None, population_alone[1]),
        ),
        way=found.way,
        tables=found.tables,
        deviation=found.deviation,
        effective_records=effective_records(found),
    )


def supposed_at(found: NoisyShare, share: Fraction) -> NoisyShare:
    """The same with another estimate."""
    count = None if found.count is None else replace(found.count, observed=share * found.size)
    return replace(found, estimate=share, count=count)


def table_interval(found: NoisyShare, alpha: Fraction, *, one_sided: bool = False) -> tuple[Fraction, Fraction]:
    """Interval for the share in the table, failing with probability alpha; one-sided, each end fails with alpha."""
    bound, _ = found.error_bound(alpha, one_sided=one_sided)
    return outwards(_clipped(found.estimate - bound), _clipped(found.estimate + bound))


def population_interval(found: NoisyShare, alpha: Fraction, *, one_sided: bool = False) -> tuple[Fraction, Fraction]:
    """The same for the share in the population."""
    count = found.count
    if count is not None and (isinstance(count.noise, Gaussian) or not count.n_is_least):
        each = alpha if one_sided else alpha / 2
        return count.lower_end(each), count.upper_end(each)
    # Only a bound on the error is used: it gets a small part of the failure probability, unless its own is known.
    bound, failure = found.error_bound(alpha if found.is_stated else alpha / _FOR_THE_BOUND, one_sided=one_sided)
    return population_from_bound(
        least=found.estimate - bound,
        most=found.estimate + bound,
        failure=failure,
        n=found.size,
        n_is_least=not found.n_is_public,
        alpha=alpha,
        one_sided=one_sided,
    )


def effective_records(found: NoisyShare) -> float | None:
    """1/k = 1/n + variance of the noise/(p (1 - p)), at the estimate."""
    if found.deviation is None:
        return None
    least = 0.5 / found.size
    p = min(max(float(found.estimate), least), 1 - least)
    return 1 / (1 / found.size + found.deviation**2 / (p * (1 - p)))


def non_private_width(estimate: Fraction, n: int, level: Fraction) -> float | None:
    """Width of the Clopper-Pearson interval from an exact count, if the estimate is the truth."""
    if n > LARGEST_COUNTED:
        return None
    count = min(max(round(estimate * n), 0), n)
    lo, hi = clopper_pearson.interval(count, n, float(level))
    return hi - lo


def _clipped(share: Fraction) -> Fraction:
    return min(max(share, Fraction(0)), Fraction(1))


def outwards(lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
    """The ends rounded outwards to fewer digits."""
    return Fraction(floor(lo * _GRID), _GRID), Fraction(ceil(hi * _GRID), _GRID)


def _table_note(found: NoisyShare) -> str:
    least = "" if found.n_is_public else f"assumes at least {ceil(found.size):,} records, as the release does"
    valid = {"proxy": "the noise has a sub-Gaussian tail", "radius": "only the radius of the tables is known"}
    longer = valid.get(found.way, "")
    return "; ".join(part for part in (least, longer and f"{longer}: valid, but longer than necessary") if part)


def _population_note(found: NoisyShare, alpha: Fraction) -> str:
    if found.is_stated and found.radius_failure >= alpha:
        return f"{DRAWN}; {RADIUS_FAILS}"
    least = "" if found.n_is_public else "for every number of records from the least one up, which makes it longer"
    return "; ".join(part for part in (DRAWN, least) if part)
