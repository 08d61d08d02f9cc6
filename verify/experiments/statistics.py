"""How runs are judged: sign tests of pairs, intervals of a share, of a mean, and for the mean of future runs.

All are textbook methods; a t-interval assumes roughly normal scatter, a sign test only that pairs are independent.
Nothing here is certified.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, inf, sqrt

LEVEL = 0.9997
"""Level of intervals: with 144 cells in a table, one in twenty such tables has a cell outside by chance."""
SIGNIFICANT = 0.01
"""Level of sign tests, two-sided."""


@dataclass(frozen=True)
class Interval:
    low: float
    high: float

    def has(self, value: float, *, rounding: float = 0.0) -> bool:
        """Whether it contains a number that was rounded by at most this much."""
        return self.low - rounding <= value <= self.high + rounding


@dataclass(frozen=True)
class Signs:
    """How often the first of a pair was larger, and how often the second; ties do not count."""

    more: int
    less: int
    ties: int = 0

    @property
    def p_value(self) -> float:
        """Two-sided, exact."""
        count, fewer = self.more + self.less, min(self.more, self.less)
        tail: float = sum(comb(count, k) for k in range(fewer + 1)) / 2**count
        return min(1.0, 2 * tail)

    @property
    def direction(self) -> int:
        """1 or -1 if one of the two is significantly more frequent; else 0."""
        if self.p_value > SIGNIFICANT:
            return 0
        return 1 if self.more > self.less else -1

    def __add__(self, other: Signs) -> Signs:
        return Signs(self.more + other.more, self.less + other.less, self.ties + other.ties)


def signs(differences: Sequence[float]) -> Signs:
    more, less = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    return Signs(more, less, len(differences) - more - less)


def share_interval(found: int, of: int, *, level: float = LEVEL) -> Interval:
    """Clopper and Pearson: contains the probability with at least this confidence, whatever it is."""
    from scipy.stats import beta

    rest = (1 - level) / 2
    low = 0.0 if found == 0 else float(beta.ppf(rest, found, of - found + 1))
    high = 1.0 if found == of else float(beta.ppf(1 - rest, found + 1, of - found))
    return Interval(low, high)


def mean_interval(values: Sequence[float], *, level: float = LEVEL) -> Interval:
    """Student's interval for the mean of the distribution of the values."""
    return predictive_interval(values, of=inf, level=level)


def predictive_interval(values: Sequence[float], *, of: float = 1, level: float = LEVEL) -> Interval:
    """Interval for the mean of this many further values of the same distribution."""
    mean = statistics.fmean(values)
    half = quantile(level, len(values) - 1) * deviation(values) * sqrt(1 / len(values) + 1 / of)
    return Interval(mean - half, mean + half)


def difference_interval(first: Sequence[float], second: Sequence[float], *, level: float = LEVEL) -> Interval:
    """Welch's interval for the difference of two means of independent runs."""
    parts = [statistics.variance(values) / len(values) for values in (first, second)]
    error = sqrt(sum(parts))
    weights = [part**2 / (len(values) - 1) for part, values in zip(parts, (first, second), strict=True)]
    freedom = sum(parts) ** 2 / sum(weights) if sum(weights) > 0 else inf
    middle = statistics.fmean(first) - statistics.fmean(second)
    half = quantile(level, freedom) * error if error > 0 else 0.0
    return Interval(middle - half, middle + half)


def standard_errors(value: float, values: Sequence[float], *, of: float) -> float:
    """How many standard errors a mean of this many further values is above the mean of these."""
    return (value - statistics.fmean(values)) / (deviation(values) * sqrt(1 / len(values) + 1 / of))


def deviation(values: Sequence[float]) -> float:
    return statistics.stdev(values)


def quantile(level: float, freedom: float = inf) -> float:
    """Quantile of Student's distribution, two-sided; of the normal one for infinitely many runs."""
    from scipy.stats import norm, t

    place = (1 + level) / 2
    return float(norm.ppf(place) if freedom == inf else t.ppf(place, freedom))


def chance_of_more(errors: float, freedom: float) -> float:
    """The probability that Student's statistic is further than this from 0, on either side."""
    from scipy.stats import t

    return 2 * float(t.sf(errors, freedom))


def chance_of_as_many(found: int, of: int, chance: float) -> float:
    """The probability of at least that number of this many independent events of at most this probability."""
    return sum(comb(of, k) * chance**k * (1 - chance) ** (of - k) for k in range(found, of + 1))
