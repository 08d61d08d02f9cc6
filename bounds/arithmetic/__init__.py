"""One formula, every arithmetic: the small interface that theorem files are written against.

A formula is an ordinary function of named quantities and an Arithmetic. Numbers combine with + - * / and
integer powers; everything else is a method below, so the same line runs on balls (certified), numpy arrays
(sweeps), mpmath (cross-check) and sympy (symbolic form).
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

Number: TypeAlias = Any
"""A number of whichever arithmetic is in use; formulas never look inside."""


LARGEST_EXACT_SHAPE = 10**9
"""Above this the incomplete gamma function is slow and, for failures below 1/2, a tail bound loses little."""
MOST_EXACT_TRIALS = 10**7
"""Above this a binomial tail is slow to compute and Chernoff's bound loses little."""
LARGEST_EXACT_SUM = 1 << 16
"""Sums of more |N(0, 1)| have Chernoff's bound less than 0.2 percent above their quantiles."""
SMALLEST_EXACT_TAIL = 1e-300
"""For less, Chernoff's bound is near as well."""
SUM_QUANTILE_BITS = 32
"""Quantiles of such sums are rounded up to this many binary digits."""


class Arithmetic(Protocol):
    """What a formula may use besides + - * / and integer powers."""

    name: str
    certified: bool

    def ratio(self, numerator: int, denominator: int = 1) -> Number:
        """An exact rational constant."""

    def settled(self, x: Number) -> Number:
        """The same number in its most exact form; applied to every derived quantity."""

    def pi(self) -> Number: ...

    def log(self, x: Number) -> Number: ...

    def log_ratio(self, x: Number, y: Number) -> Number:
        """log x / log y, exact where it is rational, as log 32 / log 8 = 5/3."""

    def exp(self, x: Number) -> Number: ...

    def expm1(self, x: Number) -> Number:
        """e^x - 1 without cancellation."""

    def sqrt(self, x: Number) -> Number: ...

    def power(self, x: Number, y: Number) -> Number:
        """x^y for x > 0."""

    def gamma(self, x: Number) -> Number:
        """Euler's Gamma function at x > 0."""

    def max(self, *xs: Number) -> Number: ...

    def min(self, *xs: Number) -> Number: ...

    def ceil(self, x: Number) -> Number: ...

    def theta(self, x: Number) -> Number:
        """Sum over all integers j of exp(-x j^2), x > 0."""

    def laplace_max_quantile(self, count: Number, failure: Number) -> Number:
        """x with P(max of `count` |Laplace(1)| > x) = failure."""

    def gamma_quantile(self, shape: Number, failure: Number) -> Number:
        """x with P(Gamma(shape, 1) > x) = failure (above shape 10^9 a proved upper bound of it)."""

    def normal_max_quantile(self, count: Number, failure: Number) -> Number:
        """x with P(max of `count` |N(0,1)| > x) = failure."""

    def normal_within(self, x: Number) -> Number:
        """P(|N(0, 1)| <= x) for x >= 0."""

    def gaussian_factor(self, epsilon: Number, dp_delta: Number) -> Number:
        """Smallest sigma / (L2 sensitivity) for which Gaussian noise is (epsilon, dp_delta)-private."""

    def zcdp_epsilon(self, rho: Number, dp_delta: Number) -> Number:
        """Smallest epsilon >= 0 with min over a > 1 of e^((a-1)(a rho - epsilon)) (1 - 1/a)^a/(a - 1) <= dp_delta."""

    def half_normal_sum_bound(self, count: Number, exponent: Number) -> Number:
        """Chernoff's x with P(sum of `count` |N(0,1)| > x) <= e^-exponent: the least over t > 0 of
        (count t^2/2 + count log(2 Phi(t)) + exponent)/t."""

    def half_normal_sum_quantile(self, count: Number, sums: Number, failure: Number) -> Number:
        """x with P(max of `sums` sums of `count` |N(0,1)| > x) = failure, rounded up to 32 bits; Chernoff's
        bound for more than LARGEST_EXACT_SUM terms, or a sum that may exceed it with less than 1e-300."""

    def binomial_sum(self, n: Number, most: Number, x: Number) -> Number:
        """Sum over i from 0 to `most` of C(n, i) x^i."""

    def binomial(self, n: Number, k: Number) -> Number: ...

    def binomial_below(self, trials: Number, success: Number, least: Number) -> Number:
        """P(Binomial(trials, success) < least); above 10^7 trials an upper bound of it that falls with trials:
        the lesser of Chernoff's bound and the exact value at 10^7."""

    def logistic_truncation(self, radius: Number, half_degree: Number) -> Number:
        """Largest error of the Chebyshev series of log(1 + e^-x) on [-radius, radius] up to degree 2 half_degree."""
