"""Distributions of noise on a sum: Gaussian, and sums of Laplace noise, continuous or on a lattice; tails are balls.

Every distribution here is symmetric and log-concave, as the theorem on noisy counts requires. Nothing is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, exp, factorial, log, log1p, sqrt
from typing import Protocol

from flint import arb, arb_poly, ctx, fmpq

from bounds.enclosure import as_fmpq
from bounds.errors import NotApplicable

_MOST_STEPS = 2**18
"""Of the lattice on which the distribution of a sum is tabulated."""
_TABLE_BITS = 128
_FAR = 30
"""Root 2 times this many deviations out, a Gaussian tail is in this ball: exp(-900) is below 2^-1000."""
_NEARLY_NOTHING = arb(0, 2.0**-1000)


class NoiseLaw(Protocol):
    """A symmetric, log-concave distribution."""

    def at_least(self, x: fmpq) -> arb:
        """P(noise >= x)."""

    def reach(self, failure: float) -> float:
        """About how far out the tail is this small: an estimate, on which nothing certified rests."""

    @property
    def deviation_est(self) -> float: ...


@dataclass(frozen=True)
class NoNoise:
    """Always 0."""

    def at_least(self, x: fmpq) -> arb:
        return arb(1) if x <= 0 else arb(0)

    def reach(self, failure: float) -> float:
        return 0.0

    @property
    def deviation_est(self) -> float:
        return 0.0


@dataclass(frozen=True)
class Gaussian:
    """Continuous, of this positive variance."""

    variance: Fraction

    def at_least(self, x: fmpq) -> arb:
        score = x / self._root
        if score > _FAR:
            return _NEARLY_NOTHING
        return 1 - _NEARLY_NOTHING if score < -_FAR else score.erfc() / 2

    @property
    def _root(self) -> arb:
        """Root 2 times the deviation, at the precision in force."""
        bits, found = self.__dict__.get("_kept", (0, None))
        if found is None or bits != ctx.prec:
            found = arb(as_fmpq(2 * self.variance)).sqrt()
            self.__dict__["_kept"] = (ctx.prec, found)
        kept: arb = found
        return kept

    def reach(self, failure: float) -> float:
        return self.deviation_est * sqrt(-2 * log(failure))

    @property
    def deviation_est(self) -> float:
        return sqrt(self.variance)


@dataclass(frozen=True)
class LaplaceSum:
    """The sum of `count` independent continuous Laplace numbers of this scale.

    Its size is a Gamma number of a random shape: of shape m - j with probability C(m-1+j, j) 2^(1-m-j), j < m.
    """

    scale: Fraction
    count: int

    @cached_property
    def _coefficients(self) -> tuple[Fraction, ...]:
        """P(sum >= b y) = exp(-y) times this polynomial in y >= 0."""
        m, found = self.count, [Fraction(0)] * self.count
        for j in range(m):
            share = Fraction(comb(m - 1 + j, j), 2 ** (m + j))
            for i in range(m - j):
                found[i] += share / factorial(i)
        return tuple(found)

    def at_least(self, x: fmpq) -> arb:
        if x < 0:
            return 1 - self.at_least(-x)
        y, value = arb(x / as_fmpq(self.scale)), arb(0)
        for coefficient in reversed(self._coefficients):
            value = value * y + arb(as_fmpq(coefficient))
        return value * (-y).exp()

    def reach(self, failure: float) -> float:
        return _laplace_reach(float(self.scale), self.count, failure)

    @property
    def deviation_est(self) -> float:
        return float(self.scale) * sqrt(2 * self.count)


@dataclass(frozen=True)
class DiscreteLaplaceSum:
    """`unit` times the sum of `count` independent integers K with P(K = k) in proportion to exp(-|k|/scale).

    K is the difference of two geometric numbers, so the sum is that of two negative binomial ones, which is tabulated.
    """

    scale: Fraction
    count: int
    unit: Fraction = Fraction(1)

    def at_least(self, x: fmpq) -> arb:
        steps = x / as_fmpq(self.unit)
        least = int(-((-steps.numer()) // steps.denom()))
        return self._from(least) if least > 0 else 1 - self._from(1 - least)

    def _from(self, least: int) -> arb:
        """P(K >= least) for least >= 1; the truncated distribution contains all but `missing`."""
        tails, missing = self._table
        known = tails[least - 1] if least <= len(tails) else arb(0)
        return known + missing / 2 + arb(0, (missing / 2).upper())

    @cached_property
    def _table(self) -> tuple[list[arb], arb]:
        """P(K >= 1), P(K >= 2), ... from below, and by how much they fall short at most."""
        m, b = self.count, float(self.scale)
        length = int(_laplace_reach(b, m, 2.0**-100)) + 8 * m + 8
        if length > _MOST_STEPS:
            raise NotApplicable(
                f"the distribution of {m} discrete Laplace numbers of scale {b:.4g} is too wide to tabulate"
            )
        old = ctx.prec
        ctx.prec = _TABLE_BITS
        try:
            q = (-1 / arb(as_fmpq(self.scale))).exp()
            value = (1 - q) ** m
            geometric = [value]
            for i in range(1, length):
                value = value * q * (m - 1 + i) / i
                geometric.append(value)
            product = arb_poly(geometric) * arb_poly(geometric[::-1])
            tails, total = [], arb(0)
            for k in range(length - 1, 0, -1):
                total += product[length - 1 + k]
                tails.append(total)
            missing = 1 - sum(geometric, arb(0)) ** 2
            return tails[::-1], arb(missing.upper())
        finally:
            ctx.prec = old

    def reach(self, failure: float) -> float:
        return float(self.unit) * _laplace_reach(float(self.scale), self.count, failure)

    @property
    def deviation_est(self) -> float:
        q = exp(-1 / float(self.scale))
        return float(self.unit) * sqrt(2 * self.count * q) / (1 - q)


def _laplace_reach(scale: float, count: int, failure: float) -> float:
    """Where Chernoff's bound (1 - s^2)^-m exp(-s y) on the tail of a sum falls below `failure`."""
    u = -log(failure)
    return min(scale * (u - count * log1p(-s * s)) / s for s in (i / 64 for i in range(1, 64)))
