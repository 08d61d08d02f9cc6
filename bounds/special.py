"""Certified special functions on balls that python-flint does not provide: quantiles and a theta series.

A quantile is the root of a monotone function, enclosed by `bounds.roots`.
"""

from __future__ import annotations

from functools import lru_cache

from flint import acb, arb, ctx, fmpq

from bounds.arithmetic import LARGEST_EXACT_SHAPE
from bounds.enclosure import Undecided
from bounds.quadrature import integral
from bounds.roots import falling_root, root_of_tail


def theta(x: arb) -> arb:
    """Sum over all integers j of exp(-x j^2) for x > 0.

    Below x = 3 Poisson summation, theta(x) = sqrt(pi/x) theta(pi^2/x), makes the series short.
    """
    if not x > 0:
        raise Undecided
    if x < 3:
        return (arb.pi() / x).sqrt() * _theta_series(arb.pi() ** 2 / x)
    return _theta_series(x)


def _theta_series(x: arb) -> arb:
    if not x > 1:  # too wide a ball; the bound on the remainder needs it
        raise Undecided
    total, j = arb(1), 1
    while True:
        term = (-x * j * j).exp()
        total += 2 * term
        # Later terms fall by more than the factor exp(-x (2j+1)) < 1/2 each: together below one term.
        if term.upper() < arb(2) ** (-ctx.prec - 4):
            return total + arb(0, (2 * term).upper())
        j += 1


def gamma_quantile(shape: fmpq, failure: fmpq) -> arb:
    """An x with P(Gamma(shape, 1) > x) <= failure: the exact quantile up to LARGEST_EXACT_SHAPE."""
    if shape > LARGEST_EXACT_SHAPE:
        return gamma_tail_bound(arb(shape), -arb(failure).log())
    return _gamma_quantile_cached(shape, failure, ctx.prec)


def gamma_tail_bound(shape: arb, u: arb) -> arb:
    """s + sqrt(2 s u) + u, which a Gamma(s, 1) variable exceeds with probability at most e^-u."""
    return shape + (2 * shape * u).sqrt() + u


@lru_cache(maxsize=4096)
def _gamma_quantile_cached(shape: fmpq, failure: fmpq, bits: int) -> arb:  # bits: part of the key only
    # Two proved tail bounds start the search from a short bracket; the lower one is
    # P(G <= s - sqrt(2 s u)) <= e^-u.
    s = arb(shape)
    lower_u = -arb(1 - failure).log()
    high = gamma_tail_bound(s, -arb(failure).log())
    low = s - (2 * s * lower_u).sqrt()
    guard_bits = int(shape.numer()).bit_length()
    return root_of_tail(lambda x: x.gamma_upper(s, regularized=1), failure, high, low, guard_bits)


@lru_cache(maxsize=1024)
def _gaussian_factor_cached(epsilon: fmpq, dp_delta: fmpq, bits: int) -> arb:  # bits: part of the key only
    eps = arb(epsilon)
    # sigma = sqrt(2 log(1.25/delta))/epsilon + 1/sqrt(2 epsilon) lies above; grown if it should not.
    high = (2 * (arb(5) / 4 / arb(dp_delta)).log()).sqrt() / eps + 1 / (2 * eps).sqrt()
    return root_of_tail(lambda factor: gaussian_delta(factor, eps), dp_delta, high, None)


def gaussian_delta(factor: arb, epsilon: arb) -> arb:
    """Balle and Wang's exact delta of Gaussian noise with sigma = factor * sensitivity."""
    root2 = arb(2).sqrt()
    first = (epsilon * factor - 1 / (2 * factor)) / root2
    second = (epsilon * factor + 1 / (2 * factor)) / root2
    return (_erfc(first) - epsilon.exp() * _erfc(second)) / 2


def _erfc(x: arb) -> arb:
    """erfc, by the incomplete gamma function where balls far out would widen."""
    if x > 100:
        return (x * x).gamma_upper(arb(1) / 2) / arb.pi().sqrt()
    return x.erfc()


def gaussian_factor(epsilon: fmpq, dp_delta: fmpq) -> arb:
    """Smallest sigma / sensitivity for which Gaussian noise is (epsilon, dp_delta)-private."""
    return _gaussian_factor_cached(epsilon, dp_delta, ctx.prec)


def half_normal_sum_bound(count: arb, exponent: arb) -> arb:
    """Least over t > 0 of (K(t) + u)/t with K(t) = count (t^2/2 + log(2 Phi(t))), the cumulants of a sum of |N(0,1)|.

    The least is where t K'(t) - K(t) = u; the left side grows with t.
    """
    if not (count > 0 and exponent > 0):
        raise Undecided
    root2, root_pi = arb(2).sqrt(), (2 / arb.pi()).sqrt()

    def twice_cdf(t: arb) -> arb:
        return (-t / root2).erfc()

    def surplus(t: arb) -> arb:
        slope = root_pi * (-t * t / 2).exp() / twice_cdf(t)
        return count * (t * t / 2 + t * slope - twice_cdf(t).log()) - exponent

    t = falling_root(lambda t: -surplus(t), (2 * exponent / count).sqrt() + 2, None)
    return (count * (t * t / 2 + twice_cdf(t).log()) + exponent) / t


def logistic_truncation(radius: fmpq, half_degree: int) -> arb:
    """The Chebyshev series of log cosh(Rz/2), cut off after T_2L, at z = 0: minus log cosh 0 = 0, its largest error.

    The partial sum at 0 is (1/pi) int_0^pi log cosh(R cos(t)/2) (1 + 2 sum_{l<=L} (-1)^l cos 2lt) dt.
    """

    def integrand(t: acb, analytic: bool) -> acb:
        value = (t.cos() * radius / 2).cosh().log(analytic=analytic)
        # sum of (-1)^l cos 2lt by the recurrence of Chebyshev polynomials in -cos 2t
        step = -(2 * t).cos()
        before, here, total = acb(1), step, acb(1)
        for _ in range(half_degree):
            total += 2 * here
            before, here = here, 2 * step * here - before
        return value * total

    return integral(integrand, acb(0), acb(arb.pi())).real / arb.pi()
