"""Power of a test of independence before the budget is spent, from public numbers: a noncentral chi-square.

The effect is Cramér's V, and the margins of the columns are taken to be uniform, which flatters columns with rare
values. The plan also says which table size and which effect have the required power.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.chi_square.answers import PowerPlan
from mechanisms.infer.chi_square.cell_noise import planned_noise
from mechanisms.infer.chi_square.chi2_law import critical_value, noncentrality_with, upper_tail
from mechanisms.infer.chi_square.common import read_level, require_degrees
from mechanisms.infer.chi_square.draws import PLAN, stream
from mechanisms.infer.chi_square.effect import effect_interval, measure_of_pair
from mechanisms.infer.chi_square.real_table import least_in_ellipsoid
from mechanisms.infer.chi_square.showing import planned_pair
from mechanisms.infer.chi_square.shown import ShownPair
from mechanisms.infer.chi_square.statistic import noise_covariance, residual_of, sampling_covariance
from release.data.schema import Schema
from release.marginals.make import choose_tables, plan_marginals
from release.parameters import DEFAULT_BETA, MOST_RECORDS

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

WANTED_POWER = Fraction(4, 5)
NOISE_PART = Fraction(1, 5)
"""The part of 1 - level that the worst-case route gives to the noise; the test on each table has the rest."""
_RUNS = 500


@dataclass(frozen=True, eq=False)
class Effect:
    """An effect in directions that make both records and noise uncorrelated: the part of n phi^2 in each."""

    widths: Floats
    """Variance of the noise in each direction, relative to that of the records."""
    parts: Floats
    """Squares of the effect's coordinates."""

    @property
    def noncentrality(self) -> float:
        return float((self.parts / (1 + self.widths)).sum())

    @property
    def without_privacy(self) -> float:
        return float(self.parts.sum())

    def effective_size(self, size: int) -> float:
        """How much records count, on average over directions."""
        return size * float((1 / (1 + self.widths)).mean())


def plan_independence(
    schema: Schema,
    columns: Sequence[str],
    *,
    size: int,
    effect: Exact,
    pairs: Iterable[tuple[str, str]] | None = None,
    one_way: Iterable[str] | None = None,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency,
    mechanism: str | None = None,
    level: Exact = "0.95",
) -> PowerPlan:
    """The power of the test of these columns from a release of these tables (default: all pairs).

    Under add-remove the test uses the public least size, and the plan assumes exactly that many records.
    """
    confidence, wanted = read_level(level), parse_rational(effect, "effect")
    require_range("effect", wanted, effect, above=0, most=1, reason="Cramér's V")
    sets = choose_tables(schema, pairs=pairs, one_way=one_way)
    shown_at = partial(
        planned_tables,
        schema,
        columns,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        mechanism=mechanism,
    )
    shown = shown_at(sets, size)
    require_degrees(shown.degrees)
    degrees, fewest = shown.degrees, min(shown.levels) - 1
    critical = critical_value(float(1 - confidence), degrees)
    uniform, phi = np.full(shown.levels, 1 / (shown.levels[0] * shown.levels[1])), float(wanted) * sqrt(fewest)
    found = effect_of(shown, uniform, phi)
    own = tuple(sorted(schema.names.index(name) for name in columns))
    alone = effect_of(shown_at((own,), size), uniform, phi)

    def power(records: int) -> float:
        return upper_tail(critical, degrees, effect_of(shown_at(sets, records), uniform, phi).noncentrality)

    needed = noncentrality_with(float(WANTED_POWER), critical, degrees)
    for_power = phi * sqrt(needed / found.noncentrality / fewest) if found.noncentrality > 0 else None
    least = found.without_privacy / (1 + float(found.widths.max()))
    return PowerPlan(
        shape=shown.shape,
        level=confidence,
        degrees=degrees,
        effect=float(wanted),
        expected=effect_interval(
            measure_of_pair(shown),
            statistic=degrees + found.noncentrality,
            shares=1 / (1 + found.widths),
            noncentrality=found.without_privacy,
            level=confidence,
        ),
        power_est=upper_tail(critical, degrees, found.noncentrality),
        least_power_est=upper_tail(critical, degrees, least),
        power_without_privacy=upper_tail(critical, degrees, found.without_privacy),
        worst_case_power=worst_case_power(found, confidence),
        effective_size_est=found.effective_size(size),
        tables=len(sets),
        power_alone_est=upper_tail(critical, degrees, alone.noncentrality),
        effective_size_alone_est=alone.effective_size(size),
        wanted_power=float(WANTED_POWER),
        size_for_power=_least_size(power),
        effect_for_power=for_power if for_power is not None and for_power <= 1 else None,
    )


def planned_tables(
    schema: Schema,
    columns: Sequence[str],
    sets: Sequence[tuple[int, ...]],
    size: int,
    *,
    epsilon: Exact,
    dp_delta: Exact | None,
    adjacency: Adjacency,
    mechanism: str | None = None,
) -> ShownPair:
    """What a release of these tables would show of two columns, with the noise that it would draw."""
    plan = plan_marginals(
        schema,
        sets,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        size=size,
        beta=DEFAULT_BETA,
        mode="release",
        mechanism=mechanism,
    )
    public = adjacency is Adjacency.REPLACE_ONE
    return planned_pair(schema, columns, sets, noise=planned_noise(plan), size=size, size_is_public=public)


def effect_of(shown: ShownPair, shares: Floats, phi: float | None = None) -> Effect:
    """The effect in these shares, none of whose margins is 0; with phi, an effect spread evenly at their margins."""
    from scipy.linalg import eigh

    a, b = shares.sum(1), shares.sum(0)
    widths, directions = eigh(noise_covariance(shown, a, b), sampling_covariance(a, b, shown.size))
    if phi is not None:
        return Effect(widths, np.full(len(widths), shown.size * phi**2 / len(widths)))
    return Effect(widths, (directions.T @ residual_of(shown.size * shares, a, b, shown.size)) ** 2)


def planned_power(shown: ShownPair, shares: Floats, *, level: Exact = "0.95") -> float:
    """Power of the test on what is shown of a population with these shares."""
    critical = critical_value(float(1 - read_level(level)), shown.degrees)
    return upper_tail(critical, shown.degrees, effect_of(shown, shares).noncentrality)


def worst_case_power(effect: Effect, level: Fraction) -> float:
    """Power of rejecting if every table in the noise's ellipsoid is rejected: a share of fixed Gaussian draws."""
    outside, critical = worst_case_values(level, len(effect.widths))
    source = stream(seed=0, step=PLAN, block=0)
    noise = source.standard_normal((_RUNS, len(effect.widths))) * np.sqrt(1 + effect.widths)
    seen = np.sqrt(effect.parts) + noise
    rejected = [least_in_ellipsoid(centre, effect.widths, outside) > critical for centre in seen]
    return float(np.mean(rejected))


def worst_case_values(level: Fraction, degrees: int) -> tuple[float, float]:
    """The squared radius of the ellipsoid and the critical value of the worst-case route."""
    alpha = 1 - level
    outside = critical_value(float(NOISE_PART * alpha), degrees)
    return outside, critical_value(float((1 - NOISE_PART) * alpha), degrees)


def _least_size(power: Callable[[int], float]) -> int | None:
    """The least size with the required power, which rises with the size."""
    wanted, most = float(WANTED_POWER), 1
    while power(most) < wanted:
        if most >= MOST_RECORDS:
            return None
        most = min(2 * most, MOST_RECORDS)
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if power(middle) >= wanted else (middle, most)
    return most
