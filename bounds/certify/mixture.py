"""Distribution functions of mixtures of Gamma laws, in balls: noncentral chi-square, and a sum of two scaled ones.

A mixture over k of Gamma(a + k, 1) with weights w_k has the distribution function sum_j g_j(y) (w_0 + ... + w_j) with
g_j(y) = y^(a+j) e^-y / Gamma(a+j+1). All terms are positive; what is left out is bounded and enters the radius.
Proofs: docs/proofs/synthbounds.moment-radii.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from flint import arb, ctx, fmpq

from bounds.enclosure import Undecided

_TERMS_BETWEEN_CHECKS = 16


def noncentral_distribution(x: arb, dimension: int, noncentrality: arb) -> arb:
    """P(X <= x) for a noncentral chi-square variable X with that many degrees of freedom."""
    mean = noncentrality / 2
    if not mean > 0:
        raise Undecided
    # Start where the Poisson weights below are negligible: they sum to at most exp(-(mean - start)^2 / (2 mean)).
    start = max(0, int(float((mean - (2 * ctx.prec * mean).sqrt()).mid())))
    if start and not mean > start:
        raise Undecided
    before = _from_zero_to((-((mean - start) ** 2) / (2 * mean)).exp()) if start else arb(0)
    return _gamma_mixture(fmpq(dimension, 2), x / 2, _poisson(mean, start), start, before)


def quarter_sum_distribution(x: arb, dimension: int) -> arb:
    """P(N^2 + X/4 <= x), N standard normal, X an independent chi-square with dimension - 1 degrees of freedom."""
    return _gamma_mixture(fmpq(dimension, 2), 2 * x, _quarter_weights(), 0, arb(0))


def _poisson(mean: arb, start: int) -> Iterator[arb]:
    weight, k = (start * mean.log() - mean - arb(start + 1).lgamma()).exp(), start
    while True:
        yield weight
        k += 1
        weight = weight * mean / k


def _quarter_weights() -> Iterator[arb]:
    """N^2 is a mixture of X_k/4, X_k chi-square with 1 + 2k degrees: weights (1/2) C(2k, k) (3/16)^k."""
    weight, k = arb(1) / 2, 0
    while True:
        yield weight
        k += 1
        weight = weight * (3 * (2 * k - 1)) / (8 * k)


def _gamma_mixture(shape: fmpq, y: arb, weights: Iterator[arb], start: int, before: arb) -> arb:
    """The distribution function at y; `weights` begin at `start` and `before` contains the sum of those left out."""
    if not y > 0:
        raise Undecided
    a, j = arb(shape), start
    density = ((a + j) * y.log() - y - (a + j + 1).lgamma()).exp()
    # Terms j < start: densities sum to at most 1, so they are together at most the weights left out.
    total = weight_so_far = before
    while True:
        for weight in islice(weights, _TERMS_BETWEEN_CHECKS):
            weight_so_far += weight
            total += density * weight_so_far
            j += 1
            density = density * y / (a + j)
        # Later densities fall at least by this factor each, and sums of weights are at most 1.
        factor = y / (a + j + 1)
        if factor < 1:
            rest = density / (1 - factor)
            if rest < arb(2) ** -ctx.prec:
                return total + _from_zero_to(rest)


def _from_zero_to(x: arb) -> arb:
    """A ball that contains [0, x]."""
    half = (x / 2).upper()
    return arb(half, half)
