"""Shares of single columns from moments: means of indicators, and of columns with two codes, which are -1 and 1.

The mean of a feature is next to the intercept, that of the label among the first moments. Proof of the radius: (e)
of docs/proofs/synthbounds.cross-moments.md, which is about Gaussian noise that is rounded, whatever it is on.
"""

from __future__ import annotations

from fractions import Fraction

from release.moments.file import MomentRelease
from release.noise.quantiles import largest_combination
from release.statistics.blocks import LINEAR, ONE_HOT, block_width
from release.statistics.measured_shares import MeasuredShares, shares_of


def moment_shares(release: MomentRelease, beta: Fraction) -> dict[int, MeasuredShares]:
    """By place in the schema; all within their radii at once, except with probability beta."""
    features, found = release.feature_map, release.deviations
    one, columns = features.one, features.schema.columns
    means = [Fraction(row[-1], one**2) for row in release.second_sums]
    largest = max(
        found.first / (one * features.label_one), found.second_diagonal / one**2, found.second_off_diagonal / one**2
    )
    radius = largest_combination(largest**2, count=len(means) + 1, beta=beta) + Fraction(1, 2 * one)
    sizes = _sizes(release, means[-1], radius)
    shares: dict[int, MeasuredShares] = {}
    start = 0
    for place, encoding in zip(features.places, features.encodings, strict=True):
        width = block_width(columns[place], encoding)
        block = means[start : start + width]
        if encoding == ONE_HOT:
            shares[place] = shares_of(block, radius, sizes)
        elif encoding == LINEAR and columns[place].size == 2:
            shares[place] = _of_signs(block[0], radius, sizes)
        start += width
    label = next(i for i, column in enumerate(columns) if column.name == features.label)
    if features.positive is not None:
        mean = Fraction(release.first_sums[-1], one)
        rises = columns[label].texts.index(features.positive) == 1
        shares[label] = _of_signs(mean if rises else -mean, radius, sizes)
    return shares


def _sizes(release: MomentRelease, count: Fraction, radius: Fraction) -> tuple[Fraction, Fraction]:
    """n or, if it is private, an interval for it by the noisy count."""
    stated = Fraction(release.stated_size)
    if release.size_is_exact:
        return stated, stated
    lo = max(stated, count - radius)
    return lo, max(lo, count + radius)


def _of_signs(total: Fraction, radius: Fraction, sizes: tuple[Fraction, Fraction]) -> MeasuredShares:
    """A sum of -1 and 1 is the number of records less twice those of the first code: half of each is off."""
    middle, off = (sizes[0] + sizes[1]) / 2, radius + (sizes[1] - sizes[0]) / 2
    return shares_of([(middle - total) / 2, (middle + total) / 2], off / 2, sizes)
