"""Private choices: the exact distribution of the noise and of the winner, their privacy, and the recorded cost."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from math import exp, log
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from bounds import clopper_pearson
from bounds.enclosure import precision
from bounds.errors import BudgetError, ParameterError
from bounds.privacy.ledger import Ledger
from bounds.privacy.pure import pure_gaussian
from bounds.privacy.statements import DP, GaussianDP
from release.choose import ChoicePlan, choose
from release.noise.geometric import draw_geometric, whole_part
from release.noise.randomness import read_randomness
from release.noise.uniform import LazyUniform


def plan_of(count: int, *, moved: int = 1, epsilon: str = "1", same_way: bool = False) -> ChoicePlan:
    cost = pure_gaussian(DP(epsilon=epsilon, delta=0, adjacency="replace-one"))
    return ChoicePlan(count=count, moved=moved, same_way=same_way, cost=cost)


def law(qualities: tuple[int, ...], rate: float, most: int = 120) -> list[float]:
    """P(each is named): place i at height x, those before it below x, those after it at most at x."""

    def at_most(q: int, x: int) -> float:
        return 1 - exp(-rate * (x - q + 1)) if x >= q else 0.0

    found = []
    for i, own in enumerate(qualities):
        total = 0.0
        for k in range(most):
            chance, x = exp(-rate * k) * (1 - exp(-rate)), own + k
            for j, q in enumerate(qualities):
                chance *= 1 if j == i else at_most(q, x - 1 if j < i else x)
            total += chance
        found.append(total)
    return found


def test_geometric_noise_has_its_law() -> None:
    rate, draws, bits = Fraction(3, 7), 4000, random.Random(4).getrandbits
    drawn = [draw_geometric(rate, bits) for _ in range(draws)]
    for k in range(8):
        low, high = clopper_pearson.interval(sum(x >= k for x in drawn), draws, 0.9999)
        assert low <= exp(-k * 3 / 7) <= high


@pytest.mark.parametrize("scale", [fmpq(1, 3), fmpq(7, 3), fmpq(10)])
def test_every_prefix_of_geometric_noise_goes_where_the_law_says(scale: fmpq) -> None:
    """All prefixes of 12 bits: one that decides for k lies between exp(-(k + 1)/scale) and exp(-k/scale) as a whole."""
    bits, undecided = 12, 0
    with precision(64):
        for prefix in range(2**bits):
            uniform = LazyUniform(lambda more, prefix=prefix: prefix)  # type: ignore[misc]
            uniform.extend(bits)
            k = whole_part(uniform, scale, 3)
            if k is None:
                undecided += 1
                continue
            assert (-(k + 1) / arb(scale)).exp() <= fmpq(prefix, 2**bits)
            assert k == 0 or fmpq(prefix + 1, 2**bits) <= (-k / arb(scale)).exp()
    assert 1 <= undecided <= 2**bits // 40


def test_geometric_noise_draws_on_where_bits_do_not_decide() -> None:
    """The rate is just below log 2, and the first bits of u are those of 1/2."""
    asked: list[int] = []

    def draw(bits: int) -> int:
        asked.append(bits)
        return 2 ** (bits - 1) if len(asked) == 1 else int("1" * bits, 2)

    with precision(300):
        rate = Fraction(int((arb.const_log2() * 2**90).floor().unique_fmpz()), 2**90)  # type: ignore[arg-type]
    assert draw_geometric(rate, draw) == 0
    assert len(asked) > 1


def test_the_winner_has_its_law() -> None:
    plan, qualities, draws = plan_of(3), (0, -1, 2), 4000
    assert float(plan.rate) == pytest.approx(0.5, rel=1e-12)
    ledger = Ledger.of(plan.cost)
    randomness = read_randomness("simulate", stream=np.random.default_rng(8))
    named = [choose(qualities, plan, ledger, what="choice", randomness=randomness)[0] for _ in range(draws)]
    true = law(qualities, 0.5)
    assert sum(true) == pytest.approx(1)
    for i, chance in enumerate(true):
        low, high = clopper_pearson.interval(named.count(i), draws, 0.9999)
        assert low <= chance <= high


@pytest.mark.parametrize("same_way", [False, True])
def test_neighbours_are_hard_to_tell_apart(same_way: bool) -> None:
    """All moves of three qualities by at most one, or all of them upwards by at most one: ratios within e^epsilon."""
    epsilon, largest = 1.0, 0.0
    rate = epsilon if same_way else epsilon / 2
    for qualities in itertools.product(range(3), repeat=3):
        before = law(qualities, rate)
        for moves in itertools.product((0, 1) if same_way else (-1, 0, 1), repeat=3):
            after = law(tuple(q + m for q, m in zip(qualities, moves, strict=True)), rate)
            largest = max(largest, *(abs(log(a / b)) for a, b in zip(before, after, strict=True)))
    assert largest <= epsilon + 1e-9
    assert largest >= 0.55 * epsilon


def test_the_winner_is_nearly_the_best() -> None:
    plan, draws, beta = plan_of(5), 2000, 0.2
    qualities = (0, 3, 7, 9, 10)
    ledger = Ledger.of(plan.cost)
    randomness = read_randomness("simulate", stream=np.random.default_rng(9))
    reach = log(5 / beta) / float(plan.rate)
    far = sum(
        10 - qualities[choose(qualities, plan, ledger, what="choice", randomness=randomness)[0]] >= reach
        for _ in range(draws)
    )
    assert clopper_pearson.interval(far, draws, 0.999)[0] <= beta


def test_it_is_booked_before_the_noise_and_once() -> None:
    plan = plan_of(2)
    ledger = Ledger.of(GaussianDP(mu_squared=plan.cost.mu_squared * 3 / 2, adjacency="replace-one"))
    booked: list[Ledger] = []
    said: dict[str, Any] = {"what": "choice", "randomness": read_randomness("release"), "book": booked.append}
    winner, paid = choose((0, 10**6), plan, ledger, **said)
    assert (winner, booked) == (1, [paid])
    assert paid.left == ledger.total - plan.cost.mu_squared
    with pytest.raises(BudgetError):
        choose((0, 1), plan, paid, **said)
    assert len(booked) == 1
    with pytest.raises(ParameterError, match="qualities"):
        choose((0,), plan, ledger, **said)
    with pytest.raises(ParameterError, match="count"):
        plan_of(2, moved=0)
