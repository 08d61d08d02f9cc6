"""Shares of a column from a release, with how far the real ones can be: for pictures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class MeasuredShares:
    """The noisy shares of a column, which noise may push below 0 or above 1, and how far each can be off."""

    shares: tuple[Fraction, ...]
    radius: tuple[Fraction, ...]


def shares_of(
    counts: Sequence[int] | Sequence[Fraction], radius: Fraction, sizes: tuple[Fraction, Fraction]
) -> MeasuredShares:
    """Counts over the middle of the interval of the number of records.

    Every real count is within the radius of the noisy one, and not negative; the number of records is in the interval.
    """
    middle = (sizes[0] + sizes[1]) / 2
    shares = tuple(count / middle for count in counts)
    ends = [(max(count - radius, Fraction(0)), max(count + radius, Fraction(0))) for count in counts]
    return MeasuredShares(
        shares,
        tuple(
            max(abs(share - end / size) for end in both for size in sizes)
            for share, both in zip(shares, ends, strict=True)
        ),
    )
