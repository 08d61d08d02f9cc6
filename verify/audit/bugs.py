"""Seeded bugs: small mechanisms that claim more privacy than they have, and controls that keep their claim exactly.

Each is a mechanism at one pair of neighbouring inputs, so that a scoreboard can count which layer of an audit finds it.
Bugs whose noise density is not given here are left to the black box; those that differ only far out in the tails are
left to exact computation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from verify.audit.cases import ADD, REPLACE, density_case, finite_case, gaussian_case, laplace_case
from verify.audit.exact import laplace_loss
from verify.audit.mechanism import Mechanism

if TYPE_CHECKING:
    from verify.audit.mechanism import Outputs

HALF, ZERO, ONE = Fraction(1, 2), Fraction(0), Fraction(1)
ANALYTIC = Fraction("3.730631635")
"""Enough noise for epsilon = 1 and delta = 1e-5, over the sensitivity."""


@dataclass(frozen=True)
class Case:
    """A mechanism by name, and in words what is wrong with it, or how it keeps its claim."""

    name: str
    text: str
    make: Callable[[], Mechanism]


def _laplace_at(at: tuple[float, float], scales: tuple[float, float] = (1.0, 1.0)) -> Callable[[int, Outputs], Outputs]:
    return lambda side, x: -np.abs(x[:, 0] - at[side]) / scales[side] - np.log(2 * scales[side])


def _reused_noise() -> Mechanism:
    """In the coordinates (difference, last), only the last has noise."""
    made = density_case(lambda side, runs, g: np.array([[3.0 + side, 7.0]]) + g.laplace(size=(runs, 1)))
    return replace(made, exact=lambda: laplace_loss([-4, 7], [-3, 7], [0, 1], epsilon=ONE, delta=ZERO))


def _made_consistent() -> Mechanism:
    """The counts are adjusted to add up to the true total, which then has no noise."""

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        noise = g.laplace(size=(runs, 3))
        return np.asarray(noise - noise.mean(axis=1, keepdims=True) + [4.0 + side, 3.0, 3.0])

    made = density_case(sample)
    return replace(made, exact=lambda: laplace_loss([10], [11], [0], epsilon=ONE, delta=ZERO))


def _geometric(rate: Fraction | int, *, step: int = 1) -> Mechanism:
    """Integer noise with P(k) in proportion to exp(-rate |k|), times `step`."""

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        chance = -np.expm1(-float(rate))
        noise = g.geometric(chance, (runs, 1)) - g.geometric(chance, (runs, 1))
        return np.asarray(5.0 + side + step * noise, dtype=np.float64)

    def log_density(side: int, x: Outputs) -> Outputs:
        moved = (x[:, 0] - 5 - side) / step
        return np.where(moved == np.round(moved), -float(rate) * np.abs(moved), -np.inf)

    made = density_case(sample, log_density)
    if step > 1:
        return made
    return replace(made, exact=lambda: laplace_loss([5], [6], [1 / Fraction(rate)], epsilon=ONE, delta=ZERO))


def _exponential_noise() -> Mechanism:
    return density_case(
        lambda side, runs, g: side + g.exponential(size=(runs, 1)),
        lambda side, x: np.where(x[:, 0] >= side, side - x[:, 0], -np.inf),
    )


def _truncated_noise() -> Mechanism:
    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        reach = g.uniform(-1, 1, (runs, 1)) * -np.expm1(-3.0)
        return np.asarray(side - np.sign(reach) * np.log1p(-np.abs(reach)))

    return density_case(sample, lambda side, x: np.where(np.abs(x[:, 0] - side) <= 3, -np.abs(x[:, 0] - side), -np.inf))


def _uniform_noise() -> Mechanism:
    return density_case(
        lambda side, runs, g: side + g.uniform(-5, 5, (runs, 1)),
        lambda side, x: np.where(np.abs(x[:, 0] - side) <= 5, 0.0, -np.inf),
    )


def _cauchy_noise() -> Mechanism:
    return density_case(
        lambda side, runs, g: side + g.standard_cauchy((runs, 1)) / 2,
        lambda side, x: -np.log1p((2 * (x[:, 0] - side)) ** 2),
    )


def _redrawn_until_positive() -> Mechanism:
    """Laplace noise, redrawn until the noisy count is positive; the number of redraws depends on the count."""
    total = (0.5, 1 - np.exp(-1) / 2)

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        chance = 1 - total[side] * g.uniform(size=(runs, 1))  # the part of the distribution function above 0
        noise = np.where(chance < 0.5, np.log(2 * chance), -np.log(2 * np.maximum(1 - chance, 1e-300)))
        return np.asarray(side + noise)

    return density_case(sample, lambda side, x: -np.abs(x[:, 0] - side) - np.log(total[side]))


def _local_sensitivity() -> Mechanism:
    return density_case(
        lambda side, runs, g: g.laplace(size=(runs, 1)) * (0.1, 1.0)[side],
        _laplace_at((0.0, 0.0), (0.1, 1.0)),
        adjacency=REPLACE,
    )


def _clipped_to_the_data() -> Mechanism:
    return density_case(lambda side, runs, g: np.minimum(1 + g.laplace(size=(runs, 1)), (1.0, 5.0)[side]))


def _low_bits() -> Mechanism:
    """The noise is on a grid but the value is not: its low bits survive."""

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        return (0.0, 1 / 3)[side] + np.round(g.laplace(size=(runs, 1)) * 1024) / 1024

    return density_case(sample)


def _rounded_before() -> Mechanism:
    """Noise is added to hundredths and the answer shown with the data's own number of decimals."""
    return density_case(lambda side, runs, g: np.round((5.0, 5.25)[side] + g.laplace(size=(runs, 1)), (0, 2)[side]))


