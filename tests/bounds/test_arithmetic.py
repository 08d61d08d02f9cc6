"""Special functions: mpmath at 60 digits lies inside every ball, numpy agrees, published values are met."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic.ball import BALL
from bounds.arithmetic.multiprecision import MULTIPRECISION, to_mpf
from bounds.arithmetic.symbolic import SYMBOLIC
from bounds.arithmetic.vector import VECTOR
from bounds.enclosure import Enclosure, precision

mpmath.mp.dps = 60

failures = st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(99, 100), max_denominator=10**12)
counts = st.integers(1, 3000)


def check(method: str, *arguments: Fraction | int, floats: bool = True) -> None:
    exact = [Fraction(a) for a in arguments]
    with precision(128):
        ball = getattr(BALL, method)(*(fmpq(a.numerator, a.denominator) for a in exact))
        enclosure = Enclosure.of(ball)
    reference = getattr(MULTIPRECISION, method)(*(to_mpf(a) for a in exact))
    slack = abs(reference) * mpmath.mpf(10) ** -50
    assert to_mpf(enclosure.lo) - slack <= reference <= to_mpf(enclosure.hi) + slack
    assert enclosure.hi - enclosure.lo <= abs(enclosure.hi) * Fraction(1, 10**25) + Fraction(1, 10**60)
    if floats:
        estimate = float(getattr(VECTOR, method)(*(np.float64(float(a)) for a in exact)))
        assert estimate == pytest.approx(float(reference), rel=1e-7)


@given(counts, failures)
def test_largest_laplace(count: int, failure: Fraction) -> None:
    check("laplace_max_quantile", count, failure)


@settings(max_examples=40)
@given(st.integers(1, 400), failures)
def test_gamma_quantile(shape: int, failure: Fraction) -> None:
    check("gamma_quantile", shape, failure)


@settings(max_examples=60)
@given(counts, failures)
def test_largest_normal(count: int, failure: Fraction) -> None:
    check("normal_max_quantile", count, failure)


@given(st.fractions(min_value=0, max_value=12, max_denominator=1000))
def test_normal_within(x: Fraction) -> None:
    check("normal_within", x)


def test_normal_within_undoes_the_quantile() -> None:
    with precision(128):
        back = Enclosure.of(BALL.normal_within(BALL.normal_max_quantile(fmpq(1), fmpq(1, 20))))
        assert back.contains(Fraction(19, 20))
        assert Enclosure.of(BALL.normal_within(fmpq(0))) == Enclosure.of(fmpq(0))


@settings(max_examples=40)
@given(
    st.fractions(min_value=Fraction(1, 100), max_value=10, max_denominator=1000),
    st.fractions(min_value=Fraction(1, 10**9), max_value=Fraction(1, 2), max_denominator=10**9),
)
def test_gaussian_factor(epsilon: Fraction, dp_delta: Fraction) -> None:
    check("gaussian_factor", epsilon, dp_delta)


@given(st.fractions(min_value=Fraction(1, 1000), max_value=200, max_denominator=1000))
def test_theta(x: Fraction) -> None:
    check("theta", x)


@given(st.integers(1, 200), st.integers(0, 200), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
def test_binomial_tail_against_the_exact_sum(least: int, more: int, success: Fraction) -> None:
    trials = least + more
    exact, term = Fraction(0), (1 - success) ** trials
    for hits in range(least):
        exact += term
        term = term * (trials - hits) / (hits + 1) * success / (1 - success)
    with precision(128):
        found = Enclosure.of(
            BALL.binomial_below(fmpq(trials), fmpq(success.numerator, success.denominator), fmpq(least))
        )
    assert found.contains(exact)
    assert float(VECTOR.binomial_below(trials, float(success), least)) == pytest.approx(float(exact), abs=1e-12)


def test_a_long_binomial_tail_is_bounded_and_falls() -> None:
    """Across the switch to Chernoff's bound the value never rises, so a smallest integer stays one."""
    values = []
    with precision(96):
        for trials in (10**7 - 1, 10**7, 10**7 + 1, 10**7 + 10**4, 2 * 10**7):
            values.append(Enclosure.of(BALL.binomial_below(fmpq(trials), fmpq(1, 2), fmpq(4_996_890))))
    assert all(later.lo <= earlier.hi for earlier, later in pairwise(values))
    assert values[1].decimal(4)[0] == "0.02457"
    assert float(VECTOR.binomial_below(10**7 + 1, 0.5, 4_996_890)) == pytest.approx(0.02458, abs=1e-5)


def test_binomial_tail_is_certain_below_the_least() -> None:
    assert BALL.binomial_below(fmpq(3), fmpq(1, 2), fmpq(4)) == 1


def test_published_quantiles() -> None:
    with precision(128):
        assert Enclosure.of(BALL.gaussian_factor(fmpq(1), fmpq(1, 10**5))).decimal(9)[0] == "3.73063163"
        assert Enclosure.of(BALL.gamma_quantile(fmpq(55), fmpq(1, 20))).decimal(6) == ("67.7400", "67.7401")
        assert Enclosure.of(BALL.laplace_max_quantile(fmpq(256), fmpq(1, 20))).decimal(10)[0] == "8.515472874"


def test_a_quantile_at_certainty_is_zero() -> None:
    for method in ("laplace_max_quantile", "gamma_quantile", "normal_max_quantile"):
        assert getattr(BALL, method)(fmpq(5), fmpq(1)) == 0
        assert getattr(MULTIPRECISION, method)(5, mpmath.mpf(1)) == 0
        assert float(getattr(VECTOR, method)(5.0, 1.0)) == 0


@given(st.integers(10**9 + 1, 10**40), failures)
def test_large_shapes_use_a_proved_upper_bound(shape: int, failure: Fraction) -> None:
    check("gamma_quantile", shape, failure, floats=False)


def test_the_tail_bound_lies_above_the_quantile() -> None:
    from flint import arb

    from bounds.special import gamma_tail_bound

    for shape in (1, 2, 55, 1000, 10**6):
        for failure in (fmpq(1, 2), fmpq(1, 20), fmpq(1, 10**9)):
            with precision(128):
                assert gamma_tail_bound(arb(shape), -arb(failure).log()) > BALL.gamma_quantile(fmpq(shape), failure)


def test_rationals_stay_exact_as_long_as_possible() -> None:
    assert BALL.sqrt(fmpq(9, 16)) == fmpq(3, 4)
    assert BALL.log(fmpq(1)) == 0
    assert BALL.max(fmpq(1, 3), fmpq(1, 2)) == fmpq(1, 2)
    assert BALL.min(fmpq(1, 3), fmpq(1, 2)) == fmpq(1, 3)
    assert BALL.power(fmpq(2), fmpq(10)) == 1024
    assert BALL.ceil(fmpq(7, 2)) == 4


def test_all_arithmetics_offer_the_same_operations() -> None:
    def public(arithmetic: Any) -> set[str]:
        return {name for name in dir(arithmetic) if not name.startswith("_")}

    assert public(BALL) == public(MULTIPRECISION) == public(VECTOR) == public(SYMBOLIC)
    assert [a.certified for a in (BALL, MULTIPRECISION, VECTOR, SYMBOLIC)] == [True, False, False, False]
