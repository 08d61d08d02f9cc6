"""A Gaussian matrix with a border: its radius is valid for every direction of the border, and not too large."""

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


def test_balls_and_floats_agree_on_what_is_proved() -> None:
    """On both sides of the boundary, so that a wrong constant in either shows."""
    order, border, block = 60, Fraction(8), goe_radius(60, FAILURE / 20)
    goal, touching = FAILURE * 19 / 40, -block / 10
    radius = bordered_radius(order, border, FAILURE)
    seen = set()
    for percent in (96, 98, 99, 100, 101, 103, 110, 130):
        r = radius * percent / 100
        most = min(r - block, border**2 / r)
        for part in (1, 3, 5, 7, 9):
            shift = most * part / 10
            found = bordered._is_proved(order, border, block, touching, goal, r, shift)
            numbers = (float(x) for x in (border**2, block, touching, r, shift))
            estimate = bordered._log_tail_est(order, *numbers)
            assert found == (estimate <= np.log(float(goal)))
            seen.add(found)
    assert seen == {True, False}


@pytest.mark.parametrize("order", [2, 7])
def test_the_mean_over_the_matrix_is_the_one_of_the_proof(order: int) -> None:
    """The estimate less its first term is log E exp(m a0 + a1 tr W + a2 tr W^2); here it is simulated."""
    square, c, at, r, shift = 30.0, 6.0, -0.6, 9.0, 1.5
    far, near, width = r - at, r - shift - at, c - at
    value, slope = np.log(far / near) / 2, (1 / near - 1 / far) / 2
    a2 = (np.log((far - width) / (near - width)) / 2 - value - slope * width) / width**2
    drawn = np.random.Generator(np.random.Philox(order)).normal(size=(200_000, order, order))
    eigenvalues = np.linalg.eigvalsh((drawn + drawn.transpose(0, 2, 1)) / 2)
    parabola = value + slope * (eigenvalues - at) + a2 * (eigenvalues - at) ** 2
    simulated = np.log(np.exp(parabola.sum(axis=1)).mean())
    wanted = bordered._log_tail_est(order, square, c, at, r, shift) - order * np.log1p(-shift * r / square) / 2
    assert abs(simulated - wanted) < 0.01
    inside = eigenvalues[eigenvalues <= c]
    exact = np.log((r - inside) / (r - shift - inside)) / 2
    assert (exact <= value + slope * (inside - at) + a2 * (inside - at) ** 2 + 1e-12).all()


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ParameterError, match="border = -1: must be at least 0"):
        bordered_radius(3, Fraction(-1), FAILURE)
