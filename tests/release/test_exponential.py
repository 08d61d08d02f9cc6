"""The exponential mechanism: its exact law on every path of the sampler, what it costs, how it is booked."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from bounds import clopper_pearson
from bounds.errors import BudgetError, NotCertified, ParameterError
from bounds.exact import root_at_most
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import exponential_zcdp
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import l2_sensitivity
from bounds.privacy.statements import ZCDP
from release.choose import ExponentialPlan, choose
from release.noise.exact import with_exact_noise
from release.noise.exponential import attempt, draw_exponential
from release.noise.kinds import Noise
from release.noise.priced import discrete_gaussian
from release.noise.randomness import read_randomness
from verify.audit.paths import law_of

REPLACE = Adjacency.REPLACE_ONE


def plan_of(count: int, *, rho: str = "1/2", moved: int = 1) -> ExponentialPlan:
    return ExponentialPlan(count=count, moved=moved, cost=ZCDP(rho=rho, adjacency="replace-one"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rate", "scores"),
    [
        (Fraction(1), (0, 1, 1)),
        (Fraction(1, 2), (3, 0, 2, 3)),
        (Fraction(2, 3), (0, 2)),
        (Fraction(3, 2), (-1, 1, 0)),
        (Fraction(1), (7,)),
    ],
)
def test_every_path_of_the_sampler_together_has_the_law(rate: Fraction, scores: tuple[int, ...]) -> None:
    """All paths of one try, with their exact probabilities; what is cut off is less than 10^-8."""
    found, left = law_of(lambda below: attempt(rate, scores, max(scores), below), smallest=Fraction(1, 10**12))
    assert left < Fraction(1, 10**8)
    for place, score in enumerate(scores):
        true = exp(float(rate) * (score - max(scores))) / len(scores)
        assert float(found[place]) <= true * (1 + 1e-12) <= float(found[place] + left) * (1 + 2e-12)


def test_a_draw_repeats_the_try_until_it_is_taken() -> None:
    stream, draws, scores = np.random.default_rng(3), 4000, (0, -3, 2)
    drawn: dict[int, int] = defaultdict(int)
    for _ in range(draws):
        drawn[draw_exponential(Fraction(2, 5), scores, lambda below: int(stream.integers(below)))] += 1
    total = sum(exp(0.4 * score) for score in scores)
    for place, score in enumerate(scores):
        low, high = clopper_pearson.interval(drawn[place], draws, 0.9999)
        assert low <= exp(0.4 * score) / total <= high


def test_a_simulated_choice_has_the_law_and_is_the_same_for_the_same_step() -> None:
    plan, ledger, scores = plan_of(3), Ledger.of(ZCDP(rho=1, adjacency="replace-one")), (0, 1, 3)  # type: ignore[arg-type]
    assert plan.rate == 1
    base, draws = read_randomness("simulate", seed=4), 3000
    named = [choose(scores, plan, ledger, what="c", randomness=base.at_step(i))[0] for i in range(draws)]
    assert named[:50] == [choose(scores, plan, ledger, what="c", randomness=base.at_step(i))[0] for i in range(50)]
    total = sum(map(exp, scores))
    for place, score in enumerate(scores):
        low, high = clopper_pearson.interval(named.count(place), draws, 0.9999)
        assert low <= exp(score) / total <= high


@pytest.mark.parametrize("rho", ["1/2", "0.0142703", "1/7", "12345", "1e-9"])
def test_epsilon_is_rounded_down_and_the_charge_covers_it(rho: str) -> None:
    plan = plan_of(2, rho=rho, moved=6)
    assert plan.epsilon**2 <= 8 * Fraction(rho) < (plan.epsilon * (1 + Fraction(1, 10**13))) ** 2
    assert exponential_zcdp(epsilon=plan.epsilon, adjacency=REPLACE).rho.hi <= Fraction(rho)
    assert plan.rate == plan.epsilon / 12
    assert root_at_most(Fraction(4)) == 2


def test_a_release_is_paid_before_it_is_drawn() -> None:
    plan, ledger = plan_of(2), Ledger.of(ZCDP(rho="3/4", adjacency="replace-one"))  # type: ignore[arg-type]
    winner, paid = choose((0, 10**6), plan, ledger, what="choice", randomness=read_randomness("release"))
    assert (winner, paid.left) == (1, Fraction(1, 4))
    with pytest.raises(BudgetError):
        choose((0, 1), plan, paid, what="choice", randomness=read_randomness("release"))
    for scores in ((0.0, 1.0), (0, 0.5)):
        with pytest.raises(ParameterError, match="whole numbers"):
            choose(scores, plan, ledger, what="choice", randomness=read_randomness("release"))  # type: ignore[arg-type]


# --- discrete Gaussian noise paid in rho -------------------------------------------------------------------------


def noise(rho: Fraction, squared: int = 2, count: int = 3) -> Noise:
    moved = l2_sensitivity(squared=squared, adjacency="replace-one", n_is_public=True)
    return discrete_gaussian(count, sensitivity=moved, rho=rho, mode="release")


@pytest.mark.parametrize("squared", [1, 10])
@pytest.mark.parametrize("rho", [Fraction(1, 70), Fraction(3), Fraction(1, 10**6)])
def test_discrete_gaussian_noise_costs_no_more_than_its_rho(rho: Fraction, squared: int) -> None:
    found = noise(rho, squared)
    assert isinstance(found.scales, Fraction)
    assert Fraction(float(found.scales)) == found.scales
    assert rho * (1 - Fraction(1, 10**12)) < squared / (2 * found.scales**2) <= rho
    assert len(with_exact_noise(found, [1, 2, 3])) == 3  # the sampler states no more either


def test_noise_that_costs_more_than_was_charged_is_not_drawn() -> None:
    with pytest.raises(NotCertified, match="the sampler states rho"):
        with_exact_noise(replace(noise(Fraction(1)), cost=ZCDP(rho="0.99", adjacency="replace-one")), [1, 2, 3])  # type: ignore[arg-type]
