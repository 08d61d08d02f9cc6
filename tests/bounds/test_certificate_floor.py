"""Floors under certificates: the share of releases against brute force over tests."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from bounds.certify.certificate_floor import share_above, squared_shift
from bounds.errors import ParameterError

BETA = Fraction(1, 20)


def least_share(ours: np.ndarray, others: np.ndarray, beta: float) -> float:
    """The least E g under the first law among all tests with E g = 1 - beta under the second, outcome by outcome."""
    order = np.argsort(ours / others, kind="stable")
    before = np.concatenate([[0.0], np.cumsum(others[order])[:-1]])
    taken = np.clip((1 - beta - before) / others[order], 0, 1)
    return float(taken @ ours[order])


@pytest.mark.parametrize("shift", ["0", "0.3", "1", "1.6448", "3"])
@pytest.mark.parametrize("beta", ["0.001", "0.05", "0.3"])
def test_no_test_of_the_release_does_better_and_one_does_as_well(shift: str, beta: str) -> None:
    share = share_above(squared_shift=Fraction(shift) ** 2, failure=Fraction(beta))
    assert share.hi - share.lo < Fraction(1, 10**15)
    for step, near in ((0.002, 1e-4), (1.5, 0.2)):  # nearly continuous, and rounded as releases are
        edges = np.arange(-9, 13, step)
        laws = [np.diff(norm.cdf(edges, loc=mean)) + 1e-300 for mean in (0.0, float(shift))]
        found = least_share(*laws, float(beta))
        assert float(share.lo) - 1e-12 <= found <= float(share.hi) + near


def test_the_least_share_is_not_the_one_by_total_variation_nor_with_a_two_sided_quantile() -> None:
    share = float(share_above(squared_shift=Fraction(1), failure=BETA).lo)
    assert share == pytest.approx(norm.cdf(norm.ppf(0.95) - 1), abs=1e-12)
    assert share > 0.95 - (2 * norm.cdf(0.5) - 1) + 0.1


def test_deviations_of_every_sum_count() -> None:
    found = squared_shift((10, -4, 7), (13, -4, 5), (Fraction(3), Fraction(1, 7), Fraction(4)))
    assert found == 1 + Fraction(1, 4)


def test_what_proves_nothing_is_refused() -> None:
    for failure in (Fraction(0), Fraction(1, 2)):
        with pytest.raises(ParameterError, match="failure"):
            share_above(squared_shift=Fraction(1), failure=failure)
