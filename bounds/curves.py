"""Privacy curves on balls: how delta, epsilon and the noise of a mechanism determine each other.

Numbers only, at the precision in force: nothing here says which data sets are compared. The functions that make
statements are in bounds/privacy/. Proofs: docs/proofs/synthbounds.noise-gaussian.md,
zhou2024.gaussian-mechanism.md, zhou2024.zcdp.md.
"""

from __future__ import annotations

from functools import lru_cache

from flint import arb, ctx, fmpq, fmpz, fmpz_poly

from bounds.enclosure import BallNumber, Truth, Undecided, at_most, with_growing_precision
from bounds.roots import falling_root, root_of_tail
from bounds.special import gaussian_delta


def gaussian_delta_of(mu_squared: fmpq, epsilon: fmpq) -> arb:
    """Exact delta of Gaussian noise; mu is the L2 sensitivity over the standard deviation."""
    return gaussian_delta(1 / arb(mu_squared).sqrt(), arb(epsilon))


def gaussian_epsilon_of(mu_squared: fmpq, dp_delta: fmpq) -> arb | fmpq:
    """Smallest epsilon >= 0 at which the exact delta is at most dp_delta; the curve falls strictly in epsilon."""
    at_zero = (arb(mu_squared / 8).sqrt()).erf()
    if at_zero <= dp_delta:
        return fmpq(0)
    if not at_zero > dp_delta:
        raise Undecided
    return _gaussian_epsilon_cached(mu_squared, dp_delta, ctx.prec)


@lru_cache(maxsize=1024)
def _gaussian_epsilon_cached(mu_squared: fmpq, dp_delta: fmpq, bits: int) -> arb:  # bits: part of the key only
    # delta is below the tail of the privacy loss N(mu^2/2, mu^2), which this epsilon brings below dp_delta.
    high = arb(mu_squared) / 2 + (2 * arb(mu_squared) * -arb(dp_delta).log()).sqrt()
    return root_of_tail(lambda x: gaussian_delta(1 / arb(mu_squared).sqrt(), x), dp_delta, high, None)


def classical_ratio(epsilon: fmpq, dp_delta: fmpq) -> arb:
    """sigma over sensitivity by the classical formula sqrt(2 log(1.25/delta))/epsilon."""
    return _classical_product(dp_delta) / arb(epsilon)


def _classical_product(dp_delta: fmpq) -> arb:
    return (2 * arb(fmpq(5, 4) / dp_delta).log()).sqrt()


@lru_cache(maxsize=1024)
def _classical_limit_cached(dp_delta: fmpq, bits: int) -> arb:  # bits: part of the key only
    # The product epsilon sigma is fixed, so the exact delta grows with epsilon and falls with x = 1/epsilon.
    return 1 / root_of_tail(lambda x: gaussian_delta(_classical_product(dp_delta) * x, 1 / x), dp_delta, arb(1), None)


def classical_limit(dp_delta: fmpq) -> arb:
    """The epsilon up to which the classical formula is private, and beyond which it is not."""
    return _classical_limit_cached(dp_delta, ctx.prec)


def gaussian_holds(ratio: BallNumber, epsilon: fmpq, dp_delta: fmpq) -> bool:
    """Is the exact delta of Gaussian noise at that ratio at most dp_delta? Decided at the precision in force."""
    answer = at_most(gaussian_delta(arb(ratio), arb(epsilon)), dp_delta)
    if answer is Truth.UNKNOWN:
        raise Undecided
    return answer is Truth.TRUE


def classical_holds(epsilon: fmpq, dp_delta: fmpq) -> bool:
    """Is the exact delta of the classical noise at most dp_delta?"""
    return with_growing_precision(lambda: gaussian_holds(classical_ratio(epsilon, dp_delta), epsilon, dp_delta))[0]


def zcdp_delta_of(rho: fmpq, epsilon: fmpq) -> arb:
    """min over alpha > 1 of exp((alpha-1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha/(alpha - 1).

    With x = alpha - 1 the logarithm is x((1+x) rho - epsilon) + x log x - (1+x) log(1+x); it is convex, and minus
    its derivative is what falls through zero at the least value, which is exp(-rho x^2)/(1+x) there.
    """

    def minus_slope(x: arb) -> arb:
        return epsilon - (2 * x + 1) * rho + (1 / x).log1p()

    high = 1 / arb(rho - epsilon).expm1() if rho > epsilon else arb(epsilon / rho / 2 + 1)
    x = falling_root(minus_slope, high, None)
    return (-rho * x * x).exp() / (1 + x)


@lru_cache(maxsize=1024)
def _zcdp_epsilon_cached(rho: fmpq, dp_delta: fmpq, bits: int) -> arb:  # bits: part of the key only
    # The best x = alpha - 1 solves rho x^2 + log(1 + x) = log(1/delta); below, exp of minus the left side.
    high = (-arb(dp_delta).log() / rho).sqrt() if rho > 0 else 1 / arb(dp_delta)
    x = root_of_tail(lambda y: (-rho * y * y).exp() / (1 + y), dp_delta, high, None)
    return (2 * x + 1) * rho - (1 / x).log1p()


