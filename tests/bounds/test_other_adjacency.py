"""Costs under the other adjacency: the stated factors are enough, smaller ones are not, and no converse exists."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.other_adjacency import EPSILON_FACTOR, SQUARE_FACTOR, under_adjacency
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement
from tests.speeds import examples

LAWS = st.lists(st.lists(st.integers(1, 60), min_size=4, max_size=4), min_size=3, max_size=3)
ORDERS = (1.01, 1.5, 2.0, 4.0, 12.0)


def divergence(p: np.ndarray, q: np.ndarray, order: float) -> float:
    return float(np.log(np.sum(p**order * q ** (1 - order))) / (order - 1))


def laws_of(weights: list[list[int]]) -> list[np.ndarray]:
    return [np.array(w) / sum(w) for w in weights]


@examples(300)
@given(LAWS)
def test_two_steps_cost_at_most_four_rho(weights: list[list[int]]) -> None:
    """The laws on a table, with one record more, and without another: rho of each step at the orders that count."""
    laws = laws_of(weights)
    steps = [(p, q) for a, b in pairwise(laws) for p, q in ((a, b), (b, a))]
    needed = [order for alpha in ORDERS for order in (2 * alpha - 1, 2 * alpha)]
    rho = max(divergence(p, q, order) / order for p, q in steps for order in needed)
    for p, q in ((laws[0], laws[-1]), (laws[-1], laws[0])):
        assert all(divergence(p, q, alpha) <= SQUARE_FACTOR * alpha * rho + 1e-12 for alpha in ORDERS)


@examples(300)
@given(LAWS)
def test_two_steps_cost_at_most_two_epsilon(weights: list[list[int]]) -> None:
    laws = [[Fraction(w, sum(law)) for w in law] for law in weights]
    loss = max(max(x / y, y / x) for a, b in pairwise(laws) for x, y in zip(a, b, strict=True))
    assert max(max(x / y, y / x) for x, y in zip(laws[0], laws[-1], strict=True)) <= loss**EPSILON_FACTOR


def test_no_smaller_factor_would_do() -> None:
    """Counts 0, 1 and 2 with Gaussian noise attain four; with geometric noise, on a far cell, two."""
    assert Fraction(2 - 0) ** 2 / (2 * 9) == SQUARE_FACTOR * Fraction(1, 2 * 9)
    assert Fraction(1, 2) ** (5 - 2) / Fraction(1, 2) ** 5 == Fraction(2) ** EPSILON_FACTOR


@pytest.mark.parametrize(
    ("cost", "found"),
    [
        (DP(epsilon="0.3", delta=0, adjacency="add-remove"), "0.6-differential privacy for replace-one"),
        (ZCDP(rho="0.3", adjacency="add-remove"), "1.2-zCDP for replace-one"),
        (
            GaussianDP(mu_squared="0.3", adjacency="add-remove"),
            "Gaussian differential privacy with mu^2 = 1.2 for replace-one",
        ),
        (ZCDP(rho="0.3", adjacency="replace-one"), "0.3-zCDP for replace-one"),
    ],
)
def test_the_factors(cost: Statement, found: str) -> None:
    assert under_adjacency(cost, Adjacency.REPLACE_ONE).text() == found


def test_what_is_refused() -> None:
    for cost in (DP(epsilon=1, delta=0, adjacency="replace-one"), ZCDP(rho=1, adjacency="replace-one")):
        with pytest.raises(UsageError, match="protects the number of records"):
            under_adjacency(cost, Adjacency.ADD_REMOVE)
    with pytest.raises(UsageError, match="with a delta"):
        under_adjacency(DP(epsilon=1, delta="1e-6", adjacency="add-remove"), Adjacency.REPLACE_ONE)
