"""Exact parsing: what was typed is what is computed with; a float is its shortest decimal, unless it is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import ParameterError
from bounds.exact import parse_integer, parse_rational, require_range, show_rational, strict


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


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_shortest_decimal_that_reads_as_it(value: float) -> None:
    found = parse_rational(value, "x")
    assert found == Fraction(repr(value)) == parse_rational(np.float64(value), "x")
    assert float(found) == value


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_float_of_numpy_is_shortest_at_its_own_precision(value: float) -> None:
    found = parse_rational(np.float32(value), "x")
    assert np.float32(float(found)) == np.float32(value)
    assert len(str(found.numerator).rstrip("0")) <= 9


def test_numpy_scalars_are_what_they_show() -> None:
    fifth = (np.float16(0.2), np.float32(0.2), np.float64(0.2), np.linspace(0, 1, 6)[1], np.arange(5)[2] / 10)
    assert {parse_rational(value, "x") for value in fifth} == {Fraction(1, 5)}
    assert parse_integer(np.float32(2.0), "n") == parse_integer(np.int8(2), "n") == 2
    assert parse_rational(0.1 + 0.2, "x") == Fraction("0.30000000000000004")


@pytest.mark.parametrize("bad", [float("nan"), -np.inf, np.float32("nan"), np.bool_(True), 1j, np.ones(1)])
def test_floats_that_are_no_numbers_are_refused(bad: object) -> None:
    with pytest.raises(ParameterError, match=r"^epsilon = "):
        parse_rational(bad, "epsilon")


@pytest.mark.parametrize("value", [0.2, np.float32(0.2), np.float64(0.2)])
def test_strict_mode_refuses_floats_and_names_the_way_out(value: object) -> None:
    with strict():
        with pytest.raises(ParameterError, match=r"write '0\.2' in quotes"):
            parse_rational(value, "epsilon")
        with strict(on=False):
            assert parse_rational(value, "epsilon") == Fraction(1, 5)
        assert parse_rational("0.2", "epsilon") == parse_rational(np.int64(1), "n") / 5
        with pytest.raises(ParameterError):
            parse_rational(value, "epsilon")
    assert parse_rational(value, "epsilon") == Fraction(1, 5)


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
