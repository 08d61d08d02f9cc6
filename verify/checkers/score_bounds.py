"""What follows from the noisy answers of a certificate of scores: ends of means, shares, areas.

Every function names the event on which its result holds by its failure probability. Proofs:
docs/proofs/synthbounds.excess-query.md and docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from verify.checkers.noise import HALF, Answer, difference_radius, each_of, quantile

NOTHING = fmpq(0)
ZERO, ONE = arb(0), arb(1)
Ends = tuple[arb, arb]


@dataclass(frozen=True)
class Sum:
    """A noisy sum over records; the sum asked for is off by `error` each, and `gap` too large."""

    answer: Answer
    error: fmpq = NOTHING
    gap: fmpq = NOTHING

    def above(self, failure: fmpq | arb) -> arb:
        """The true sum is at most this, without the errors of records."""
        return self.answer.middle + self.answer.radius(failure)

    def below(self, failure: fmpq | arb) -> arb:
        return self.answer.middle - self.answer.radius(failure) - self.gap


@dataclass(frozen=True)
class Records:
    """The number of records, or if it is private the smallest that it can be."""

    private: bool
    size: int

    def mean_above(self, total: arb) -> arb:
        """An upper bound on the mean of values with a sum of at most `total`."""
        return (total.max(ZERO) if self.private else total) / self.size


def excess_above(records: Records, model: Sum, least: Sum, failure: fmpq) -> arb:
    """The model's mean loss minus the smallest of the class."""
    radius = difference_radius(model.answer, least.answer, failure)
    middle = model.answer.middle - least.answer.middle
    return records.mean_above(middle + radius + least.gap) + model.error


def excess_within(excess: arb, most: arb, floor: arb) -> arb:
    """The bound left by the model's objective and the floor of its class; all hold together."""
    return excess.min(most - floor).max(ZERO)


def mean_label_above(records: Records, counts: list[Answer], failure: fmpq) -> arb:
    """The absolute mean of labels +1 and -1.

    A noisy difference is nearer to 0 than the true one by more than the radius only if the noise is
    as far on one side: the true difference determines which side. So one tail is enough.
    """
    positive, other = counts
    radius = difference_radius(positive, other, failure)
    return ((arb(abs(positive.middle - other.middle)) + radius) / records.size).min(ONE)


@dataclass(frozen=True)
class Sizes:
    """How many records have the positive label, how many the other one, how many there are."""

    positive: Ends
    other: Ends
    total: Ends

    def mean_label(self) -> arb:
        """The mean of labels +1 and -1 is no larger in absolute value."""
        found = ZERO
        for (_, high), (low, _) in ((self.positive, self.other), (self.other, self.positive)):
            found = found.max((high - low) / (high + low) if high + low > 0 else ONE)
        return found.min(ONE)


def label_sizes(records: Records, counts: list[Answer], failure: fmpq) -> Sizes:
    """If the number of records is public, their difference is enough; else three events."""
    positive, other = counts
    if not records.private:
        n, half = arb(records.size), difference_radius(positive, other, failure / 2) / 2
        middle = (positive.middle - other.middle + records.size) / 2
        low, high = within(middle - half, n), within(middle + half, n)
        return Sizes((low, high), (n - high, n - low), (n, n))
    together = positive.middle + other.middle
    both = difference_radius(positive, other, failure / 6)  # of the sum, too
    least = arb(records.size)
    total = (together - both).max(least), (together + both).max(least)
    ends = [[within(end, total[1]) for end in sum_ends(Sum(x), failure / 3)] for x in counts]
    return Sizes((ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]), total)


def within(value: arb, most: arb) -> arb:
    return value.max(ZERO).min(most)


def sum_ends(total: Sum, failure: fmpq | arb) -> Ends:
    """Both ends of a sum, without the errors of records."""
    return total.below(failure / 2), total.above(failure / 2)


def mean_ends(total: Ends, size: Ends) -> Ends:
    """Both ends of a mean over records, of which there may be more or fewer."""
    low = (total[0] / size[0]).min(total[0] / size[1])
    high = (total[1] / size[0]).max(total[1] / size[1])
    return low, high


def area_ends(total: Sum, failure: fmpq, least: tuple[int, int], sizes: Sizes) -> Ends:
    """The area asked for is rounded down, and counts classes as no smaller than declared."""
    low, high = (end.max(ZERO) for end in sum_ends(total, failure))
    high += total.error
    for declared, (fewest, most) in zip(least, (sizes.positive, sizes.other), strict=True):
        low *= (declared / most).max(ONE) if most > 0 else ONE
        high = high * (declared / fewest).max(ONE) if fewest > 0 else ONE
    return low.min(ONE), high.min(ONE)


def bin_ends(counts: list[Answer], failure: fmpq) -> list[Ends]:
    """In every bin the share of the positive label, all together: bins have independent noise."""
    part = each_of(len(counts) // 2, failure)
    return [share_ends(*pair, part) for pair in zip(counts[::2], counts[1::2], strict=True)]


def share_ends(positive: Answer, other: Answer, failure: arb) -> Ends:
    """All r with |(1 - r) a - r b| at most the radius s of noise and rounding times |(1 - r, r)|.

    a and b are noisy counts, of the same noise. The noise of that number has its deviation times
    |(1 - r, r)|, and it is rounded by at most 1/2, which is sqrt(1/2) times sqrt(1/2), which is at
    most |(1 - r, r)|. Squared, it is quadratic in r.
    """
    a, both = positive.value, positive.value + other.value
    s = quantile(failure / 2) * positive.deviation + arb(HALF).sqrt()
    square, middle, rest = both**2 - 2 * s**2, both * a - s**2, a**2 - s**2
    inside = middle**2 - square * rest
    if not (both > 0 and square > 0 and inside >= 0):
        return ZERO, ONE
    low, high = (middle - inside.sqrt()) / square, (middle + inside.sqrt()) / square
    return within(low, ONE), within(high, ONE)