def _noisy_max(scale: float) -> Mechanism:
    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        scores = np.array([[1.0, 0.0], [0.0, 1.0]][side]) + g.laplace(size=(runs, 2)) * scale
        return np.asarray(scores.argmax(axis=1, keepdims=True), dtype=np.float64)

    return density_case(sample)


def _noisy_max_with_value() -> Mechanism:
    """The largest noisy count is released with the same noise that made it the largest."""

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        counts = np.full(20, float(side))
        return np.asarray((counts + g.laplace(size=(runs, 20))).max(axis=1, keepdims=True))

    return density_case(sample)


def _empty_cells_stay_empty() -> Mechanism:
    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        noisy = np.array([[4.0, float(side)]]) + g.laplace(size=(runs, 2))
        return np.asarray(noisy * [1.0, float(side)])

    return density_case(sample)


def _domain_from_data() -> Mechanism:
    """Only values that occur get a noisy count, so their number is visible."""

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        cells = np.full((runs, 1), 3.0 + side)
        return np.hstack([4 + g.laplace(size=(runs, 1)), cells])

    return density_case(sample)


def _sparse_vector_no_query_noise() -> Mechanism:
    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        queries = np.array([[0.0, 1.0], [1.0, 0.0]][side])
        bits = (queries > 0.5 + 2 * g.laplace(size=(runs, 1))).astype(np.float64)
        return np.hstack([bits, bits @ np.array([[1.0], [2.0]])])

    return density_case(sample)


def _sparse_vector_no_limit() -> Mechanism:
    """Half of the budget for the threshold and half for one answer, but forty answers are given."""

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        queries = np.array([([0.0] * 20 + [1.0] * 20), ([1.0] * 20 + [0.0] * 20)][side])
        noisy = queries + 4 * g.laplace(size=(runs, 40))
        return (noisy > 0.5 + 2 * g.laplace(size=(runs, 1))).astype(np.float64)

    return density_case(sample)


def _noise_on_a_mean_of_unknown_size() -> Mechanism:
    """Mean of n records with noise 1/(n epsilon): both the mean and the noise depend on n."""
    return density_case(
        lambda side, runs, g: (0.0, 1.0)[side] * 0.5 + g.laplace(size=(runs, 1)) * (1.0, 0.5)[side],
        _laplace_at((0.0, 0.5), (1.0, 0.5)),
    )


def _one_of_ten_without_noise() -> Mechanism:
    """Noise is forgotten in one run of ten: 1/10 is far above any claimed delta."""

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        noise = g.standard_normal((runs, 1)) * float(ANALYTIC)
        return np.asarray(side + np.where(g.uniform(size=(runs, 1)) < 0.1, 0.0, noise))

    return density_case(sample, delta=Fraction(1, 10**5))


