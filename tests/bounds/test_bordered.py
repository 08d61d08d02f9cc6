"""A Gaussian matrix with a border: its radius holds, whatever the direction of the border, and is not idle."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bounds import clopper_pearson
from bounds.certify import bordered
from bounds.certify.bordered import bordered_radius
from bounds.certify.goe import goe_radius
from bounds.errors import ParameterError

FAILURE = Fraction(1, 5)
RUNS = 2000


def norms(order: int, border: float, key: int, runs: int = RUNS) -> Any:
    """Of W with a border along its first axis: W has no favourite direction, so that is every direction."""
    drawn = np.random.Generator(np.random.Philox(key)).normal(size=(runs, order, order))
    whole = np.zeros((runs, order + 1, order + 1))
    whole[:, :-1, :-1] = (drawn + drawn.transpose(0, 2, 1)) / 2
    whole[:, 0, -1] = whole[:, -1, 0] = border
    return np.linalg.norm(whole, ord=2, axis=(1, 2))


@pytest.mark.parametrize("ratio", ["0.3", "0.6", "1.5"])
@pytest.mark.parametrize("order", [1, 4, 24])
def test_the_radius_is_missed_no_more_often_than_it_says(order: int, ratio: str) -> None:
    border = Fraction(ratio) * goe_radius(order, FAILURE)
    radius = float(bordered_radius(order, border, FAILURE))
    found = norms(order, float(border), order)
    assert clopper_pearson.interval(int((found > radius).sum()), RUNS, 0.999)[0] <= float(FAILURE)
    assert np.quantile(found, 1 - float(FAILURE)) > 0.75 * radius


def test_it_lies_between_what_needs_no_proof() -> None:
    alone = goe_radius(60, FAILURE)
    before = alone
    for border in (Fraction(1), Fraction(4), Fraction(8), Fraction(20)):
        radius = bordered_radius(60, border, FAILURE)
        assert before < radius
        assert float(radius) <= float(alone) / 2 + (float(alone) ** 2 / 4 + float(border) ** 2) ** 0.5 * (1 + 1e-9)
        before = radius
    long = goe_radius(60, FAILURE)
    assert bordered_radius(60, long, FAILURE) < Fraction("0.95") * long * Fraction("1.618")  # the search has won here
    assert bordered_radius(60, Fraction(0), FAILURE) == alone


def test_balls_refuse_what_the_search_must_not_claim() -> None:
    order, border, block = 60, Fraction(8), goe_radius(60, FAILURE / 20)
    goal, touching = FAILURE * 19 / 40, -block / 10
    radius = bordered_radius(order, border, FAILURE)
    shift = (radius - block) / 2
    for wrong in (Fraction(0), radius - block, border**2 / radius):
        assert not bordered._is_proved(order, border, block, touching, goal, radius, wrong)
    assert not bordered._is_proved(order, border, block, touching, goal, block * Fraction("1.001"), shift / 100)
    proved = bordered._is_proved(order, border, block, touching, goal, radius * 2, shift)
    estimate = bordered._log_tail_est(
        order, float(border) ** 2, float(block), float(touching), float(radius * 2), float(shift)
    )
    assert proved == (estimate <= np.log(float(goal)))


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ParameterError, match="border = -1: must be at least 0"):
        bordered_radius(3, Fraction(-1), FAILURE)
