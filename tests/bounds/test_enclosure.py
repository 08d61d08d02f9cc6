"""Enclosures round outward, comparisons admit ignorance, precision grows until a question is decided."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from bounds.enclosure import Enclosure, Truth, Undecided, at_most, decimal_text, precision, with_growing_precision
from bounds.errors import NotCertified

rationals = st.fractions(max_denominator=10**30)


@given(rationals, st.integers(1, 40))
def test_decimal_text_rounds_outward_and_is_close(value: Fraction, digits: int) -> None:
    low, high = Fraction(decimal_text(value, digits, up=False)), Fraction(decimal_text(value, digits, up=True))
    assert low <= value <= high
    assert high - low <= abs(value) * Fraction(10) ** (1 - digits)


@given(st.fractions(min_value=Fraction(1, 10**40), max_value=10**40, max_denominator=10**45), st.integers(20, 300))
def test_ball_ends_are_exact(value: Fraction, bits: int) -> None:
    with precision(bits):
        root = arb(fmpq(value.numerator, value.denominator)).sqrt()
        enclosure = Enclosure.of(root)
    assert enclosure.lo**2 <= value <= enclosure.hi**2


def test_comparison_has_three_outcomes() -> None:
    with precision(53):
        third = arb(1) / 3
        assert at_most(third, third) is Truth.UNKNOWN
        assert at_most(third, 1) is Truth.TRUE
        assert at_most(1, third) is Truth.FALSE
        assert at_most(fmpq(1, 3), fmpq(1, 3)) is Truth.TRUE
        assert at_most(arb.nan(), arb(1)) is Truth.UNKNOWN


def test_precision_grows_until_decided() -> None:
    target = fmpq(2 * 10**60 + 1, 10**60)

    def decide() -> bool:
        answer = at_most(arb(4).log().exp().sqrt(), target)  # sqrt(e^(log 4)) = 2
        if answer is Truth.UNKNOWN:
            raise Undecided
        return answer is Truth.TRUE

    value, bits = with_growing_precision(decide, start=64)
    assert value
    assert bits >= 200


def test_equal_sides_are_reported_not_guessed() -> None:
    def never() -> None:
        raise Undecided

    with pytest.raises(NotCertified, match="not decided"):
        with_growing_precision(never, highest=512)


def test_an_infinite_ball_is_not_an_enclosure() -> None:
    with pytest.raises(Undecided):
        Enclosure.of(arb.pos_inf())
