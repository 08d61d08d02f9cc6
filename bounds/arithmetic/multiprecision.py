"""mpmath arithmetic: the independent cross-check. Not certified; used by tests and sympy evaluation."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise
from typing import Any

import mpmath
from mpmath import mpf

from bounds.arithmetic import (
    LARGEST_EXACT_SHAPE,
    LARGEST_EXACT_SUM,
    MOST_EXACT_TRIALS,
    SMALLEST_EXACT_TAIL,
    SUM_QUANTILE_BITS,
)


class MultiprecisionArithmetic:
    """Numbers are mpf at the working precision of mpmath."""

    name = "mpmath"
    certified = False

    def ratio(self, numerator: int, denominator: int = 1) -> Any:
        return mpf(numerator) / denominator

    def settled(self, x: Any) -> Any:
        return x

    def pi(self) -> Any:
        return +mpmath.pi

    def log(self, x: Any) -> Any:
        return mpmath.log(x)

    def log_ratio(self, x: Any, y: Any) -> Any:
        return mpmath.log(x) / mpmath.log(y)

    def exp(self, x: Any) -> Any:
        return mpmath.exp(x)

    def expm1(self, x: Any) -> Any:
        return mpmath.expm1(x)

    def sqrt(self, x: Any) -> Any:
        return mpmath.sqrt(x)

    def power(self, x: Any, y: Any) -> Any:
        return mpmath.power(x, y)

    def gamma(self, x: Any) -> Any:
        return mpmath.gamma(x)

    def max(self, *xs: Any) -> Any:
        return reduce(lambda a, b: a if a >= b else b, xs)

    def min(self, *xs: Any) -> Any:
        return reduce(lambda a, b: a if a <= b else b, xs)

    def ceil(self, x: Any) -> Any:
        return mpmath.ceil(x)

    def theta(self, x: Any) -> Any:
        return mpmath.jtheta(3, 0, mpmath.exp(-x))

    def laplace_max_quantile(self, count: Any, failure: Any) -> Any:
        if failure >= 1:
            return mpf(0)
        return -mpmath.log(-mpmath.expm1(mpmath.log1p(-failure) / count))

    def gamma_quantile(self, shape: Any, failure: Any) -> Any:
        if failure >= 1:
            return mpf(0)
        if shape > LARGEST_EXACT_SHAPE:
            u = -mpmath.log(failure)
            return shape + mpmath.sqrt(2 * shape * u) + u
        return _gamma_quantile(mpf(shape), mpf(failure), mpmath.mp.prec)

    def normal_max_quantile(self, count: Any, failure: Any) -> Any:
        if failure >= 1:
            return mpf(0)
        tail = -mpmath.expm1(mpmath.log1p(-failure) / count)
        return _root_of_tail(lambda x: mpmath.erfc(x / mpmath.sqrt(2)), tail, mpf(1))

    def normal_within(self, x: Any) -> Any:
        return mpmath.erf(x / mpmath.sqrt(2))

    def gaussian_factor(self, epsilon: Any, dp_delta: Any) -> Any:
        def spent(factor: Any) -> Any:
            shift = 1 / (2 * factor)
            return mpmath.ncdf(shift - epsilon * factor) - mpmath.exp(epsilon) * mpmath.ncdf(-shift - epsilon * factor)

        return _root_of_tail(spent, dp_delta, mpf(1))

    def zcdp_epsilon(self, rho: Any, dp_delta: Any) -> Any:
        # The least value of the epsilons that the orders 1 + x allow, at the root of their derivative.
        x = _root_of_tail(lambda y: mpmath.exp(-rho * y * y) / (1 + y), dp_delta, mpf(1))
        least = (1 + x) * rho + mpmath.log(x / (1 + x)) - mpmath.log(dp_delta * (1 + x)) / x
        return max(least, mpf(0))

    def half_normal_sum_bound(self, count: Any, exponent: Any) -> Any:
        def surplus(t: Any) -> Any:
            above = mpmath.npdf(t) / mpmath.ncdf(t)
            return count * (t * t / 2 + t * above - mpmath.log(2 * mpmath.ncdf(t))) - exponent

        guess = mpmath.sqrt(2 * exponent / count)
        with mpmath.workdps(mpmath.mp.dps + 10):
            t = mpmath.findroot(surplus, (guess / 4, 2 * guess + 2), solver="anderson", tol=mpmath.eps, verify=False)
            return (count * (t * t / 2 + mpmath.log(2 * mpmath.ncdf(t))) + exponent) / t

    def half_normal_sum_quantile(self, count: Any, sums: Any, failure: Any) -> Any:
        tail = -mpmath.expm1(mpmath.log1p(-failure) / sums)
        if count > LARGEST_EXACT_SUM or tail < SMALLEST_EXACT_TAIL:
            return self.half_normal_sum_bound(count, mpmath.log(sums / failure))
        high = self.half_normal_sum_bound(count, mpmath.log(sums / failure))
        with mpmath.workdps(22):  # more than the ball arithmetic keeps of it
            return _half_normal_sum_quantile(+count, +tail, +high)

    def binomial_sum(self, n: Any, most: Any, x: Any) -> Any:
        return mpmath.fsum(mpmath.binomial(n, i) * x**i for i in range(int(most) + 1))

    def binomial(self, n: Any, k: Any) -> Any:
        return mpmath.binomial(n, k)

    def binomial_below(self, trials: Any, success: Any, least: Any) -> Any:
        if trials < least:
            return mpf(1)
        if success == 1:
            return mpf(0)
        if trials > MOST_EXACT_TRIALS:
            mean = trials * success
            chernoff = mpf(1) if mean <= least else mpmath.exp(-((mean - least) ** 2) / (2 * mean))
            return min(chernoff, self.binomial_below(mpf(MOST_EXACT_TRIALS), success, least))
        # Summed term by term: slow, all terms positive, and nothing like the incomplete beta function.
        term = (1 - success) ** trials
        total = mpf(0)
        for hits in range(int(least)):
            total += term
            term = term * (trials - hits) / (hits + 1) * success / (1 - success)
        return total

    def logistic_truncation(self, radius: Any, half_degree: Any) -> Any:
        # The midpoint rule on the circle: its error falls like rate^-2N. The kernel is summed in closed form.
        odd = 2 * int(half_degree) + 1
        rate = (mpmath.pi + mpmath.sqrt(mpmath.pi**2 + radius**2)) / radius
        nodes = 2 * int((mpmath.mp.dps + 20) * mpmath.log(10) / (4 * mpmath.log(rate)) + odd)
        total = mpf(0)
        with mpmath.workdps(mpmath.mp.dps + 10):
            for k in range(nodes):
                angle = (k + mpf(1) / 2) * mpmath.pi / nodes
                z = mpmath.cos(angle)
                total += mpmath.log(mpmath.cosh(radius * z / 2)) * mpmath.cos(odd * angle) / z
            return (-1) ** int(half_degree) * total / nodes


@lru_cache(maxsize=256)
def _gamma_quantile(shape: Any, failure: Any, bits: int) -> Any:  # bits: part of the key only
    return _root_of_tail(lambda x: mpmath.gammainc(shape, x, regularized=True), failure, shape)


@lru_cache(maxsize=256)
def _half_normal_sum_quantile(count: Any, tail: Any, high: Any) -> Any:
    """Laplace inversion along a ray from a point right of 0, by Gauss's rule on growing pieces."""
    start, along = min(mpf(2), mpmath.sqrt(-2 * mpmath.log(tail) / count) + 1 / mpmath.sqrt(count)), mpf(1) / 2 + 1j
    edges = [mpf(0)] + [mpf(2) ** j / mpmath.sqrt(count) for j in range(-3, 10)]
    rule = mpmath.calculus.quadrature.GaussLegendre(mpmath.mp).calc_nodes(4, mpmath.mp.prec)
    known = []
    for a, b in pairwise(edges):
        for node, weight in rule:
            z = start + along * ((a + b) / 2 + node * (b - a) / 2)
            transform = (mpmath.exp(z * z / 2) * mpmath.erfc(-z / mpmath.sqrt(2))) ** count
            known.append((z, weight * (b - a) / 2 * transform / z * along))

    def excess(x: Any) -> Any:
        return mpmath.log(mpmath.fsum(mpmath.im(m * mpmath.exp(-z * x)) for z, m in known) / mpmath.pi / tail)

    low = max(high / 8, mpf(4) / 5 * count - 4 * mpmath.sqrt(count))
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (middle, high) if mpmath.re(excess(middle)) > 0 else (low, middle)
    x = mpmath.findroot(excess, (low, high), solver="secant", tol=mpf(10) ** -30, verify=False)
    unit = mpf(2) ** (mpmath.ceil(mpmath.log(x, 2)) - SUM_QUANTILE_BITS)
    return mpmath.ceil(x / unit) * unit


def _root_of_tail(tail: Any, target: Any, guess: Any) -> Any:
    """Root of a decreasing function, by bracketing and mpmath's own root finder."""
    low, high = guess, guess
    while tail(high) > target:
        high *= 2
    while tail(low) < target:
        low /= 2
    goal = mpmath.log(target)
    return mpmath.findroot(
        lambda x: mpmath.log(tail(x)) - goal, (low, high), solver="anderson", tol=mpmath.eps**1.5, verify=False
    )


def to_mpf(value: Fraction | int) -> Any:
    """An exact rational as mpf at the working precision."""
    value = Fraction(value)
    return mpf(value.numerator) / value.denominator


MULTIPRECISION = MultiprecisionArithmetic()
