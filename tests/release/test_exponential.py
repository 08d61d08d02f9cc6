"""The exponential mechanism: its exact distribution on every prefix of the bits, its cost and how that is recorded."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import exp

import pytest

from bounds import clopper_pearson
from bounds.enclosure import as_fmpq, precision
from bounds.errors import BudgetError, NotCertified, ParameterError
from bounds.exact import root_at_most
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import exponential_zcdp
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import l2_sensitivity
from bounds.privacy.statements import ZCDP
from release.choose import ExponentialPlan, choose
from release.noise.exact import with_exact_noise
from release.noise.exponential import _key, _winners, draw_exponential, exponential
from release.noise.geometric import geometric
from release.noise.kinds import Noise
from release.noise.priced import discrete_gaussian
from release.noise.randomness import read_randomness
from release.noise.uniform import LazyUniform

REPLACE = Adjacency.REPLACE_ONE


def plan_of(count: int, *, rho: str = "1/2", moved: int = 1) -> ExponentialPlan:
    return ExponentialPlan(count=count, moved=moved, cost=ZCDP(rho=rho, adjacency="replace-one"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rate", "scores", "bits"),
    [
        (Fraction(1), (0, 1), 7),
        (Fraction(2, 3), (0, 2), 7),
        (Fraction(3, 2), (-1, 1, 0), 5),
        (Fraction(1, 2), (3, 0, 2), 5),
        (Fraction(1), (7,), 3),
    ],
)
def test_every_prefix_of_bits_goes_where_the_law_says(rate: Fraction, scores: tuple[int, ...], bits: int) -> None:
    """All prefixes: those that decide for a place have no more probability than it, and most decide."""
    decided: dict[int | None, int] = defaultdict(int)
    with precision(64):
        keys = [
            [_key(prefixed(prefix, bits), as_fmpq(rate * score), 8) for prefix in range(2**bits)] for score in scores
        ]
        balls = [
            [as_fmpq(rate * score) - prefixed(prefix, bits).minus_log().log() for prefix in range(2**bits)]
            for score in scores
        ]
    for prefix in product(range(2**bits), repeat=len(scores)):
        chosen = [balls[place][number] for place, number in enumerate(prefix)]
        first = [i for i, own in enumerate(chosen) if all(own > other for j, other in enumerate(chosen) if j != i)]
        won = _winners([keys[place][number] for place, number in enumerate(prefix)], 1)
        assert won is None or list(won) == first
        decided[first[0] if first else None] += 1
    cases = 2 ** (bits * len(scores))
    undecided = decided.pop(None, 0) / cases
    assert undecided < 0.3
    total = sum(exp(float(rate) * score) for score in scores)
    for place, score in enumerate(scores):
        true = exp(float(rate) * score) / total
        assert decided[place] / cases - 1e-12 <= true <= decided[place] / cases + undecided + 1e-12


def prefixed(prefix: int, bits: int) -> LazyUniform:
    uniform = LazyUniform(lambda more: prefix)
    uniform.extend(bits)
    return uniform


def test_places_come_in_the_order_of_draws_without_replacement() -> None:
    draws, scores, source = 6000, (0, -3, 2), random.Random(3).getrandbits
    drawn: dict[tuple[int, ...], int] = defaultdict(int)
    for _ in range(draws):
        drawn[draw_exponential(Fraction(2, 5), scores, source, count=2)] += 1
    weights = [exp(0.4 * score) for score in scores]
    for one, other in permutations(range(3), 2):
        true = weights[one] / sum(weights) * weights[other] / (sum(weights) - weights[one])
        low, high = clopper_pearson.interval(drawn[one, other], draws, 0.9999)
        assert low <= true <= high
    assert draw_exponential(Fraction(1), (5, 5, 5), source, count=3) != ()
    assert draw_exponential(Fraction(1, 7), (0, 10**40), source) == (1,)


def test_equal_first_bits_draw_on() -> None:
    asked: list[int] = []

    def draw(bits: int) -> int:
        asked.append(bits)
        return 3 * 2 ** (bits - 2) if len(asked) <= 2 else len(asked) % 2

    assert draw_exponential(Fraction(1), (1, 1), draw) == (0,)  # the larger rest is the first one's
    assert len(asked) > 2
    assert asked[::2] == asked[1::2]


@pytest.mark.parametrize("first", ["1" * 70, "0" * 80, "1" * 300, "0" * 300])
@pytest.mark.parametrize("scores", [(0, 5), (0, 0), (0, -(10**6)), (-60, 0), (0, 2**900)])
def test_numbers_next_to_an_end_and_far_scores_are_decided(first: str, scores: tuple[int, int]) -> None:
    source, asked = random.Random(5), 0

    def draw(bits: int) -> int:
        nonlocal asked
        asked += 1
        assert asked < 40, "no end"
        if asked > 1:
            return source.getrandbits(bits)
        rest = max(bits - len(first), 0)
        return (int(first, 2) >> max(len(first) - bits, 0)) << rest | source.getrandbits(rest)

    (won,) = draw_exponential(Fraction(1), scores, draw)
    sure = scores[1] >= 2**900 or (first[0] == "0" and scores[1] >= scores[0])
    assert won == 1 or not sure
    if first == "1" * 300 and scores[1] < 200:  # a key of about 208 wins over all but the largest scores
        assert won == 0


def test_the_tail_of_the_law_is_there() -> None:
    """With few spare bits the ends are frequent, and an option that is behind must win as often as the law says."""
    source, draws = random.Random(6).getrandbits, 20_000
    won = sum(_with_few_bits(source) for _ in range(draws))
    low, high = clopper_pearson.interval(won, draws, 0.9999)
    assert low <= 1 / (1 + exp(5)) <= high


def _with_few_bits(source: Callable[[int], int]) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("release.noise.exponential.SPARE_BITS", 4)
        return draw_exponential(Fraction(1), (0, 5), source) == (0,)


@pytest.mark.parametrize("ahead", [0, 50, 10**6])
def test_as_many_bits_are_drawn_whatever_the_scores_are(ahead: int) -> None:
    source, asked = random.Random(8), []

    def draw(bits: int) -> int:
        asked.append(bits)
        return source.getrandbits(bits)

    draw_exponential(Fraction(1), (ahead, 0, 0, -ahead), draw)
    assert asked == [asked[0]] * 4


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


@pytest.mark.parametrize(("rate", "count"), [(Fraction(-1), 1), (Fraction(1), 0), (Fraction(1), -1), (Fraction(1), 3)])
def test_what_is_no_choice_is_refused(rate: Fraction, count: int) -> None:
    with pytest.raises(ParameterError):
        exponential(rate, (0, 1), count=count)


@pytest.mark.parametrize(("rate", "count"), [(Fraction(0), 1), (Fraction(-1), 1), (Fraction(1), -1)])
def test_what_is_no_geometric_noise_is_refused(rate: Fraction, count: int) -> None:
    with pytest.raises(ParameterError):
        geometric(rate, count)
