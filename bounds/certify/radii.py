"""Certified radii of Gaussian noise: norms of vectors and matrices, and a confidence bound from a noisy norm.

Inputs are exact, results are rational upper bounds of 12 digits. Standard deviations are 1: callers scale. The module
knows nothing about releases or models. Proofs: docs/proofs/synthbounds.moment-radii.md.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx, fmpq

from bounds.certify.goe import goe_radius, goe_root
from bounds.certify.inputs import RADIUS_BITS, exact_number, positive_dimension, probability, rounded_up
from bounds.certify.mixture import noncentral_distribution
from bounds.enclosure import Enclosure, Undecided, as_fmpq, precision, with_growing_precision
from bounds.exact import require_range
from bounds.roots import root_of_tail
from bounds.special import gamma_quantile

__all__ = ["chi_radius", "failure_split", "goe_radius", "joint_radii", "noncentral_upper", "normal_interval"]

LARGEST_EXACT_RATIO = 10**6  # above it noncentral_upper adds a normal quantile; the excess is below (d - 1)/2000
_SHARES = 64  # a failure probability is split in multiples of 1/64
_GUESS_BITS = 20  # enough to choose a split: every split is valid


def chi_radius(dimension: int, failure: Fraction) -> Fraction:
    """The least r with P(||N(0, I)|| > r) <= failure in that dimension, rounded up to 12 digits.

    >>> float(chi_radius(14, Fraction(1, 25)))
    4.94827952141
    """
    return _chi_radius_cached(positive_dimension(dimension), probability("failure", failure))


def normal_interval(failure: Fraction) -> Fraction:
    """The least z with P(|N(0, 1)| > z) <= failure; normal_interval(2 b) is the one-sided quantile for b < 1/2."""
    return chi_radius(1, failure)


@lru_cache(maxsize=4096)
def _chi_radius_cached(dimension: int, failure: Fraction) -> Fraction:
    enclosed, _ = with_growing_precision(lambda: Enclosure.of(_chi_root(dimension, failure)), start=RADIUS_BITS)
    return rounded_up(enclosed.hi)


def _chi_root(dimension: int, failure: Fraction) -> arb:
    return (2 * gamma_quantile(fmpq(dimension, 2), as_fmpq(failure))).sqrt()


def joint_radii(
    dimension: int, beta: Fraction, *, first_weight: Fraction | int = 1, second_weight: Fraction | int = 1
) -> tuple[Fraction, Fraction]:
    """(r1, r2) with P(||N(0, I)|| > r1 or ||W|| > r2) <= beta, W as in `goe_radius`; the two may depend on each other.

    The split of beta makes first_weight r1 + second_weight r2 nearly least; weights say what a radius costs, such as
    its standard deviation. Every split that does not depend on the noise is valid, so the weights must be public.
    """
    beta = probability("beta", beta)
    share = failure_split(dimension, beta, first_weight=first_weight, second_weight=second_weight)
    return chi_radius(dimension, beta * share), goe_radius(dimension, beta * (1 - share))


def failure_split(
    dimension: int, beta: Fraction, *, first_weight: Fraction | int = 1, second_weight: Fraction | int = 1
) -> Fraction:
    """The share of beta, a multiple of 1/64, that `joint_radii` gives to the vector."""
    first, second = exact_number("first_weight", first_weight), exact_number("second_weight", second_weight)
    require_range("first_weight", first, first_weight, least=0)
    require_range("second_weight", second, second_weight, least=0)
    ratio = first / (first + second) if first + second else Fraction(1, 2)
    # The best split moves little with the weights; rounding them lets the cache serve many plans.
    rounded = Fraction(round(ratio * 256), 256)
    return _failure_split_cached(positive_dimension(dimension), probability("beta", beta), rounded)


@lru_cache(maxsize=4096)
def _failure_split_cached(dimension: int, beta: Fraction, ratio: Fraction) -> Fraction:
    def cost_est(share: int) -> float:
        part = Fraction(share, _SHARES)
        first, _ = with_growing_precision(lambda: _chi_root(dimension, beta * part), start=_GUESS_BITS)
        second, _ = with_growing_precision(lambda: goe_root(dimension, beta * (1 - part)), start=_GUESS_BITS)
        return float(ratio) * float(first.mid()) + float(1 - ratio) * float(second.mid())

    return Fraction(least_of_valley(cost_est, 1, _SHARES - 1), _SHARES)


def least_of_valley(cost: Callable[[int], float], low: int, high: int) -> int:
    """The integer in [low, high] at which a function that falls and then rises is least."""
    while low < high:
        middle = (low + high) // 2
        if cost(middle) <= cost(middle + 1):
            high = middle
        else:
            low = middle + 1
    return low


def noncentral_upper(squared_ratio: Fraction, dimension: int, failure: Fraction) -> Fraction:
    """An upper confidence bound u for ||b||/s from one observation of ||b + s N(0, I)||^2 / s^2 = squared_ratio.

    Whatever b is, P(||b||/s > u) <= failure over the noise. The bound is 0 if even b = 0 makes an observation this
    small less likely than `failure`.
    """
    observed = exact_number("squared_ratio", squared_ratio)
    require_range("squared_ratio", observed, squared_ratio, least=0, reason="a squared norm")
    return _noncentral_upper_cached(observed, positive_dimension(dimension), probability("failure", failure))


@lru_cache(maxsize=4096)
def _noncentral_upper_cached(squared_ratio: Fraction, dimension: int, failure: Fraction) -> Fraction:
    if squared_ratio == 0:
        return Fraction(0)
    enclosed, _ = with_growing_precision(
        lambda: Enclosure.of(_noncentral_root(squared_ratio, dimension, failure)), start=RADIUS_BITS
    )
    return rounded_up(enclosed.hi)


def _noncentral_root(squared_ratio: Fraction, dimension: int, failure: Fraction) -> arb:
    target = as_fmpq(failure)

    def observed() -> arb:  # at the current precision
        return arb(as_fmpq(squared_ratio))

    high = (observed().sqrt() + _normal_quantile(target)).max(arb(0))
    if squared_ratio > LARGEST_EXACT_RATIO:
        return high
    with precision(2 * ctx.prec):
        at_zero = 1 - (observed() / 2).gamma_upper(arb(dimension) / 2, regularized=1)
        if at_zero <= target:
            return arb(0)
        if not at_zero > target:
            raise Undecided
    high += arb(2) ** -ctx.prec  # a search cannot begin at zero
    low = high - dimension / observed().sqrt()
    return root_of_tail(lambda t: noncentral_distribution(observed(), dimension, t * t), target, high, low)


def _normal_quantile(failure: fmpq) -> arb:
    """z with P(N(0, 1) > z) = failure."""
    two_sided = 2 * (failure if failure < fmpq(1, 2) else 1 - failure)
    if two_sided == 1:
        return arb(0)
    z = (2 * gamma_quantile(fmpq(1, 2), two_sided)).sqrt()
    return z if failure < fmpq(1, 2) else -z
