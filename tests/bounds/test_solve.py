"""The smallest integer, proved on both sides."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import NotApplicable, NotCertified
from bounds.solve import IntegerCertificate, enclose, smallest_integer_at_least, smallest_integer_where


@given(st.fractions(min_value=-5, max_value=10**12, max_denominator=10**9))
def test_rational_thresholds_are_decided_exactly(value: Fraction) -> None:
    certificate, enclosure = smallest_integer_at_least(lambda: fmpq(value.numerator, value.denominator))
    assert certificate.value == max(1, math.ceil(value))
    assert certificate.is_valid
    assert enclosure.is_exact


def test_the_ceiling_that_floats_get_wrong() -> None:
    assert math.ceil(9 / 0.009) == 1001  # the trap: the true quotient is 1000
    certificate, _ = smallest_integer_at_least(lambda: fmpq(9) / fmpq(9, 1000))
    assert certificate.value == 1000


@given(st.integers(2, 10**6), st.integers(1, 60))
def test_thresholds_a_hair_above_an_integer(whole: int, digits: int) -> None:
    certificate, _ = smallest_integer_at_least(lambda: arb(whole).log().exp() + arb(10) ** (-digits))
    assert certificate.value == whole + 1
    assert certificate.is_valid


def test_an_irrational_formula_for_an_integer_is_not_guessed() -> None:
    with pytest.raises(NotCertified):
        smallest_integer_at_least(lambda: arb(7).log().exp())


@given(st.integers(1, 10**7), st.integers(1, 10**7))
def test_search_finds_the_step_from_any_start(step: int, start: int) -> None:
    certificate = smallest_integer_where(lambda v: fmpq(v - step), start=start)
    assert certificate.value == step
    assert certificate.is_valid


def test_search_gives_up_when_nothing_suffices() -> None:
    with pytest.raises(NotApplicable, match="no finite size"):
        smallest_integer_where(lambda v: fmpq(-1, v))


def test_a_forged_certificate_is_invalid() -> None:
    good, _ = smallest_integer_at_least(lambda: fmpq(7, 2))
    assert good.value == 4
    forged = IntegerCertificate(5, good.margin_at_value, good.margin_at_value, 0)
    assert not forged.is_valid


def test_enclose_reaches_the_asked_precision() -> None:
    found = enclose(lambda: arb(2).sqrt(), relative_bits=200)
    assert found.lo**2 <= 2 <= found.hi**2
    assert found.hi - found.lo < Fraction(1, 2**198)
