"""What is known of a finished table from its own release: certified distances of shares and moments to the real ones.

All noise is below its quantile, except with probability beta; on that event a real count lies within the quantile of
the noisy one, and what the finished table has is compared with both ends. Under add-remove the number of records is
enclosed by the one-way tables themselves. Everything is exact. Proof: docs/proofs/synthbounds.cross-moments.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from release.cross_moments.file import CrossMoments
from release.statistics.cross_moments import BITS, cross_sums, split_one_way

if TYPE_CHECKING:
    from release.data.domain import Codes
    from release.marginals.file import Marginals

_MOST_SHARE, _MOST_MOMENT = Fraction(1), Fraction(2)
"""No error is larger, whatever the noise: shares lie in [0, 1], products of features in [-1, 1]."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """Except with probability beta, no share and no moment of the table is farther from the real one."""

    beta: Fraction
    one_way: tuple[Fraction, ...]
    """For each column the largest error of a share."""
    cross: Fraction | None
    """The largest error of a mean of a product of two columns' features; None where none were measured."""
    least_size: int | None
    """Where n is private, all of it supposes that there are so many records; None where n is public."""


def known_from_moments(release: CrossMoments, rows: Codes, beta: Fraction) -> Known:
    """Half of beta is for the counts, half for the products."""
    made = cross_sums(rows, release.encoding)
    half = beta / 2 if release.has_cross_moments else beta
    count_radius = release.one_way_quantile(half, size=1)
    sizes = _sizes(release, count_radius)
    shares = split_one_way(made.one_way, release.schema)
    one_way = tuple(
        min(_largest_error(noisy, table, made.n, count_radius, sizes, least=Fraction(0)), _MOST_SHARE)
        for noisy, table in zip(release.one_way, shares, strict=True)
    )
    cross = None
    if release.has_cross_moments:
        unit = 4**BITS
        radius = release.cross_quantile(half, size=1) * unit
        cross = min(_largest_error(release.cross_sums, made.cross, made.n, radius, sizes) / unit, _MOST_MOMENT)
    return Known(
        beta=beta, one_way=one_way, cross=cross, least_size=None if release.size_is_exact else release.stated_size
    )


def known_from_marginals(release: Marginals, rows: Codes) -> Known:
    """Of one-way tables alone; their radius has its own beta."""
    found = []
    for table in release.tables:
        (column,) = table.columns
        made = np.bincount(rows[:, column], minlength=release.schema.domain.sizes[column])
        errors = (
            abs(Fraction(noisy, table.denominator) - Fraction(int(count), len(rows)))
            for noisy, count in zip(table.counts, made, strict=True)
        )
        found.append(min(max(errors) + table.radius, _MOST_SHARE))
    public = release.n_is_public
    return Known(beta=release.beta, one_way=tuple(found), cross=None, least_size=None if public else release.size)


def _sizes(release: CrossMoments, radius: Fraction) -> tuple[Fraction, Fraction]:
    """The number of records, or an interval for it: every column's counts add up to it."""
    if release.size_is_exact:
        return Fraction(release.stated_size), Fraction(release.stated_size)
    lo, hi = Fraction(release.stated_size), None
    for table in release.one_way:
        total, width = sum(table), radius * len(table)
        lo = max(lo, total - width)
        hi = total + width if hi is None else min(hi, total + width)
    assert hi is not None
    return lo, max(lo, hi)


def _largest_error(
    noisy: Iterable[int],
    made: Sequence[int],
    k: int,
    radius: Fraction,
    sizes: tuple[Fraction, Fraction],
    *,
    least: Fraction | None = None,
) -> Fraction:
    """The largest distance of made / k to any value within the radius of noisy, over any size of the interval."""
    lo_size, hi_size = sizes
    if lo_size == hi_size and least is None:  # the same in whole numbers, which is much faster
        n = int(lo_size)
        farthest = max(abs(int(count) * n - value * k) for value, count in zip(noisy, made, strict=True))
        return Fraction(farthest, n * k) + radius / n
    worst = Fraction(0)
    for value, count in zip(noisy, made, strict=True):
        here = Fraction(int(count), k)
        ends = [value - radius, value + radius]
        if least is not None:
            ends = [max(end, least) for end in ends]
        worst = max(worst, *(abs(here - end / size) for end in ends for size in (lo_size, hi_size)))
    return worst
