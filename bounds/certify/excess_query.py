"""From noisy sums of losses to certified ends: the excess of a model over its class, its risk, the floor, a constant.

Answers are integers in steps: a true sum, rounded so that it is off by at most `error` for every record and by at most
`gap` steps above the intended one, plus Gaussian noise rounded to whole steps. The size is n or, if that is hidden, a
public lower bound of n. Planning is a formula. Proof: docs/proofs/synthbounds.excess-query.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.radii import normal_interval
from bounds.certify.verdict import constant_risk
from bounds.errors import NotApplicable
from bounds.exact import require_range, root_at_least

_HALF = Fraction(1, 2)
"""The noise is rounded to whole steps."""


@dataclass(frozen=True, kw_only=True)
class NoisySum:
    """An answer and everything that separates it from the intended sum."""

    answer: int
    unit: Fraction
    deviation: Fraction
    """Of the noise, in steps."""
    error: Fraction = Fraction(0)
    """For every record, in losses; on both sides."""
    gap: int = 0
    """In steps; an answer without noise is at most this much too large, and never too small."""

    def upper(self, failure: Fraction) -> Fraction:
        """At least the sum without its errors, except with this probability."""
        return (self.answer + _HALF + one_sided(failure) * self.deviation) * self.unit

    def lower(self, failure: Fraction) -> Fraction:
        """At most the sum without its errors, except with this probability."""
        return (self.answer - self.gap - _HALF - one_sided(failure) * self.deviation) * self.unit


@dataclass(frozen=True, kw_only=True)
class Size:
    """How many records: exactly, or at least."""

    stated: int
    is_exact: bool

    def mean_hi(self, total: Fraction) -> Fraction:
        """At least the mean, if the sum is at most `total`."""
        return (total if self.is_exact else max(total, Fraction(0))) / self.stated


def one_sided(failure: Fraction) -> Fraction:
    """A standard normal number is larger with at most that probability."""
    require_range("failure", failure, failure, above=0, below=_HALF, reason="a probability of failure")
    return normal_interval(2 * failure)


def excess_hi(
    own: NoisySum, least: NoisySum, *, size: Size, failure: Fraction, penalty: Fraction = Fraction(0)
) -> Fraction:
    """The objective of the model is above the least of its class by at most this; negative where it is better.

    `penalty` is what a ridge adds to the model's mean loss.
    """
    if penalty and not size.is_exact:
        raise NotApplicable("ridge: under add-remove n is not public, and the penalty is n times the ridge")
    spread = root_at_least((own.deviation * own.unit) ** 2 + (least.deviation * least.unit) ** 2)
    middle = (own.answer + _HALF) * own.unit - (least.answer - least.gap - _HALF) * least.unit
    total = middle + one_sided(failure) * spread
    return size.mean_hi(total) + own.error + least.error + penalty


def risk_hi(own: NoisySum, *, size: Size, failure: Fraction) -> Fraction:
    """The mean loss of the model is at most this."""
    return size.mean_hi(own.upper(failure)) + own.error


def floor_lo(least: NoisySum, *, size: Size, failure: Fraction) -> Fraction | None:
    """The floor of a class is at least this, and never negative; None where n is hidden and may be large."""
    if not size.is_exact:
        return None
    return max(least.lower(failure) / size.stated - least.error, Fraction(0))


def constant_lo(loss: str, positive: NoisySum, negative: NoisySum, *, size: Size, failure: Fraction) -> Fraction | None:
    """No constant score has a smaller mean loss; None if there is no formula for the loss.

    The difference of both counts, over n, is the mean of the labels; its noise is that of two counts.
    """
    spread = root_at_least(positive.deviation**2 + negative.deviation**2)
    apart = abs(positive.answer - negative.answer) + 1 + one_sided(failure / 2) * spread
    return constant_risk(loss, min(apart / size.stated, Fraction(1)))


@dataclass(frozen=True, kw_only=True)
class ExcessPlan:
    """What is public before an excess is asked for; what one record moves is in losses, including gap and rounding.

    The budget is divided as what one record moves, so that the difference has the noise of the sum of both.
    """

    own_moved: Fraction
    least_moved: Fraction
    slack: Fraction
    """Gap and rounding of both answers, in losses."""
    error: Fraction
    """For every record."""
    failure: Fraction

    def expected(self, excess_est: Fraction, *, n: int, mu_squared: Fraction) -> Fraction:
        """The bound for a model with this excess, at the median of the noise."""
        noise = one_sided(self.failure) * (self.own_moved + self.least_moved) / root_at_least(mu_squared)
        return excess_est + (self.slack + noise) / n + self.error
