"""Central and noncentral chi-square laws against mpmath and scipy, and the noncentrality that a probability needs."""

from __future__ import annotations

import mpmath
import pytest
from scipy import stats

from mechanisms.infer.chi_square.chi2_law import critical_value, noncentrality_with, upper_tail


def noncentral_tail(value: float, degrees: int, noncentrality: float) -> float:
    """A Poisson mixture of central laws, added up outwards from its mode."""
    mpmath.mp.dps = 30
    half, x = mpmath.mpf(noncentrality) / 2, mpmath.mpf(value) / 2
    mode, total = int(half), mpmath.mpf(0)
    for step in (1, -1):
        j = mode if step > 0 else mode - 1
        while j >= 0:
            weight = mpmath.exp(j * mpmath.log(half) - half - mpmath.loggamma(j + 1))
            total += weight * mpmath.gammainc(mpmath.mpf(degrees) / 2 + j, x, regularized=True)
            if weight < mpmath.mpf(10) ** -18:
                break
            j += step
    return float(total)


@pytest.mark.parametrize("degrees", [1, 6, 15])
@pytest.mark.parametrize("noncentrality", [0.3, 7.0, 90.0])
def test_noncentral_tails_are_those_of_mpmath(degrees: int, noncentrality: float) -> None:
    mean = degrees + noncentrality
    for value in (0.3 * mean, mean, 2 * mean):
        found = upper_tail(value, degrees, noncentrality)
        assert found == pytest.approx(noncentral_tail(value, degrees, noncentrality), rel=1e-9)


@pytest.mark.parametrize("degrees", [1, 40, 2500])
@pytest.mark.parametrize("noncentrality", [1.1e4, 1e6])
def test_far_tails_are_near_those_of_scipy(degrees: int, noncentrality: float) -> None:
    for z in (-3, -1, 0, 1, 3):
        value = degrees + noncentrality + z * (2 * degrees + 4 * noncentrality) ** 0.5
        assert upper_tail(value, degrees, noncentrality) == pytest.approx(
            float(stats.ncx2.sf(value, degrees, noncentrality)), abs=1e-6
        )


def test_central_tails_and_critical_values() -> None:
    for degrees in (1, 4, 77):
        critical = critical_value(0.05, degrees)
        assert upper_tail(critical, degrees) == pytest.approx(0.05)
        assert mpmath.gammainc(degrees / 2, critical / 2, regularized=True) == pytest.approx(0.05)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("degrees", [1, 30, 2500])
@pytest.mark.parametrize("probability", [0.025, 0.8, 0.975])
def test_the_noncentrality_has_the_probability(degrees: int, probability: float) -> None:
    for value in (0.01, 3.0, 9.0 * degrees, 3e4, 1e7):
        found = noncentrality_with(probability, value, degrees)
        if found == 0:
            assert upper_tail(value, degrees) >= probability
        else:
            assert upper_tail(value, degrees, found) == pytest.approx(probability, abs=2e-5)
