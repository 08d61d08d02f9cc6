"""Floors under certificates: the share of releases against brute force over tests, and the excess against numpy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from bounds.certify.floor import Records, excess_on, share_above, squared_shift
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


records = st.lists(
    st.tuples(st.lists(st.integers(-16, 16), min_size=3, max_size=3), st.integers(1, 40)), min_size=1, max_size=8
)
models = st.lists(st.decimals(-2, 2, places=5), min_size=3, max_size=3)


@settings(max_examples=60)
@given(records, models, models, st.sampled_from(["logistic", "hinge", "squared"]))
def test_the_excess_is_a_difference_of_two_means(table: list, model: list, better: list, loss: str) -> None:  # type: ignore[type-arg]
    signed, counts = zip(*table, strict=True)
    w, v = (tuple(Fraction(c) for c in vector) for vector in (model, better))
    found = excess_on(Records(signed=signed, counts=counts, one=16), w, v, tau=Fraction(99), squared_norm=3, loss=loss)
    margins = np.array(signed) / 16 @ np.array([w, v], dtype=float).T
    losses = {
        "logistic": np.logaddexp(0, -margins),
        "hinge": np.maximum(0, 1 - margins),
        "squared": (1 - margins) ** 2 / 2,
    }[loss]
    expected = np.average(losses[:, 0] - losses[:, 1], weights=counts)
    assert float(found.lo) - 1e-12 <= expected <= float(found.hi) + 1e-12
    assert found.hi - found.lo < Fraction(1, 10**20)


def test_what_proves_nothing_is_refused() -> None:
    table = Records(signed=((1, 1),), counts=(3,), one=1)
    w, at, beyond = ((Fraction(x), Fraction(0)) for x in ("1", "2", "2.00001"))
    # the norm counts features in the unit ball: 2 on features of squared norm 2 is sqrt 8
    assert excess_on(table, w, at, tau=Fraction("2.82843"), squared_norm=2).lo > 0
    with pytest.raises(ParameterError, match="better"):
        excess_on(table, w, beyond, tau=Fraction("2.82843"), squared_norm=2)
    with pytest.raises(ParameterError, match="counts"):
        Records(signed=((1, 1),), counts=(3, 1), one=1)
    with pytest.raises(ParameterError, match="counts"):
        Records(signed=((1, 1), (1, 0)), counts=(3, 0), one=1)
    for failure in (Fraction(0), Fraction(1, 2)):
        with pytest.raises(ParameterError, match="failure"):
            share_above(squared_shift=Fraction(1), failure=failure)
