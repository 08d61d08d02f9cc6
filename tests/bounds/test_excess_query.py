"""Certified ends from noisy sums of losses: coverage by simulation, limits, and plans that expect them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta as beta_law

from bounds.certify.excess_query import ExcessPlan, NoisySum, Size, constant_lo, excess_hi, floor_lo, one_sided, risk_hi
from bounds.errors import NotApplicable, ParameterError

UNIT = Fraction(1, 2**10)
N = 500
EXACT, HIDDEN = Size(stated=N, is_exact=True), Size(stated=N, is_exact=False)


def noisy(answer: int, deviation: int = 3000, gap: int = 0, error: Fraction = Fraction(0)) -> NoisySum:
    return NoisySum(answer=answer, unit=UNIT, deviation=Fraction(deviation), gap=gap, error=error)


def misses_are_compatible(missed: int, of: int, stated: float) -> None:
    """Clopper and Pearson's lower end at 99.9 % is not above what is stated."""
    assert (float(beta_law.ppf(0.001, missed, of - missed + 1)) if missed else 0.0) <= stated


def test_ends_fail_as_seldom_as_is_said_and_nearly_as_often() -> None:
    """The true floor is where the answer is farthest from it: a whole gap below, and every record off by its error."""
    generator, runs, failure = np.random.default_rng(2), 4000, Fraction(1, 20)
    own, least, gap, error = 900_000, 700_000, 400, Fraction(1, 50)
    true_own, true_floor = own * UNIT + N * error, (least - gap) * UNIT
    missed = dict.fromkeys(("excess", "risk", "floor"), 0)
    for first, second in np.rint(generator.normal(0, 3000, (runs, 2))).astype(int).tolist():
        a, b = noisy(own + first, error=error), noisy(least + second, gap=gap)
        missed["excess"] += excess_hi(a, b, size=EXACT, failure=failure) < (true_own - true_floor) / N
        missed["risk"] += risk_hi(a, size=EXACT, failure=failure) < true_own / N
        floor = floor_lo(b, size=EXACT, failure=failure)
        assert floor is not None
        missed["floor"] += floor > true_floor / N
    for count in missed.values():
        misses_are_compatible(count, runs, 0.05)
        assert count >= 0.035 * runs, "the bound is wider than it has to be"


def test_a_certificate_without_its_gap_fails_more_often() -> None:
    generator, runs, missed = np.random.default_rng(2), 500, 0
    for first, second in np.rint(generator.normal(0, 300, (runs, 2))).astype(int).tolist():
        a, b = noisy(900_000 + first, 300), noisy(700_000 + second, 300)
        missed += excess_hi(a, b, size=EXACT, failure=Fraction(1, 20)) < Fraction(200_400, N) * UNIT
    with pytest.raises(AssertionError):
        misses_are_compatible(missed, runs, 0.05)


def test_a_hidden_size_makes_no_bound_smaller() -> None:
    """n is at least the stated size: a positive sum is over the stated one, a negative one counts as nothing."""
    failure = Fraction(1, 20)
    better, worse = noisy(100_000), noisy(900_000)
    assert excess_hi(worse, better, size=EXACT, failure=failure) == excess_hi(
        worse, better, size=HIDDEN, failure=failure
    )
    assert excess_hi(better, worse, size=EXACT, failure=failure) < 0
    assert excess_hi(better, worse, size=HIDDEN, failure=failure) == 0
    assert floor_lo(better, size=HIDDEN, failure=failure) is None
    assert floor_lo(noisy(1), size=EXACT, failure=failure) == 0, "no loss is negative"
    with pytest.raises(NotApplicable, match="n is not public"):
        excess_hi(better, worse, size=HIDDEN, failure=failure, penalty=Fraction(1))


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared"])
def test_constants_lose_at_least_what_is_said(loss: str) -> None:
    generator, positive = np.random.default_rng(4), 150
    values = {
        "logistic": lambda m: np.logaddexp(0, -m),
        "hinge": lambda m: np.maximum(0, 1 - m),
        "squared": lambda m: (1 - m) ** 2 / 2,
    }[loss]
    scores = np.linspace(-3, 3, 6001)
    least = (positive * values(scores) + (N - positive) * values(-scores)).min() / N
    missed, largest = 0, 0.0
    for first, second in np.rint(generator.normal(0, 6, (1000, 2))).astype(int).tolist():
        counts = [
            NoisySum(answer=answer, unit=Fraction(1), deviation=Fraction(6))
            for answer in (positive + first, N - positive + second)
        ]
        found = constant_lo(loss, *counts, size=EXACT, failure=Fraction(1, 20))
        assert found is not None
        missed, largest = missed + (float(found) > least + 1e-6), max(largest, float(found))
    misses_are_compatible(missed, 1000, 0.05)
    assert largest > 0.95 * least


def test_a_plan_expects_what_answers_without_noise_prove() -> None:
    """Budget that is divided as 9 to 16 gives deviations of 15/mu and 20/mu, and 25/mu of the difference."""
    mu, gap, error, failure = Fraction(1, 4), 7, Fraction(1, 10**9), Fraction(9, 200)
    own = NoisySum(answer=300, unit=UNIT, deviation=15 / mu / UNIT, error=error)
    least = NoisySum(answer=200, unit=UNIT, deviation=20 / mu / UNIT, gap=gap)
    plan = ExcessPlan(
        own_moved=Fraction(9),
        least_moved=Fraction(16),
        slack=(gap + 1) * UNIT,
        error=error,
        failure=failure,
    )
    expected = plan.expected(100 * UNIT / N, n=N, mu_squared=mu**2)
    assert float(expected) == pytest.approx(float(excess_hi(own, least, size=EXACT, failure=failure)), rel=1e-12)


def test_quantiles_are_one_sided() -> None:
    assert float(one_sided(Fraction(1, 20))) == pytest.approx(1.6448536, abs=1e-6)
    with pytest.raises(ParameterError, match="failure"):
        one_sided(Fraction(1, 2))
