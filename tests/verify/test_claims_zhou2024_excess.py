"""Numbers behind the regraded verdicts on the upper bounds of zhou2024, each found in another way than in its check."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from verify.claims.zhou2024_captions import NAMED, THREE_CLASSIFIERS, number_before, stand
from verify.claims.zhou2024_excess_theorems import largest_ratios, series_error, series_sum
from verify.claims.zhou2024_risk_chain import CHAINS, steps_of
from verify.claims.zhou2024_risk_steps import of_loss
from verify.claims.zhou2024_theorem41 import slope
from verify.claims.zhou2024_upper_steps import log_ratio
from verify.quotes import text_of


@pytest.mark.parametrize("a", [-1.0, -0.3, 0.0, 0.7])
@pytest.mark.parametrize("j", [2, 3, 8, 15])
def test_chebyshev_coefficients_of_a_corner(a: float, j: int) -> None:
    t = (np.arange(200_000) + 0.5) * np.pi / 200_000
    coefficient = 2 * np.mean(np.abs(np.cos(t) - a) * np.cos(j * t))
    assert abs(coefficient) <= 4 / (np.pi * (j * j - 1)) + 1e-8


@pytest.mark.parametrize("degree", [2, 4, 8])
@pytest.mark.parametrize("radius", [1.0, 10.0, 100.0])
def test_series_of_the_logistic_loss(degree: int, radius: float) -> None:
    """Error and coefficients of the interpolation at many nodes, which is the series to within its tail."""
    series = np.polynomial.chebyshev.chebinterpolate(lambda z: np.logaddexp(0, -radius * z), 2000)
    z = np.linspace(-1, 1, 4001)
    cut = np.polynomial.chebyshev.Chebyshev(series[: degree + 1])
    assert np.max(np.abs(cut(z) - np.logaddexp(0, -radius * z))) <= radius * float(series_error(degree))
    powers = np.polynomial.chebyshev.cheb2poly(series[: degree + 1])
    assert np.sum(np.abs(powers[1:])) <= radius * float(series_sum(degree))


def test_ratios_to_the_printed_terms() -> None:
    first, second = largest_ratios(2)
    assert float(first) == pytest.approx(5.028, abs=1e-3)
    assert float(second) == pytest.approx(1 + 4 / np.pi, abs=1e-6)


def test_chains_are_read_step_by_step() -> None:
    assert steps_of(CHAINS[0]) == Counter(P=4, M=2, up=3)
    assert steps_of(CHAINS[1]) == Counter(P=2, M=2, down=3)
    assert steps_of("L ws r, L ws s") == Counter(none=1)  # no bound leads from one table to the other with the loss
    assert steps_of("L wr s, L ws r") == Counter(none=1)


def test_coefficients_on_the_interval_of_small_radii() -> None:
    assert sum(map(abs, of_loss(abs, 2, Fraction(1)))) == 1 > Fraction(1, 10) * 3**2


def test_the_loss_is_steeper_than_two() -> None:
    assert slope(Fraction(1, 64), Fraction(-1), Fraction(-1) + Fraction(1, 10**6)) < -2


def test_the_factor_of_the_last_lines_outgrows_a_fourth_root() -> None:
    """At c' = 1/5 it is more than n^(1/12)."""
    assert all(float(log_ratio(Fraction(1, 5), x).mid()) > x / 12 for x in (10, 100, 1000, 10**6))


def test_readings_are_of_the_paper() -> None:
    if text_of("zhou2024") is None:
        pytest.skip("not run: the text of zhou2024 is not here")
    assert stand(NAMED, THREE_CLASSIFIERS)
    assert not stand(THREE_CLASSIFIERS.replace("three", "four"))
    assert number_before("target labels", THREE_CLASSIFIERS) == 2
