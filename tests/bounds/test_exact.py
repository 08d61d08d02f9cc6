"""Exact parsing: what was typed is what is computed with, and floats are refused with a way out."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import ParameterError
from bounds.exact import parse_integer, parse_rational, require_range, show_rational


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (".2", Fraction(1, 5)),
        ("0.009", Fraction(9, 1000)),
        ("1e-6", Fraction(1, 10**6)),
        ("+3.", Fraction(3)),
        ("-1.5E+2", Fraction(-150)),
        (" 1/1024 ", Fraction(1, 1024)),
        (7, Fraction(7)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(2, 3), Fraction(2, 3)),
    ],
)
def test_accepts_exact_numbers(text: object, value: Fraction) -> None:
    assert parse_rational(text, "x") == value


@pytest.mark.parametrize(
    "bad",
    ["", "abc", "nan", "-inf", "1e", "0x10", "1_000", "1,5", "1/0", "١", "--1", "1e99999", "9" * 2000, True, None, [1]],
)
def test_refuses_what_is_not_a_number(bad: object) -> None:
    with pytest.raises(ParameterError) as error:
        parse_rational(bad, "epsilon")
    assert str(error.value).startswith("epsilon = ")
    assert "\n" not in str(error.value)


def test_refuses_floats_and_names_the_way_out() -> None:
    with pytest.raises(ParameterError, match=r"write '0\.2' in quotes"):
        parse_rational(0.2, "epsilon")


@given(st.fractions())
def test_shown_text_is_exact_or_marked_as_shortened(value: Fraction) -> None:
    shown = show_rational(value)
    assert "..." in shown or Fraction(shown) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20))
def test_decimal_text_round_trips(value: Decimal) -> None:
    if abs(value.as_tuple().exponent) < 900:  # type: ignore[arg-type]
        assert parse_rational(str(value), "x") == Fraction(value)


def test_integers_are_whole() -> None:
    assert parse_integer("1e6", "n") == 10**6
    with pytest.raises(ParameterError, match="whole"):
        parse_integer("2.5", "n")


def test_range_message_names_every_end() -> None:
    with pytest.raises(ParameterError, match=r"gamma = 1: must be greater than 0 and less than 1 \(a probability\)"):
        require_range("gamma", Fraction(1), "1", above=0, below=1, reason="a probability")
