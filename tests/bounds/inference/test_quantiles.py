"""Numbers that noise rarely exceeds: against scipy, sums of a lattice law, and mpmath."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from scipy import stats

from bounds.enclosure import as_fmpq
from bounds.errors import ParameterError
from bounds.inference.noise_laws import Gaussian, LaplaceSum, NoNoise
from bounds.inference.quantiles import noise_quantile, sub_gaussian_quantile

FAILURES = (Fraction(1, 4), Fraction(1, 40), Fraction(1, 10**6))


@pytest.mark.parametrize("failure", FAILURES)
def test_normal_quantiles_are_those_of_scipy(failure: Fraction) -> None:
    found = noise_quantile(Gaussian(Fraction(9, 4)), failure)
    assert float(found) == pytest.approx(1.5 * stats.norm.isf(float(failure)), rel=1e-9)
    assert float(Gaussian(Fraction(9, 4)).at_least(as_fmpq(found))) <= float(failure)


@pytest.mark.parametrize("failure", FAILURES)
def test_laplace_quantiles_are_exact_for_one_and_proved_for_sums(failure: Fraction) -> None:
    one = noise_quantile(LaplaceSum(Fraction(2), 1), failure)
    assert float(one) == pytest.approx(
        float(-2 * mpmath.log(2 * mpmath.mpf(failure.numerator) / failure.denominator)), rel=1e-8
    )
    law = LaplaceSum(Fraction(2), 3)
    several = noise_quantile(law, failure)
    assert float(law.at_least(as_fmpq(several))) <= float(failure)
    assert float(law.at_least(as_fmpq(several * (1 - Fraction(1, 10**6))))) > float(failure)


def test_no_noise_has_none() -> None:
    assert noise_quantile(NoNoise(), Fraction(1, 20)) == 0


@pytest.mark.parametrize("failure", FAILURES)
def test_sub_gaussian_quantiles(failure: Fraction) -> None:
    exact = mpmath.sqrt(2 * 3 * mpmath.log(2 * mpmath.mpf(failure.denominator) / failure.numerator))
    found = sub_gaussian_quantile(Fraction(3), failure)
    assert exact <= float(found) * (1 + 1e-15)
    assert float(found) == pytest.approx(float(exact), rel=1e-10)
    assert float(found) > float(noise_quantile(Gaussian(Fraction(3)), failure / 2))


@pytest.mark.parametrize("failure", [Fraction(0), Fraction(1), Fraction(-1, 2)])
def test_what_is_no_probability_is_refused(failure: Fraction) -> None:
    with pytest.raises(ParameterError, match="failure"):
        noise_quantile(Gaussian(Fraction(1)), failure)
    with pytest.raises(ParameterError, match="failure"):
        sub_gaussian_quantile(Fraction(1), failure)