def zcdp_epsilon(rho: fmpq, dp_delta: fmpq) -> arb:
    """Smallest epsilon >= 0 that the same minimum allows at dp_delta."""
    return _zcdp_epsilon_cached(rho, dp_delta, ctx.prec).max(arb(0))


def zcdp_rho_of(epsilon: fmpq, dp_delta: fmpq) -> arb:
    """Largest rho whose minimum at epsilon is at most dp_delta.

    rho is eliminated from the two equations rho x^2 = log(1/delta) - log(1 + x) and
    epsilon = (2x + 1) rho - log(1 + 1/x) that hold at the best x = alpha - 1.
    """

    def rest(x: arb) -> arb:
        return -arb(dp_delta).log() - x.log1p()

    def excess(x: arb) -> arb:
        return (2 * x + 1) * rest(x) / (x * x) - (1 / x).log1p() - epsilon

    x = falling_root(excess, (1 / arb(dp_delta)).min(-2 * arb(dp_delta).log() / (arb(epsilon) + 1) + 1), None)
    return rest(x) / (x * x)


def laplace_delta_of(count: int, shift: fmpq, epsilon: fmpq) -> arb | fmpq:
    """Exact delta of `count` independent Laplace variables of scale 1 that all move by `shift`.

    The law of the privacy loss s, weighted with exp(-s/2), is exp(-a/2) [d_a/2 + d_-a/2 + 1_(-a,a)/4] for one
    variable, a = shift, d_a the unit mass at a. The indicator is (d_a - d_-a) * 1_(s<0), so the k-fold convolution
    is a sum over nodes N = (k-2i) a of truncated powers (N - s)_+^(j-1)/(j-1)!, with the coefficient of t^i in
    (1+t)^(k-j) (1-t)^j. Integrated is exp(s/2) - exp(epsilon - s/2) over s > epsilon, so only nodes above epsilon
    count, and u = N - s runs from 0 to N - epsilon.
    """
    if epsilon >= count * shift:
        return fmpq(0)
    above = [i for i in range(count + 1) if (count - 2 * i) * shift > epsilon]
    nodes = [arb((count - 2 * i) * shift) for i in above]
    lengths = [arb((count - 2 * i) * shift - epsilon) for i in above]
    falling, rising = _exponential_moments(lengths, count)
    signs = fmpz_poly([1, 1]) ** count
    total = arb(0)
    for j in range(count + 1):
        weight = arb(fmpq(fmpz.bin_uiui(count, j), fmpz(2) ** (count + j)))
        for i, node, down, up in zip(above, nodes, falling, rising, strict=True):
            part = (node / 2).exp() * down[j] - (epsilon - node / 2).exp() * up[j]
            total += weight * int(signs[i]) * part
        if j < count:
            signs = signs * fmpz_poly([1, -1]) // fmpz_poly([1, 1])
    return (-arb(count * shift) / 2).exp() * total


def _exponential_moments(lengths: list[arb], most: int) -> tuple[list[list[arb]], list[list[arb]]]:
    """For j = 0..most and every U: 1 for j = 0, else the integral of u^(j-1)/(j-1)! e^(-u/2), and of e^(u/2), to U."""
    falling, rising = [], []
    for length in lengths:
        down, up = (-length / 2).exp(), (length / 2).exp()
        power = arb(1)
        falls, rises = [arb(1), 2 * (1 - down)], [arb(1), 2 * (up - 1)]
        for j in range(2, most + 1):
            power = power * length / (j - 1)
            falls.append(2 * falls[-1] - 2 * power * down)
            rises.append(2 * power * up - 2 * rises[-1])
        falling.append(falls)
        rising.append(rises)
    return falling, rising


def repeated_delta_of(count: int, each: fmpq, epsilon: fmpq) -> arb | fmpq:
    """Least delta that `count` mechanisms, each `each`-private and chosen adaptively, keep together at epsilon.

    Randomised response attains it: a loss of (2l - k) e0 with probability C(k, l) e^(l e0)/(1 + e^e0)^k.
    """
    if epsilon >= count * each:
        return fmpq(0)
    step = (-arb(each)).exp()
    # C(k, l) and e^((l-k) e0), and e^(epsilon - l e0), one l after the other, downwards from k.
    ways, here, there = arb(1), arb(1), arb(epsilon - count * each).exp()
    total = arb(0)
    for hits in range(count, -1, -1):
        if (2 * hits - count) * each <= epsilon:
            break
        total += ways * (here - there)
        ways, here, there = ways * hits / (count - hits + 1), here * step, there / step
    return total / (1 + step) ** count
