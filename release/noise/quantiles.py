"""Certified quantiles of the largest noise: a number that max |noise| exceeds with probability at most beta.

All are in lattice steps and decided in ball arithmetic, rounded up. Discrete Laplace and rounded l_inf noise: the exact
quantile. Discrete Gaussian noise: an upper bound, the rounded quantile of the continuous distribution if that is at
least one standard deviation. Proofs: docs/proofs/synthbounds.lattice-noise.md.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq

from bounds.arithmetic.ball import BALL
from bounds.enclosure import BallNumber, as_fmpq
from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency
from bounds.solve import enclose, smallest_integer_at_least
from release.noise.kinds import LatticeKind, Mode, Noise

_HALF = fmpq(1, 2)


def on_answers(steps: Fraction, unit: Fraction, adjacency: Adjacency) -> Fraction:
    """Steps of noise as an error of the answers; under add-remove the lattice itself costs half a step."""
    return (steps + Fraction(1, 2)) * unit if adjacency is Adjacency.ADD_REMOVE else steps * unit


def largest_noise(mechanism: LatticeKind, mode: Mode, *, count: int, scale: Fraction, beta: Fraction) -> Fraction:
    """A quantile of max |noise| over `count` answers, in lattice steps."""
    size, number, failure = as_fmpq(scale), fmpq(count), as_fmpq(beta)
    if mode == "simulate":
        return enclose(lambda: size * _standard(mechanism, number, failure)).hi
    if mechanism == "laplace":
        return _smallest_whole(lambda: _discrete_laplace(size, number, failure))
    if mechanism == "linf":
        # |round(z)| for the largest coordinate is round(|z|), and exceeds q exactly if |z| exceeds q + 1/2.
        return _smallest_whole(lambda: size * _standard("linf", number, failure) - _HALF)
    normal = enclose(lambda: _standard("gaussian", number, failure))
    shift = _HALF if normal.lo >= 1 else fmpq(0)
    return _smallest_whole(lambda: size * _standard("gaussian", number, failure) - shift)


def largest_combination(variance: Fraction, *, count: int, beta: Fraction) -> Fraction:
    """A quantile of the largest of `count` Gaussian variables, however they depend, of at most this variance.

    By Sidak's inequality none is worse than that of independent ones.
    """
    square, number, failure = as_fmpq(variance), fmpq(count), as_fmpq(beta)
    return enclose(lambda: arb(square).sqrt() * _standard("gaussian", number, failure)).hi


def largest_sum(sd: Fraction, *, terms: int, count: int, failure: Fraction) -> Fraction:
    """What none of `count` sums of this many independent terms exceeds in absolute value, except with this probability.

    Terms are sub-Gaussian with the proxy variance sd^2, so that a sum of L is off by more than x with probability at
    most 2 exp(-x^2/(2 L sd^2)).
    """
    spread, tail = as_fmpq(2 * terms * sd**2), as_fmpq(2 * count / failure)
    return enclose(lambda: (spread * arb(tail).log()).sqrt()).hi


def deepest_fall(noise: Noise, failure: Fraction) -> int:
    """The most that noise, rounded to integers, takes away from any of its numbers, except with this probability.

    One side only: for numbers that must not come out too small. Of c independent numbers each may fail with 1 - (1 -
    failure)^(1/c), which is at least the first two terms of its series. Discrete Laplace noise falls no deeper than
    the continuous one that is rounded, so one threshold serves both. Proof: docs/proofs/synthbounds.table-distance.md.
    """
    assert not isinstance(noise.scales, tuple)
    each = failure / noise.count + (noise.count - 1) * failure**2 / (2 * noise.count**2)
    both_sides = as_fmpq(2 * min(each, Fraction(2, 5)))
    kind: LatticeKind = "laplace" if noise.kind == "laplace" else "gaussian"
    scale = as_fmpq(noise.scales)
    return int(_smallest_whole(lambda: scale * _standard(kind, fmpq(1), both_sides) - _HALF))


def _standard(mechanism: LatticeKind, count: fmpq, failure: fmpq) -> BallNumber:
    """The exact quantile for continuous noise of scale 1."""
    if mechanism == "laplace":
        return BALL.laplace_max_quantile(count, failure)
    if mechanism == "linf":
        return BALL.gamma_quantile(count, failure)
    return BALL.normal_max_quantile(count, failure)


def _discrete_laplace(scale: fmpq, count: fmpq, failure: fmpq) -> BallNumber:
    """The threshold for q in P(max |Z| > q) = 1 - (1 - 2 p^(q+1)/(1 + p))^count <= failure, p = exp(-1/scale)."""
    more = (1 + (-1 / arb(scale)).exp()) / 2
    return scale * (BALL.laplace_max_quantile(count, failure) - more.log()) - 1


def _smallest_whole(threshold: Callable[[], BallNumber]) -> Fraction:
    """The smallest whole number from 0 on that is at least the threshold, decided on both sides."""
    certificate, _ = smallest_integer_at_least(lambda: threshold() + 1)
    return Fraction(certificate.value - 1)


def read_beta(value: Exact) -> Fraction:
    """A failure probability, exactly."""
    beta = parse_rational(value, "beta")
    require_range("beta", beta, value, above=0, below=1)
    return beta
