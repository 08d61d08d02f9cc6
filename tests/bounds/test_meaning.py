"""What a statement means for one person, against a linear programme, exact decompositions and integrals."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import linprog

from bounds.enclosure import Enclosure
from bounds.errors import ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.meaning import MOST_EPSILON, SUSPICIONS, grown_suspicion, meaning, wrong_guess
from bounds.privacy.statements import DP, ZCDP, GaussianDP
from tests.bounds.gaussian_tails import gaussian_tail

REPLACE = Adjacency.REPLACE_ONE
epsilons = st.fractions(0, 12, max_denominator=50)
deltas = st.sampled_from([Fraction(0), Fraction(1, 10**6), Fraction(1, 20), Fraction(1, 2)])
priors = st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100)


def private(epsilon: Fraction | int, delta: Fraction | int = 0, adjacency: Adjacency = REPLACE) -> DP:
    return DP(epsilon=Enclosure.of(Fraction(epsilon)), delta=Enclosure.of(Fraction(delta)), adjacency=adjacency)


def least_error(epsilon: float, delta: float, prior: float, outputs: int = 3) -> float:
    """The least error of all guesses over all private pairs of laws with so many outputs: a programme for each guess.

    Variables: both laws, and by how much each is above e^epsilon times the other, which sums to at most delta.
    """
    grow, k = math.exp(epsilon), outputs
    identity, zero, ones = np.eye(k), np.zeros((k, k)), np.ones(k)
    nothing = np.zeros(k)
    above = np.vstack(
        [
            np.hstack([identity, -grow * identity, -identity, zero]),
            np.hstack([-grow * identity, identity, zero, -identity]),
            np.hstack([nothing, nothing, ones, nothing]),
            np.hstack([nothing, nothing, nothing, ones]),
        ]
    )
    equal = np.vstack([np.hstack([ones, nothing, nothing, nothing]), np.hstack([nothing, ones, nothing, nothing])])
    errors = []
    for says_one in product((0.0, 1.0), repeat=k):  # at which outputs the guess is X1
        guess = np.array(says_one)
        cost = np.hstack([(1 - prior) * guess, prior * (1 - guess), nothing, nothing])
        found = linprog(cost, A_ub=above, b_ub=[0.0] * (2 * k) + [delta] * 2, A_eq=equal, b_eq=[1.0, 1.0])
        assert found.status == 0
        errors.append(found.fun)
    return float(min(errors))


@pytest.mark.parametrize("epsilon", ["0", "0.3", "1", "3"])
@pytest.mark.parametrize("delta", ["0", "0.01", "0.3"])
def test_the_best_guess_is_that_of_a_linear_programme(epsilon: str, delta: str) -> None:
    statement = private(Fraction(epsilon), Fraction(delta))
    for prior in ("0.05", "0.3", "0.5", "0.8"):
        found = least_error(float(epsilon), float(delta), float(prior))
        assert float(wrong_guess(statement, prior).lo) == pytest.approx(found, abs=1e-9)


@given(epsilons, deltas, priors)
def test_randomized_response_attains_it(epsilon: Fraction, delta: Fraction, prior: Fraction) -> None:
    found = wrong_guess(private(epsilon, delta), prior)
    lie = 1 / (1 + math.exp(epsilon))
    attained = (1 - float(delta)) * min(lie, float(prior), 1 - float(prior))
    assert float(found.lo) == pytest.approx(attained, rel=1e-12)
    assert found.lo <= found.hi <= found.lo * (1 + Fraction(1, 2**50))


@given(epsilons, deltas, priors)
def test_a_suspicion_grows_by_the_odds(epsilon: Fraction, delta: Fraction, prior: Fraction) -> None:
    after = grown_suspicion(private(epsilon, delta), prior)
    assert prior <= after.lo <= after.hi <= 1
    factor = math.exp(epsilon) * (1.1 if delta else 1)
    assert float(meaning(private(epsilon, delta)).odds_factor.hi) == pytest.approx(factor, rel=1e-12)
    odds = float(prior) / (1 - float(prior)) * factor
    assert float(after.hi) == pytest.approx(odds / (1 + odds), rel=1e-12)


@given(epsilons, deltas)
def test_more_privacy_never_means_a_better_guess(epsilon: Fraction, delta: Fraction) -> None:
    weaker, stronger = meaning(private(epsilon + 1, delta)), meaning(private(epsilon, delta))
    assert stronger.best_guess.hi < weaker.best_guess.lo
    assert Fraction(1, 2) <= stronger.best_guess.lo
    assert stronger.best_guess.hi + stronger.wrong_at_least.lo == 1
    for more, less in zip(weaker.suspicions, stronger.suspicions, strict=True):
        assert less.after_at_most.hi < more.after_at_most.lo


laws = st.lists(st.integers(0, 30), min_size=2, max_size=5)


@given(laws, laws, st.fractions(1, 5, max_denominator=10))
def test_every_pair_of_laws_is_a_mixture_as_with_the_coin(left: list[int], right: list[int], grow: Fraction) -> None:
    """With e^epsilon rational everything is exact: the decomposition of the proof, step by step."""
    size = min(len(left), len(right))
    if not sum(left[:size]) or not sum(right[:size]):
        return
    p = [Fraction(x, sum(left[:size])) for x in left[:size]]
    q = [Fraction(x, sum(right[:size])) for x in right[:size]]
    delta = max(sum(max(a - grow * b, 0) for a, b in zip(*pair, strict=True)) for pair in ((p, q), (q, p)))
    s = [min(a, grow * b) for a, b in zip(p, q, strict=True)]
    t = [min(b, grow * a) for a, b in zip(p, q, strict=True)]
    if sum(s) < sum(t):
        s, t, p, q = t, s, q, p
    if delta == 1:
        return
    goal, far = sum(t), sum(t) / grow
    share = Fraction(0) if sum(s) == goal else (sum(s) - goal) / (sum(s) - far)
    assert 0 <= share <= 1
    s = [(1 - share) * a + share * b / grow for a, b in zip(s, t, strict=True)]
    assert sum(s) == sum(t) == 1 - delta
    for a, b, most_a, most_b in zip(s, t, p, q, strict=True):
        assert a <= grow * b
        assert b <= grow * a
        assert 0 <= a <= most_a
        assert 0 <= b <= most_b


@given(laws, laws, st.fractions(1, 5, max_denominator=10))
def test_odds_of_every_pair_of_laws_have_the_tail_of_part_b(left: list[int], right: list[int], grow: Fraction) -> None:
    """Exact for every factor at once, whichever law is true."""
    size = min(len(left), len(right))
    if not sum(left[:size]) or not sum(right[:size]):
        return
    p = [Fraction(x, sum(left[:size])) for x in left[:size]]
    q = [Fraction(x, sum(right[:size])) for x in right[:size]]
    delta = max(sum(max(a - grow * b, 0) for a, b in zip(*pair, strict=True)) for pair in ((p, q), (q, p)))
    for wider in (Fraction(101, 100), Fraction(11, 10), Fraction(2)):
        far = [i for i in range(size) if q[i] > wider * grow * p[i]]
        for true in (p, q):
            assert sum(true[i] for i in far) <= delta / (1 - 1 / wider)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
@pytest.mark.parametrize("delta", ["0.000001", "0.000000001"])
def test_gaussian_noise_keeps_to_the_exception_and_not_to_delta(epsilon: str, delta: str) -> None:
    found = meaning(private(Fraction(epsilon), Fraction(delta)))
    assert found.exception == 11 * Fraction(delta)
    assert gaussian_tail(epsilon, delta, "1.1") < found.exception * (1 - Fraction(1, 10**9))
    assert gaussian_tail(epsilon, delta, "1") > 6 * Fraction(delta)  # e^epsilon but for delta would be false


def test_the_exception_is_none_without_a_delta_and_never_above_one() -> None:
    assert meaning(private(1)).exception == 0
    assert meaning(private(1, Fraction(1, 2))).exception == 1


@pytest.mark.parametrize("mu", ["0.1", "0.5", "2"])
def test_gaussian_noise_is_bounded_by_its_own_law(mu: str) -> None:
    noise = GaussianDP(mu_squared=Fraction(mu) ** 2, adjacency=REPLACE)
    found = meaning(private(100), noise)
    shift = float(mu)

    def most(x: float) -> float:
        return max(math.exp(-(x**2) / 2), math.exp(-((x - shift) ** 2) / 2)) / math.sqrt(2 * math.pi) / 2

    assert float(found.best_guess.hi) == pytest.approx(quad(most, -30, 30, points=[shift / 2])[0], abs=1e-9)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=4), st.lists(st.floats(0.01, 1), min_size=2, max_size=4))
def test_concentrated_noise_is_bounded_by_divergences(left: list[float], right: list[float]) -> None:
    size = min(len(left), len(right))
    p = np.array(left[:size]) / sum(left[:size])
    q = np.array(right[:size]) / sum(right[:size])
    rho = max(float(np.sum(a * np.log(a / b))) for a, b in ((p, q), (q, p)))
    if rho < 1e-9:
        return
    statement = ZCDP(rho=Enclosure.of(Fraction(rho)), adjacency=REPLACE)
    distance = float(np.abs(p - q).sum()) / 2
    assert (1 + distance) / 2 <= float(meaning(private(1000), statement).best_guess.hi) + 1e-12


def test_what_is_known_besides_can_only_help() -> None:
    alone = meaning(private(1, Fraction(1, 10**6)))
    for mu_squared in ("1/100", "4"):
        both = meaning(private(1, Fraction(1, 10**6)), GaussianDP(mu_squared=Fraction(mu_squared), adjacency=REPLACE))
        assert both.best_guess.hi <= alone.best_guess.hi
        assert both.suspicions == alone.suspicions
    with pytest.raises(UsageError, match="adjacency"):
        meaning(private(1), GaussianDP(mu_squared=Fraction(1), adjacency=Adjacency.ADD_REMOVE))


def test_a_record_is_replaced_in_two_steps() -> None:
    found = meaning(private(1, Fraction(1, 100), Adjacency.ADD_REMOVE)).replaced_delta
    assert float(found.hi) == pytest.approx((1 + math.e) / 100, rel=1e-12)
    assert meaning(private(1)).replaced_delta == Enclosure.of(0)


def test_ends_of_the_range() -> None:
    nothing = meaning(private(0))
    assert nothing.best_guess == Enclosure.of(Fraction(1, 2))
    assert [s.after_at_most for s in nothing.suspicions] == [Enclosure.of(before) for before in SUSPICIONS]
    assert meaning(private(MOST_EPSILON)).best_guess.hi < 1
    with pytest.raises(ParameterError, match="epsilon = 1001"):
        meaning(private(MOST_EPSILON + 1))
    for prior in ("0", "1", "-1/2", "2"):
        with pytest.raises(ParameterError, match="prior"):
            wrong_guess(private(1), prior)


def test_enclosed_numbers_count_at_their_upper_ends() -> None:
    wide = DP(
        epsilon=Enclosure(Fraction(1), Fraction(2)), delta=Enclosure(Fraction(0), Fraction(1, 10)), adjacency=REPLACE
    )
    assert meaning(wide).best_guess == meaning(private(2, Fraction(1, 10))).best_guess
