"""The numbers behind the verdicts on Figure 1 of zhou2024."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verify.claims.zhou2024_figure1 import (
    PRINTED,
    error_at_four,
    error_of,
    error_of_witness_mpmath,
    least_error_certified,
    mean_error_given,
)
from verify.claims.zhou2024_figure1_iterated import error_of_degree_two_mpmath, iterate, iterate_weights_at_centre


def test_the_printed_polynomial_is_not_minimax_however_it_was_rounded() -> None:
    assert float(error_of(PRINTED).lo) == pytest.approx(0.0620861915, abs=1e-9)
    assert float(least_error_certified().hi) == pytest.approx(0.0202313079384, abs=1e-12)
    assert float(error_at_four(nearest=True)) == pytest.approx(0.04285, abs=1e-5)
    assert (
        error_at_four(nearest=False)
        > error_at_four(nearest=True)
        > error_of_witness_mpmath()
        > least_error_certified().hi
    )


def test_a_coefficient_of_the_minimax_polynomial_is_not_ruled_out() -> None:
    """The weights speak against the printed coefficient, not against the right one."""
    points = ("1.77", "4.0725", "5")
    right = mean_error_given(2, Fraction("0.103771"), points)
    assert max(abs(right.lo), abs(right.hi)) < least_error_certified().hi
    assert abs(mean_error_given(2, Fraction("0.1096"), points).lo) > Fraction(3, 100)


@pytest.mark.parametrize(
    ("iterations", "error"),
    [(1, 0.544567297857), (4, 0.100254521743), (9, 0.0572912475042), (16, 0.0287591465274), (17, 0.029959612242)],
)
def test_errors_of_iterated_polynomials(iterations: int, error: float) -> None:
    assert float(iterate(iterations).error.lo) == pytest.approx(error, abs=1e-11)


def test_weights_of_the_iterate_keep_constants() -> None:
    assert sum(iterate_weights_at_centre(9)) == 1


@pytest.mark.parametrize("iterations", [4, 9])
def test_closed_form_for_degree_two(iterations: int) -> None:
    lower, upper = error_of_degree_two_mpmath(iterations)
    assert lower <= iterate(iterations, 2).error.hi
    assert iterate(iterations, 2).error.lo <= upper
