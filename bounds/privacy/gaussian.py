"""Gaussian noise: its exact delta, its exact calibration, and the range in which the classical formula is right.

Proofs: docs/proofs/zhou2024.gaussian-mechanism.md, synthbounds.noise-gaussian.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from bounds import curves
from bounds.arithmetic.ball import BALL
from bounds.enclosure import BallNumber, Enclosure, as_fmpq, as_fraction, decimal_text, with_growing_precision
from bounds.errors import NotApplicable
from bounds.exact import Exact, show_rational
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.sensitivity import Sensitivity, require_norm
from bounds.privacy.statements import (
    DP,
    GaussianDP,
    enclose_probability,
    one_adjacency,
    read_count,
    read_delta,
    read_epsilon,
    read_positive,
    require_promise,
)
from bounds.solve import enclose

_MOST_DIGITS = 60


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Noise for a requested privacy: the ratio of standard deviation and L2 sensitivity, and a safe decimal.

    `ratio` encloses the number of the formula; `safe_ratio` is a decimal above it, at which the exact delta has been
    checked to be at most dp_delta.
    """

    ratio: Enclosure
    safe_ratio: Fraction
    epsilon: Fraction
    dp_delta: Fraction
    adjacency: Adjacency
    method: str

    def sigma(self, sensitivity: Sensitivity) -> Enclosure:
        """The standard deviation for this sensitivity; its adjacency must be the same."""
        one_adjacency(self, require_norm(sensitivity, "L2"))
        size = sensitivity.value
        return Enclosure(self.ratio.lo * size.lo, self.ratio.hi * size.hi)

    def safe_sigma(self, sensitivity: Sensitivity, *, digits: int = 10) -> Fraction:
        """A decimal that is enough noise: rounded up."""
        one_adjacency(self, require_norm(sensitivity, "L2"))
        return Fraction(decimal_text(self.safe_ratio * sensitivity.value.hi, _digits(digits), up=True))


def gaussian_noise(*, sigma: Exact, sensitivity: Sensitivity) -> GaussianDP:
    """Noise of this standard deviation on answers of this sensitivity."""
    require_norm(sensitivity, "L2")
    deviation = as_fraction(read_positive(sigma, "sigma"))
    return GaussianDP(mu_squared=sensitivity.squared / deviation**2, adjacency=sensitivity.adjacency)


def gaussian_noise_of_ratio(*, noise_ratio: Exact, adjacency: Adjacency | str) -> GaussianDP:
    """Noise given by the ratio of its standard deviation and the L2 sensitivity under that adjacency."""
    ratio = as_fraction(read_positive(noise_ratio, "noise_ratio"))
    return GaussianDP(mu_squared=1 / ratio**2, adjacency=read_adjacency(adjacency))


def gaussian_delta(noise: GaussianDP, *, epsilon: Exact) -> DP:
    """The exact delta of Gaussian noise at epsilon, by Balle and Wang's formula.

    >>> noise = gaussian_noise_of_ratio(noise_ratio=2, adjacency="replace-one")
    >>> gaussian_delta(noise, epsilon=1).delta.decimal(10)
    ('0.006829594983', '0.006829594984')
    """
    adjacency = one_adjacency(noise)
    value = read_epsilon(epsilon)
    mu_squared = as_fmpq(noise.mu_squared)
    delta = enclose_probability(lambda: curves.gaussian_delta_of(mu_squared, value))
    return DP(epsilon=Enclosure.of(value), delta=require_promise(delta), adjacency=adjacency)


def gaussian_epsilon(noise: GaussianDP, *, dp_delta: Exact) -> DP:
    """The smallest epsilon of Gaussian noise at dp_delta; 0 if delta is already met there."""
    adjacency = one_adjacency(noise)
    delta, mu_squared = read_delta(dp_delta), as_fmpq(noise.mu_squared)
    epsilon = enclose(lambda: curves.gaussian_epsilon_of(mu_squared, delta))
    return DP(epsilon=epsilon, delta=Enclosure.of(delta), adjacency=adjacency)


def analytic_gaussian(*, epsilon: Exact, dp_delta: Exact, adjacency: Adjacency | str, digits: int = 10) -> Calibration:
    """The smallest ratio of standard deviation and L2 sensitivity that is (epsilon, dp_delta)-private.

    The exact delta falls strictly with the ratio, so the enclosure is two-sided: below it the mechanism is not
    private, and above it, as at `safe_ratio`, it is.

    >>> found = analytic_gaussian(epsilon=1, dp_delta="1e-5", adjacency="replace-one")
    >>> found.ratio.decimal(9), show_rational(found.safe_ratio)
    (('3.73063163', '3.73063164'), '3.730631635')
    """
    eps, delta = read_epsilon(epsilon, above_zero=True), read_delta(dp_delta)
    return _calibration("analytic", lambda: BALL.gaussian_factor(eps, delta), eps, delta, adjacency, digits)


def classical_gaussian(*, epsilon: Exact, dp_delta: Exact, adjacency: Adjacency | str, digits: int = 10) -> Calibration:
    """The classical ratio sqrt(2 log(1.25/delta))/epsilon, wherever it is private; refused where it is not.

    Textbooks state it for epsilon < 1. It is private exactly up to `classical_valid_up_to`.
    """
    eps, delta = read_epsilon(epsilon, above_zero=True), read_delta(dp_delta)
    if not curves.classical_holds(eps, delta):
        limit = decimal_text(classical_valid_up_to(dp_delta, adjacency=adjacency).lo, 8, up=False)
        raise NotApplicable(
            f"epsilon = {show_rational(as_fraction(eps))}: at this delta the classical formula is private up to "
            f"{limit} only"
        )
    return _calibration("classical", lambda: curves.classical_ratio(eps, delta), eps, delta, adjacency, digits)


def classical_valid_up_to(dp_delta: Exact, *, adjacency: Adjacency | str) -> Enclosure:
    """The epsilon up to which the classical formula is private at dp_delta, and beyond which it is not.

    Proved for every delta in (0, 1): at a fixed product of epsilon and sigma the exact delta grows strictly with
    epsilon, from 0 to 1. So the formula is private on the whole of (0, limit] and nowhere beyond, there is one
    crossing, and it lies inside the enclosure because the exact delta has been enclosed below dp_delta at its lower
    end and above at its upper end. The limit is more than 15/4 for every delta. It does not depend on the adjacency,
    in which the sensitivity must be measured.

    >>> classical_valid_up_to("1e-5", adjacency="replace-one").decimal(9)
    ('8.41977130', '8.41977131')
    """
    read_adjacency(adjacency)
    delta = read_delta(dp_delta)
    return enclose(lambda: curves.classical_limit(delta))


def _calibration(
    method: str,
    ratio: Callable[[], BallNumber],
    epsilon: fmpq,
    dp_delta: fmpq,
    adjacency: Adjacency | str,
    digits: int,
) -> Calibration:
    adjacency = read_adjacency(adjacency)
    enclosure = enclose(ratio, relative_bits=60 + 4 * _digits(digits))
    safe = Fraction(decimal_text(enclosure.hi, digits, up=True))

    if not with_growing_precision(lambda: curves.gaussian_holds(as_fmpq(safe), epsilon, dp_delta))[0]:
        raise AssertionError("a ratio above the exact one is private")
    return Calibration(
        ratio=enclosure,
        safe_ratio=safe,
        epsilon=as_fraction(epsilon),
        dp_delta=as_fraction(dp_delta),
        adjacency=adjacency,
        method=method,
    )


def _digits(digits: int) -> int:
    return read_count(digits, "digits", most=_MOST_DIGITS)