BUGS: tuple[Case, ...] = (
    Case("half-scale", "Laplace scale 1/(2 epsilon) for a count", lambda: laplace_case([5], [6], HALF)),
    Case("epsilon-inverted", "scale epsilon for 1/epsilon", lambda: laplace_case([5], [6], HALF, epsilon=HALF)),
    Case("standard-deviation-for-scale", "a scale that makes the standard deviation 1/epsilon",
         lambda: laplace_case([5], [6], Fraction(707, 1000))),
    Case("histogram-half-scale", "a replaced record moves two cells, one is counted",
         lambda: laplace_case([5, 5, 5], [4, 6, 5], 1, adjacency=REPLACE)),
    Case("replace-for-add", "range 1 for values in [-1, 1] under replace-one",
         lambda: laplace_case([-1], [1], 1, adjacency=REPLACE)),
    Case("forgotten-query", "sensitivity of two counts for three", lambda: laplace_case([5, 5, 5], [6, 6, 6], 2)),
    Case("forgotten-marginals", "three marginals under replace-one, noise for add-remove",
         lambda: laplace_case([3, 3, 3, 3, 3, 3], [2, 4, 2, 4, 2, 4], 3, adjacency=REPLACE)),
    Case("budget-not-split", "two releases with the whole budget each", lambda: laplace_case([5, 5], [6, 6], 1)),
    Case("ten-rounds", "ten rounds with half of the budget each", lambda: laplace_case([0] * 10, [1] * 10, 2)),
    Case("half-of-the-coordinates", "noise on two of four coordinates",
         lambda: laplace_case([1] * 4, [2] * 4, [4, 4, 0, 0])),
    Case("l2-for-l1", "Laplace noise scaled to the L2 norm", lambda: laplace_case([1] * 4, [2] * 4, 2)),
    Case("maximum-for-l1", "Laplace noise scaled to the largest move", lambda: laplace_case([1] * 4, [2] * 4, 1)),
    Case("unclipped-sum", "an outlier moves the sum by 10, noise for 1", lambda: laplace_case([20], [30], 1)),
    Case("three-records-a-person", "one person has three records, noise for one", lambda: laplace_case([5], [8], 1)),
    Case("mean-with-half-range", "mean of values in [-1, 1] with the range 1",
         lambda: laplace_case([ZERO], [Fraction(1, 5)], Fraction(1, 10), adjacency=REPLACE)),
    Case("amplified-in-vain", "a sample that is known is claimed to amplify",
         lambda: laplace_case([5], [6], 1, epsilon=Fraction(1, 10))),
    Case("lattice-in-two-dimensions", "scale S(k+1)/epsilon on (k+1)^2 lattice values, k = 1",
         lambda: laplace_case([0] * 4, [1] * 4, 2, adjacency=REPLACE)),
    Case("size-leaked", "n is released as it is under add-remove", lambda: laplace_case([5, 10], [6, 11], [1, 0])),
    Case("rounds-leaked", "the number of rounds depends on the data", lambda: laplace_case([5, 3], [6, 4], [1, 0])),
    Case("seed-reuse", "the same seed every time: the noise is a constant", lambda: laplace_case([5], [6], [0])),
    Case("exact-median", "the median without noise", lambda: laplace_case([4], [5], [0], adjacency=REPLACE)),
    Case("noise-reused", "one noise for two answers", _reused_noise),
    Case("made-consistent", "noisy counts moved to the true total", _made_consistent),
    Case("delta-ignored", "Gaussian noise that claims delta = 0", lambda: gaussian_case([0], [1], 1, delta=0)),
    Case("variance-for-deviation", "the standard deviation used as the variance",
         lambda: gaussian_case([0], [1], ANALYTIC)),
    Case("gaussian-as-laplace", "standard deviation 1/epsilon", lambda: gaussian_case([0], [1], 1)),
    Case("gaussian-per-query", "nine answers with the noise of one",
         lambda: gaussian_case([0] * 9, [1] * 9, ANALYTIC**2)),
    Case("gaussian-replace-for-add", "two cells move, noise for one",
         lambda: gaussian_case([5, 5], [4, 6], ANALYTIC**2, adjacency=REPLACE)),
    Case("decimal-logarithm", "sqrt(2 log10(1.25/delta)) for the natural logarithm",
         lambda: gaussian_case([0], [1], Fraction("10.19"))),
    Case("classical-beyond", "the classical formula at epsilon = 10",
         lambda: gaussian_case([0], [1], Fraction("0.2347"), epsilon=10)),
    Case("missing-factor-two", "sqrt(log(1.25/delta)) for sqrt(2 log(1.25/delta)), two releases",
         lambda: gaussian_case([0, 0], [1, 1], Fraction("11.736"))),
    Case("exponential-wrong-sensitivity", "utility moves by 2, mechanism for 1",
         lambda: finite_case([(1, 1), (1, 0), (1, 0), (1, 0)], [(1, 0), (1, 1), (1, 1), (1, 1)])),
    Case("exponential-no-half", "exp(epsilon u) for exp(epsilon u/2)",
         lambda: finite_case([(1, 1)] + [(1, 0)] * 9, [(1, 0)] + [(1, 1)] * 9)),
    Case("coin-of-nine-tenths", "randomised response that is right 9 times of 10",
         lambda: finite_case([(9, 0), (1, 0)], [(1, 0), (9, 0)])),
    Case("randomised-twice", "randomised response with the whole budget, two answers",
         lambda: finite_case([(1, 2), (1, 1), (1, 1), (1, 0)], [(1, 0), (1, 1), (1, 1), (1, 2)])),
    Case("impossible-answer", "an answer that only one input can give",
         lambda: finite_case([(9, 0), (1, 0), (0, 0)], [(9, 0), (1, 0), (1, 0)])),
    Case("geometric-half-scale", "two-sided geometric noise of twice the rate", lambda: _geometric(2)),
    Case("even-noise", "integer noise that is always even", lambda: _geometric(2, step=2)),
    Case("one-sided-noise", "exponential noise", _exponential_noise),
    Case("truncated-noise", "Laplace noise cut off at three scales, delta = 0 claimed", _truncated_noise),
    Case("uniform-noise", "uniform noise", _uniform_noise),
    Case("cauchy-noise", "Cauchy noise of half the width", _cauchy_noise),
    Case("redrawn-until-positive", "noise redrawn until the count is positive", _redrawn_until_positive),
    Case("local-sensitivity", "noise scaled to the data at hand", _local_sensitivity),
    Case("size-in-the-noise", "the scale of the noise knows n", _noise_on_a_mean_of_unknown_size),
    Case("clipped-to-the-data", "noisy answer clipped to the data's own range", _clipped_to_the_data),
    Case("low-bits", "noise on a grid, the value off it", _low_bits),
    Case("decimals-of-the-data", "rounded to the data's own decimals", _rounded_before),
    Case("noisy-maximum", "noisy maximum with half the scale", lambda: _noisy_max(0.5)),
    Case("maximum-with-its-value", "the winner's value without fresh noise", _noisy_max_with_value),
    Case("empty-cells", "no noise on empty cells", _empty_cells_stay_empty),
    Case("domain-from-data", "cells that occur, no others", _domain_from_data),
    Case("sparse-vector-no-noise", "sparse vector without noise on the queries", _sparse_vector_no_query_noise),
    Case("sparse-vector-no-limit", "sparse vector without a limit on the answers", _sparse_vector_no_limit),
    Case("noise-forgotten-sometimes", "one run in ten without noise", _one_of_ten_without_noise),
)  # fmt: skip

