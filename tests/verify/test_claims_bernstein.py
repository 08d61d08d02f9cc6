"""The numbers behind the verdicts on the Bernstein mechanism and Theorem IV.1 of bojkovic2024."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bounds.enclosure import Enclosure, precision
from verify.claims.bojkovic2024_bernstein import kernel_loss, loss_of_mean, value_sensitivity_exact
from verify.claims.bojkovic2024_kde_bandwidth import jiang_constant
from verify.claims.bojkovic2024_kde_steps import condition_constants
from verify.ledger import all_claims


@pytest.mark.parametrize(("p", "k", "loss"), [(1, 10, 1), (2, 1, 2), (2, 2, 3), (2, 10, 11), (3, 2, 9)])
def test_worst_privacy_loss_of_the_printed_scale(p: int, k: int, loss: int) -> None:
    assert loss_of_mean(p, k) == loss == (k + 1) ** (p - 1)


def test_privacy_loss_of_a_kernel_estimate() -> None:
    assert float(kernel_loss(10, Fraction(3, 10), (".8", ".8"), (".2", ".3")).lo) == pytest.approx(4.965859, abs=1e-6)
    assert float(kernel_loss(2, Fraction(1, 2), (".8", ".8"), ("0", "0")).lo) == pytest.approx(1.512874, abs=1e-6)
    assert kernel_loss(10, Fraction(3, 10), ("0",), (".6",)).hi < 1


def test_sensitivity_of_one_value() -> None:
    assert float(value_sensitivity_exact(2, Fraction(1, 2)).lo) == pytest.approx(3.926737, abs=1e-6)


@pytest.mark.parametrize(("p", "value"), [(1, 4.65094654), (2, 4.51351667), (3, 3.36174159)])
def test_constant_of_the_kernel_deviation(p: int, value: float) -> None:
    with precision(96):
        assert float(Enclosure.of(jiang_constant(p)).lo) == pytest.approx(value, abs=1e-8)


def test_constants_of_the_condition_number() -> None:
    assert condition_constants() == (Fraction(19, 8), Fraction(14, 3))


def test_a_test_on_the_integral_tells_two_records_apart() -> None:
    claim = next(c for c in all_claims() if c.id == "bojkovic2024.Alg3.scale")
    assert claim.again is not None
    assert "at most 2/27, so the odds are at least 25/2" in claim.again().text
