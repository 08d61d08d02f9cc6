"""Quantiles of sums of |N(0, 1)|: closed forms, two ways to one tail, convolution, and what they may never exceed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from bounds import half_normal
from bounds.arithmetic.ball import BALL
from bounds.enclosure import precision
from verify.numbers.zhou import largest_noise_quantile


def test_one_and_two_terms_have_closed_forms() -> None:
    with precision(96):
        one = half_normal.largest_sum_quantile(1, 1, fmpq(1, 20))
        two = half_normal.largest_sum_quantile(2, 1, fmpq(1, 20))
        assert one is not None
        assert two is not None
        assert 0 <= one - BALL.normal_max_quantile(fmpq(1), fmpq(1, 20)) < 1e-9
        root = arb(fmpq(19, 20)).sqrt()
        assert abs((arb(two) / 2).erf() - root) < 1e-9


@pytest.mark.parametrize(("terms", "x"), [(3, 5), (4, 2), (4, 7), (4, 12)])
def test_both_ways_to_a_tail_agree(terms: int, x: int) -> None:
    """Where both are defined; the line needs many points for few terms, so at little precision."""
    with precision(40):
        by_integral = half_normal.sum_tail(terms, fmpq(x))
        by_line = half_normal._by_line(terms, fmpq(x))
    assert by_line.overlaps(by_integral)
    assert by_line.rad() < 1e-4 * by_integral


def test_many_terms_follow_from_few() -> None:
    """S_8 is a sum of two independent S_4: a Riemann sum brackets its tail."""
    with precision(72):
        x, count = fmpq(10), 60
        tails = [half_normal.sum_tail(4, x * k / count) for k in range(1, count + 1)]
        tails = [arb(1), *tails]
        pieces = [(tails[k] - tails[k + 1], tails[count - k - 1], tails[count - k]) for k in range(count)]
        low = tails[count] + sum((p * far for p, _, far in pieces), arb(0))
        high = tails[count] + sum((p * near for p, near, _ in pieces), arb(0))
        found = half_normal.sum_tail(8, x)
    assert low <= found <= high
    assert high - low < 0.1


@pytest.mark.parametrize(
    ("terms", "sums", "failure"),
    [(4, 10, Fraction(1, 20)), (9, 15, Fraction(1, 1000)), (16, 5, Fraction(1, 2)), (64, 70, Fraction(1, 10))],
)
def test_quantiles_are_those_of_a_convolution_and_proved_on_both_sides(
    terms: int, sums: int, failure: Fraction
) -> None:
    allowed = fmpq(failure.numerator, failure.denominator)
    found = half_normal.largest_sum_quantile(terms, sums, allowed)
    assert found is not None
    with precision(128):
        each = half_normal._one_of(sums, allowed)
        assert half_normal.sum_tail(terms, found) <= each
        assert half_normal.sum_tail(terms, found * (1 - fmpq(1, 2**31))) > each
    assert abs(float(arb(found).mid()) / largest_noise_quantile(sums, terms, failure) - 1) < 1e-4
    chernoff = BALL.half_normal_sum_bound(fmpq(terms), arb(fmpq(sums) / allowed).log())
    assert found < chernoff
    rng = np.random.default_rng(terms)
    largest = np.array([np.abs(rng.standard_normal((sums, terms))).sum(axis=1).max() for _ in range(2000)])
    missed = float((largest > float(arb(found).mid())).mean())
    assert abs(missed - float(failure)) < 4 * np.sqrt(float(failure) / 2000)


def test_beyond_what_is_computed_chernoff_is_taken() -> None:
    assert half_normal.largest_sum_quantile(1 << 17, 1, fmpq(1, 20)) is None
    assert half_normal.largest_sum_quantile(4, 1, fmpq(1, 10**301)) is None
    with precision(96):
        near = BALL.half_normal_sum_quantile(fmpq(1 << 17), fmpq(3), fmpq(1, 20))
        assert near.overlaps(BALL.half_normal_sum_bound(fmpq(1 << 17), arb(60).log()))
