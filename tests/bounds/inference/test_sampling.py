"""Chernoff's ends against the binomial law, for the least number of records and for more."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import pytest
from scipy.stats import binom

from bounds.errors import UsageError
from bounds.inference.sampling import kl_interval


@pytest.mark.parametrize("n", [1, 20, 400])
@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 20), Fraction(1, 2), Fraction(1)])
def test_no_end_fails_more_often(n: int, share: Fraction) -> None:
    failure = Fraction(1, 40)
    lo, hi = kl_interval(least=share, most=share, n=n, failure=failure)
    assert 0 <= lo <= share <= hi <= 1
    if (share, n) == (Fraction(1, 2), 400):
        assert 0 < lo < share < hi < 1
    for m in (n, n + 1, 3 * n):
        # so large a share at lo, so small a one at hi
        assert binom.sf(ceil(m * share) - 1, m, float(lo)) <= float(failure) or lo == 0
        assert binom.sf(ceil(m * (1 - share)) - 1, m, float(1 - hi)) <= float(failure) or hi == 1


def test_it_is_not_much_longer_than_it_must_be() -> None:
    lo, hi = kl_interval(least=Fraction(3, 10), most=Fraction(3, 10), n=10_000, failure=Fraction(1, 40))
    assert float(hi - lo) == pytest.approx(2 * 2.7162 * (0.21 / 10_000) ** 0.5, rel=0.01)  # root(2 log 40)


def test_out_of_range() -> None:
    with pytest.raises(UsageError, match="failure"):
        kl_interval(least=Fraction(0), most=Fraction(1), n=5, failure=Fraction(0))
