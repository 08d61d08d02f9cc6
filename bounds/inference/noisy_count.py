"""What a noisy count says about a probability: exact confidence bounds for p from T = N + Z, N binomial, Z noise.

P(T >= t) grows with p, so the p at which it is alpha/2 bounds p from below; the other end is its mirror image. Both are
proved in balls and rounded outwards. If the number of records is private, a bound that is valid for every number from a
least one on takes its place. Nothing here draws or prints. Proofs: docs/proofs/synthbounds.noisy-proportion.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist

from bounds.certify.inputs import probability
from bounds.enclosure import Enclosure, decimal_text
from bounds.errors import NotApplicable, NotCertified
from bounds.exact import require_range
from bounds.inference.convex_tail import mean_excess_bound
from bounds.inference.noise_laws import NoiseLaw
from bounds.inference.noisy_tail import binomial_noise_tail

_DIGITS = 12
"""Of an end, rounded outwards."""
_STEPS = 40
_NEAR = 1e-4
"""A step of the search, in deviations of the estimate, after which it is near enough."""
_SLACK, _GROWTH = 1e-7, 8
"""How far outside the root an end is proved first, in the same unit, and how much further after a failure."""
_NORMAL = NormalDist()
Tail = Callable[[Fraction], Enclosure]


@dataclass(frozen=True, kw_only=True)
class NoisyCount:
    """`observed` is a binomial count of `n` records, plus noise of a known distribution, plus an error up to `slack`.

    Noise and error are as stated except with probability `lost`, which every tail pays for. With `n_is_least` the
    number of records is private and at least n, and everything is divided by their number and multiplied by n.
    """

    n: int
    observed: Fraction
    noise: NoiseLaw
    slack: Fraction = Fraction(0)
    lost: Fraction = Fraction(0)
    n_is_least: bool = False

    def __post_init__(self) -> None:
        require_range("n", Fraction(self.n), self.n, least=1)
        require_range("slack", self.slack, self.slack, least=0)
        require_range("lost", self.lost, self.lost, least=0)

    def lower_end(self, failure: Fraction) -> Fraction:
        """Below p, except with at most this probability."""
        return _lower_end(self, self.left_of(failure))

    def upper_end(self, failure: Fraction) -> Fraction:
        """Above p, except with at most this probability."""
        return 1 - _lower_end(self.mirrored, self.left_of(failure))

    def interval(self, level: Fraction) -> tuple[Fraction, Fraction]:
        """Around p at this level: each end with half of the failure probability that is left."""
        half = (1 - probability("level", level)) / 2
        return self.lower_end(half), self.upper_end(half)

    def covers(self, p: Fraction, level: Fraction) -> bool:
        """Whether the interval at this level contains p, without a search for its ends."""
        target = self.left_of((1 - probability("level", level)) / 2)
        return not any(one._tail(q).hi <= target for one, q in ((self, p), (self.mirrored, 1 - p)))

    @property
    def mirrored(self) -> NoisyCount:
        """The same for the records that are not counted."""
        return NoisyCount(
            n=self.n,
            observed=self.n - self.observed,
            noise=self.noise,
            slack=self.slack,
            lost=self.lost,
            n_is_least=self.n_is_least,
        )

    def left_of(self, failure: Fraction) -> Fraction:
        """What is left of a failure probability if the noise may have another distribution with probability `lost`."""
        left = probability("failure", failure) - self.lost
        if left <= 0:
            raise NotApplicable(
                f"level: the distribution of the noise is known except with probability {float(self.lost):.2g}, which "
                "is more than the failure probability of one end of the interval"
            )
        return left

    def _tail(self, p: Fraction) -> Enclosure:
        """P(observed value or more) at p, or a bound on it."""
        least = self.observed - self.slack
        if self.n_is_least:
            return mean_excess_bound(n=self.n, p=p, x=least, noise=self.noise)
        return binomial_noise_tail(n=self.n, p=p, x=least, noise=self.noise)


def _lower_end(count: NoisyCount, target: Fraction) -> Fraction:
    """The largest p found at which the tail is proved to be at most `target`; 0 if there is none."""
    if count._tail(Fraction(0)).hi > target:
        return Fraction(0)
    if count._tail(Fraction(1)).hi <= target:
        return Fraction(1)
    guess, unit = _search(count, float(target))
    distance = _SLACK * unit
    for _ in range(_STEPS):
        end = _rounded_down(Fraction(guess) - Fraction(distance))
        if end <= 0:
            return Fraction(0)
        if count._tail(end).hi <= target:
            return end
        distance *= _GROWTH
    raise NotCertified(f"observed = {float(count.observed):.6g}: no end of the interval could be proved")


def _search(count: NoisyCount, target: float) -> tuple[float, float]:
    """About the root, and about the deviation of the estimate: the tail's normal score is nearly a straight line in p.

    Steps outside the known bracket are replaced by bisection.
    """
    n, goal = count.n, _NORMAL.inv_cdf(target)
    share = float(count.observed - count.slack) / n
    noise = count.noise.deviation_est / n

    def unit_at(p: float) -> float:
        return sqrt(max(p * (1 - p), 0.25 / n) / n + noise**2)

    low, high, p = 0.0, 1.0, share + goal * unit_at(min(max(share, 0.0), 1.0))
    p = share + goal * unit_at(min(max(p, 0.0), 1.0))
    before: tuple[float, float] | None = None
    for _ in range(_STEPS):
        if not low < p < high:
            p = (low + high) / 2
        unit = unit_at(p)
        score = _score(count._tail(Fraction(p)))
        low, high = (p, high) if score < goal else (low, p)
        slope = 1 / unit
        if before is not None and before[0] != p and (score - before[1]) * (p - before[0]) > 0:
            slope = (score - before[1]) / (p - before[0])
        before, step = (p, score), (goal - score) / slope
        p += step
        if abs(step) < _NEAR * unit or high - low < _SLACK * unit:
            break
    return min(max(p, low), high), unit_at(min(max(p, 0.0), 1.0))


def _score(tail: Enclosure) -> float:
    value = float(tail.midpoint)
    if value <= 0:
        return -60.0
    return _NORMAL.inv_cdf(value) if value < 1 - 1e-12 else 8.0


def _rounded_down(value: Fraction) -> Fraction:
    return Fraction(decimal_text(value, _DIGITS, up=False)) if value > 0 else Fraction(0)
