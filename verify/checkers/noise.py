"""Noisy answers: normal quantiles, and how far an answer may be from the true one.

An answer is an integer plus Gaussian noise, rounded to an integer: it is off by the noise and at
most half a step more. `Answer` is one, in steps of `unit`.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

HALF = fmpq(1, 2)


@dataclass(frozen=True)
class Answer:
    """A noisy integer, what a step of it stands for, and the deviation of its noise in steps."""

    value: int
    unit: fmpq
    deviation: fmpq

    @property
    def middle(self) -> fmpq:
        return self.value * self.unit

    def radius(self, failure: fmpq | arb) -> arb:
        """It is too high by more, and too low by more, each with at most that probability."""
        return self.unit * (quantile(failure) * self.deviation + HALF)


def quantile(failure: fmpq | arb) -> arb:
    """z with P(g > z) = failure for a standard normal g; at least 0, which is always allowed."""
    return (arb(2).sqrt() * (2 * arb(failure)).erfcinv()).max(arb(0))


def difference_radius(first: Answer, second: Answer, failure: fmpq | arb) -> arb:
    """The same for the difference of two answers, whose noises are independent."""
    parts = [(each.unit * each.deviation) ** 2 for each in (first, second)]
    spread = arb(parts[0] + parts[1]).sqrt()
    return quantile(failure) * spread + HALF * (first.unit + second.unit)


def each_of(count: int, failure: fmpq) -> arb:
    """Failure of each of this many independent events, so that all hold except with `failure`."""
    return -(((-arb(failure)).log1p() / count).expm1())
