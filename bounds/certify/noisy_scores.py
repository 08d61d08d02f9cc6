"""From noisy numbers about predictions to certified intervals: sizes of classes, mean loss, area, shares in bins.

Noise is Gaussian and then rounded, so that a number is off by at most a quantile plus half a step. Everything is exact
but the quantiles, which are balls rounded up. Proof: docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import fmpq

from bounds.arithmetic.ball import BALL
from bounds.certify.verdict import constant_risk
from bounds.enclosure import Enclosure, as_fmpq, decimal_text
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.solve import enclose

_DIGITS = 12
HALF = Fraction(1, 2)
ROOT_HALF = Fraction(70711, 100000)
"""The root of 1/2, rounded up."""
MARGIN_LOSS = {"log": ("logistic", Fraction(1)), "zero-one": ("hinge", HALF), "brier": ("squared", HALF)}
"""For a loss of predictions: the loss of scores, and its part, that agree on constant predictions."""


def noise_reach(deviation: Fraction, failure: Fraction, count: int = 1) -> Fraction:
    """None of this many independent Gaussian numbers is larger in size, except with this probability; rounded up."""
    return _quantile(failure, count) * deviation


@lru_cache(maxsize=256)
def _quantile(failure: Fraction, count: int) -> Fraction:
    found = enclose(lambda: BALL.normal_max_quantile(fmpq(count), as_fmpq(failure))).hi
    return Fraction(decimal_text(found, _DIGITS, up=True))


@dataclass(frozen=True)
class LabelSizes:
    """How many records have the positive label, and the other one, and how many there are: intervals on one event."""

    positive: Enclosure
    other: Enclosure
    size: Enclosure

    @property
    def mean_label_ub(self) -> Fraction:
        """The mean of labels of +1 and -1 is at most this in absolute value."""
        found = []
        for one, other in ((self.positive, self.other), (self.other, self.positive)):
            together = one.hi + other.lo
            found.append((one.hi - other.lo) / together if together else Fraction(1))
        return min(Fraction(1), max(found))

    def constant_lb(self, loss: str) -> Fraction:
        """No constant prediction has a smaller mean loss."""
        of_scores, part = MARGIN_LOSS[loss]
        found = constant_risk(of_scores, self.mean_label_ub)
        assert found is not None
        return part * found


def label_sizes(
    answer: tuple[int, ...], *, deviation: Fraction, failure: Fraction, adjacency: Adjacency, stated_size: int
) -> LabelSizes:
    """From noisy counts of both labels. If n is public, both estimate the same number, and their mean is taken."""
    one, other = (Fraction(value) for value in answer)
    if adjacency is Adjacency.REPLACE_ONE:
        reach = noise_reach(deviation * ROOT_HALF, failure) + HALF
        positive = _within((one + stated_size - other) / 2, reach, 0, stated_size)
        rest = Enclosure(stated_size - positive.hi, stated_size - positive.lo)
        return LabelSizes(positive, rest, Enclosure.of(stated_size))
    each = noise_reach(deviation, failure / 3) + HALF
    both = noise_reach(deviation * 2 * ROOT_HALF, failure / 3) + 1
    size = Enclosure(max(Fraction(stated_size), one + other - both), max(Fraction(stated_size), one + other + both))
    return LabelSizes(_within(one, each, 0, size.hi), _within(other, each, 0, size.hi), size)


def sum_of(
    answer: int, *, reach: Fraction, below: Fraction | int = 0, above: Fraction | int = 0, unit: Fraction
) -> Enclosure:
    """A sum from its noisy number of steps; the exact number is at most `above` steps too large, `below` too small."""
    return Enclosure((answer - reach - above) * unit, (answer + reach + below) * unit)


def mean_of(total: Enclosure, size: Enclosure, largest: Fraction) -> Enclosure:
    """The mean of numbers between 0 and `largest` with that sum."""
    found = difference(total, Enclosure.of(0), size)
    return _within_range(found.lo, found.hi, largest)


def difference(one: Enclosure, other: Enclosure, size: Enclosure) -> Enclosure:
    """Of two sums over the same records, over their number."""
    lo, hi = one.lo - other.hi, one.hi - other.lo
    return Enclosure(lo / (size.hi if lo > 0 else size.lo), hi / (size.lo if hi > 0 else size.hi))


def area_of(answer: int, *, reach: Fraction, unit: Fraction, least: tuple[int, int], sizes: LabelSizes) -> Enclosure:
    """The area under the curve: if a class may be smaller than declared, the statistic is less than the area."""
    lo, hi = (answer - reach) * unit, (answer + reach + 1) * unit
    if not min(sizes.positive.lo, sizes.other.lo) > 0:
        return _within_range(lo, Fraction(1), Fraction(1))
    for declared, truly in zip(least, (sizes.positive, sizes.other), strict=True):
        lo, hi = lo * max(Fraction(1), declared / truly.hi), hi * max(Fraction(1), declared / truly.lo)
    return _within_range(lo, hi, Fraction(1))


def share_of_positives(positive: int, other: int, *, reach: Fraction) -> Enclosure:
    """The share r of positives in a bin, from two noisy counts with noise of the same deviation.

    (1 - r) positive - r other is noise of that deviation times the root of (1-r)^2 + r^2, which is at least the root
    of 1/2: so `reach` bounds the noise of one count, and rounding adds the root of 1/2 to it.
    """
    s = reach + ROOT_HALF
    both = positive + other
    # both^2 r^2 - 2 both positive r + positive^2 <= s^2 (1 - 2 r + 2 r^2)
    a, b, c = both**2 - 2 * s**2, both * positive - s**2, positive**2 - s**2
    inside = b**2 - a * c
    if both <= 0 or a <= 0 or inside < 0:
        return Enclosure(Fraction(0), Fraction(1))
    root = root_at_least(inside) if inside else inside
    return _within_range((b - root) / a, (b + root) / a, Fraction(1))


def _within(middle: Fraction, reach: Fraction, least: Fraction | int, most: Fraction | int) -> Enclosure:
    lo, hi = (min(max(end, Fraction(least)), Fraction(most)) for end in (middle - reach, middle + reach))
    return Enclosure(lo, hi)


def _within_range(lo: Fraction, hi: Fraction, most: Fraction) -> Enclosure:
    lo = min(max(lo, Fraction(0)), most)
    return Enclosure(lo, max(lo, min(hi, most)))
