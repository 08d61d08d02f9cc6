"""The price of pure privacy in mu^2, against mpmath and against the curve of randomised response."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from bounds.errors import ParameterError, UsageError
from bounds.privacy.pure import pure_epsilon, pure_gaussian
from bounds.privacy.statements import DP


def other_mu(epsilon: Fraction) -> mpmath.mpf:
    with mpmath.workdps(40):
        share = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon.numerator) / epsilon.denominator))
        return 2 * mpmath.sqrt(2) * mpmath.erfinv(2 * share - 1)


@pytest.mark.parametrize("epsilon", ["1/1000", "1/20", "1", "3", "12"])
def test_both_ways_agree_with_mpmath(epsilon: str) -> None:
    exact = Fraction(epsilon)
    found = pure_gaussian(DP(epsilon=epsilon, delta=0, adjacency="replace-one")).mu_squared
    true = other_mu(exact) ** 2
    assert 1 <= mpmath.mpf(found.numerator) / found.denominator / true < 1 + mpmath.mpf(10) ** -13
    assert exact <= pure_epsilon(found) < exact * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(2)])
def test_no_test_of_a_pure_mechanism_is_better_than_the_gaussian(epsilon: Fraction) -> None:
    mu, e = other_mu(epsilon), mpmath.exp(float(epsilon))
    for percent in range(1, 100):
        alpha = mpmath.mpf(percent) / 100
        pure = max(0, 1 - e * alpha, (1 - alpha) / e)
        gaussian = mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * alpha) - mu)
        assert gaussian <= pure + mpmath.mpf(10) ** -12
    at = 1 / (1 + e)  # randomised response: no smaller mu
    assert mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * at) - mu * 0.999) > at


def test_only_pure_privacy_is_converted() -> None:
    with pytest.raises(UsageError, match="only pure"):
        pure_gaussian(DP(epsilon=1, delta="1e-6", adjacency="replace-one"))
    with pytest.raises(ParameterError, match="mu_squared"):
        pure_epsilon(0)