CONTROLS: tuple[Case, ...] = (
    Case("count", "Laplace noise, loss exactly epsilon", lambda: laplace_case([5], [6], 1)),
    Case("histogram", "perturbed histogram under replace-one",
         lambda: laplace_case([5, 5, 5], [4, 6, 5], 2, adjacency=REPLACE)),
    Case("four-answers", "four answers, L1 sensitivity 4", lambda: laplace_case([1] * 4, [2] * 4, 4)),
    Case("small-epsilon", "epsilon = 1/10", lambda: laplace_case([5], [6], 10, epsilon=Fraction(1, 10))),
    Case("gaussian", "Gaussian noise, delta exactly 1e-5", lambda: gaussian_case([0], [1], ANALYTIC**2)),
    Case("gaussian-large-delta", "Gaussian noise of deviation 2: delta 0.00683 at epsilon = 1",
         lambda: gaussian_case([0, 0], [1, 0], 4, delta=Fraction(683, 10**5), adjacency=ADD)),
    Case("exponential", "exponential mechanism",
         lambda: finite_case([(1, HALF), (1, 0), (1, 0)], [(1, 0), (1, HALF), (1, HALF)])),
    Case("randomised-response", "randomised response", lambda: finite_case([(1, 1), (1, 0)], [(1, 0), (1, 1)])),
    Case("geometric", "two-sided geometric noise", lambda: _geometric(1)),
    Case("noisy-maximum", "noisy maximum with the scale 2/epsilon", lambda: _noisy_max(2.0)),
)  # fmt: skip
