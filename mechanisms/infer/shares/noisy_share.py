"""A noisy share and what is known about its error: Gaussian noise, Laplace noise, a sub-Gaussian tail, or a radius.

Each is turned into a noisy count, from which exact intervals follow, or into a bound on the error whose failure
probability may be chosen. Only public facts decide which.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from bounds.errors import NotApplicable, UsageError
from bounds.inference.noise_laws import DiscreteLaplaceSum, Gaussian, LaplaceSum, NoiseLaw, NoNoise
from bounds.inference.noisy_count import NoisyCount
from bounds.inference.quantiles import noise_quantile, sub_gaussian_quantile
from bounds.listing import listed
from mechanisms.infer.shares.combination import Combination, Part
from mechanisms.infer.shares.event import Event
from mechanisms.infer.shares.functional import Codes, share_of
from mechanisms.infer.shares.noisy_sum import NORMAL, combination_for, measured
from mechanisms.infer.shares.shown import Known, ShownTable, ShownTables
from release.marginals.make import fineness
from release.noise.kinds import LatticeKind, NoisePlan
from release.noise.quantiles import largest_noise, on_answers

Way: TypeAlias = Literal["gaussian", "laplace", "proxy", "radius"]
_MOST_SHOWN = 8
_NEARLY_SURE = Fraction(99, 100)
_FINE = 2**12
"""Laplace noise of at least this many lattice steps is compared with continuous noise, one step away."""


@dataclass(frozen=True, kw_only=True)
class NoisyShare:
    """Either `count` is used (if the noise distribution is known), as a count of `size` records, or the bounds."""

    estimate: Fraction
    size: int
    n_is_public: bool
    way: Way
    tables: int
    count: NoisyCount | None
    deviation: float | None
    """Deviation of the noise, as a share; None if it is not known."""
    proxy_variance: Fraction = Fraction(0)
    slack: Fraction = Fraction(0)
    cells: int = 0
    radius: Fraction = Fraction(0)
    """Error radius of a cell, if only that is known, and the probability that it fails for any cell."""
    radius_failure: Fraction = Fraction(0)
    plan: NoisePlan | None = None
    """The plan that gives the radius at any other probability."""

    @property
    def is_stated(self) -> bool:
        """Whether only one bound is known, with its probability."""
        return self.way == "radius" and self.plan is None

    def error_bound(self, failure: Fraction, *, one_sided: bool = False) -> tuple[Fraction, Fraction]:
        """A bound on the error, and its failure probability, which is at most the requested one.

        One-sided, the error is too large in one direction, whichever was meant, with that probability at most.
        """
        if self.way == "radius" and self.plan is not None:
            return self.cells * _radius_at(self.plan, failure), failure
        if self.way == "radius":
            if self.radius_failure > failure:
                raise NotApplicable(
                    f"level: the distribution of the noise is not known, and the radius of the tables fails with "
                    f"probability {float(self.radius_failure):.3g}: no interval can fail with only {float(failure):.3g}"
                )
            return self.cells * self.radius, self.radius_failure
        sides = 1 if one_sided else 2
        if self.way == "proxy":
            both = min(failure * 2 / sides, _NEARLY_SURE)
            return sub_gaussian_quantile(self.proxy_variance, both) + self.slack, failure
        assert self.count is not None
        left = min(self.count.left_of(failure) / sides, _NEARLY_SURE / 2)
        return (noise_quantile(self.count.noise, left) + self.count.slack) / self.size, failure


def noisy_share(shown: ShownTables, events: tuple[Event, ...]) -> NoisyShare:
    """The share of an event, or of two at once, as all tables together show it."""
    ways: set[Known] = {table.known for table in _tables_of(shown, events)}
    if not ways:
        named, hidden = " x ".join(event.name for event in events), shown.hidden({event.column for event in events})
        raise UsageError(f"release: no table shows {named}: the release has {_columns_text(shown)}{hidden}")
    if ways & set(NORMAL):
        return _gaussian(shown, events, NORMAL)
    if "laplace" in ways:
        return _laplace(shown, events)
    if "proxy" in ways:
        return _gaussian(shown, events, ("proxy",))
    return _by_radius(shown, events)


def _gaussian(shown: ShownTables, events: tuple[Event, ...], known: tuple[Known, ...]) -> NoisyShare:
    found = measured(combination_for(share_of(*events), shown, known), shown)
    if known == ("proxy",):
        return NoisyShare(
            estimate=found.estimate,
            size=shown.size,
            n_is_public=shown.n_is_public,
            way="proxy",
            tables=found.tables,
            count=None,
            deviation=None,
            proxy_variance=found.variance,
            slack=found.slack,
        )
    n = shown.size
    return NoisyShare(
        estimate=found.estimate,
        size=n,
        n_is_public=shown.n_is_public,
        way="gaussian",
        tables=found.tables,
        deviation=found.deviation_est,
        count=NoisyCount(
            n=n,
            observed=found.estimate * n,
            noise=Gaussian(found.variance * n**2) if found.variance else NoNoise(),
            slack=found.slack * n,
            lost=found.lost,
            n_is_least=not shown.n_is_public,
        ),
    )


def _laplace(shown: ShownTables, events: tuple[Event, ...]) -> NoisyShare:
    """The share from the table in which the fewest cells make up the event or its opposite: sums of Laplace noise have
    heavy tails."""
    assert shown.plan is not None
    chosen = _fewest_cells(shown, events)
    cells, n, plan = sum(part.cells for part in chosen.parts), shown.size, shown.plan
    unit = plan.unit * n
    noise: NoiseLaw
    rounding = Fraction(0) if shown.n_is_public else unit / 2
    if shown.is_simulated or plan.scale >= _FINE:
        noise = LaplaceSum(plan.scale * unit, cells)
        rounding += unit / (2 * fineness(plan)) if shown.is_simulated else unit
    else:
        noise = DiscreteLaplaceSum(plan.scale, cells, unit)
    estimate = chosen.estimate(shown.tables, shown.schema.domain.sizes)
    return NoisyShare(
        estimate=estimate,
        size=n,
        n_is_public=shown.n_is_public,
        way="laplace",
        tables=1,
        deviation=noise.deviation_est / n,
        count=NoisyCount(
            n=n, observed=estimate * n, noise=noise, slack=rounding * cells, n_is_least=not shown.n_is_public
        ),
    )


def _by_radius(shown: ShownTables, events: tuple[Event, ...]) -> NoisyShare:
    chosen = _fewest_cells(shown, events, by_radius=True)
    cells, beta = sum(part.cells for part in chosen.parts), shown.beta
    assert beta is not None
    return NoisyShare(
        estimate=chosen.estimate(shown.tables, shown.schema.domain.sizes),
        size=shown.size,
        n_is_public=shown.n_is_public,
        way="radius",
        tables=1,
        count=None,
        deviation=None,
        cells=cells,
        radius=shown.tables[chosen.parts[0].table].radius,
        radius_failure=beta,
        plan=shown.plan,
    )


def _fewest_cells(shown: ShownTables, events: tuple[Event, ...], *, by_radius: bool = False) -> Combination:
    """The event as a sum of cells of one table, or 1 minus its opposite, whichever has the smaller error."""
    sizes, best = shown.schema.domain.sizes, None
    for place, table in enumerate(shown.tables):
        if not {event.column for event in events} <= set(table.columns):
            continue
        inside = tuple(_codes(events, column, sizes) for column in table.columns)
        direct = Combination(constant=Fraction(0), parts=(Part(table=place, codes=inside, coefficient=Fraction(1)),))
        weight = table.radius if by_radius else Fraction(1)
        for option in (direct, _opposite(direct, place, table.columns, sizes)):
            size = weight * sum(part.cells for part in option.parts)
            if best is None or size < best[0]:
                best = size, option
    assert best is not None
    return best[1]


def _opposite(direct: Combination, place: int, columns: tuple[int, ...], sizes: tuple[int, ...]) -> Combination:
    inside = direct.parts[0].codes
    outside = [tuple(sorted(set(range(sizes[c])) - set(codes))) for c, codes in zip(columns, inside, strict=True)]
    blocks: list[tuple[Codes, ...]] = [(outside[0], *(tuple(range(sizes[c])) for c in columns[1:]))]
    if len(columns) == 2:
        blocks.append((inside[0], outside[1]))
    parts = (Part(table=place, codes=codes, coefficient=Fraction(-1)) for codes in blocks if all(codes))
    return Combination(constant=Fraction(1), parts=tuple(parts))


def _codes(events: tuple[Event, ...], column: int, sizes: tuple[int, ...]) -> Codes:
    return next((event.codes for event in events if event.column == column), tuple(range(sizes[column])))


def _tables_of(shown: ShownTables, events: tuple[Event, ...]) -> list[ShownTable]:
    """Tables that show the event, with all of its columns."""
    wanted = {event.column for event in events}
    return [table for table in shown.tables if wanted <= set(table.columns)]


def _columns_text(shown: ShownTables) -> str:
    names = [" x ".join(shown.schema.names[place] for place in table.columns) for table in shown.tables]
    return listed(names, _MOST_SHOWN)


def _radius_at(plan: NoisePlan, failure: Fraction) -> Fraction:
    """How far any cell may be off except with that probability."""
    noise = largest_noise(_lattice(plan), plan.mode, count=plan.count, scale=plan.scale, beta=failure)
    finer = plan.unit / (2 * fineness(plan)) if plan.mode == "simulate" else Fraction(0)
    return on_answers(noise, plan.unit, plan.adjacency) + finer


def _lattice(plan: NoisePlan) -> LatticeKind:
    if plan.mechanism == "linf" or plan.mechanism == "gaussian":
        return plan.mechanism
    raise NotApplicable(f"release: the distribution of noise through contrasts ({plan.mechanism}) is not known here")
