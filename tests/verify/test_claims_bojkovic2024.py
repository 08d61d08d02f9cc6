"""Numbers on which verdicts against bojkovic2024 rest, recomputed by other means than the claims use."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, log, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import chisquare, norm

import synthbounds as sb
from bounds.renyi import infinite_kappa_probability
from verify.claims.bojkovic2024_applications import coverage
from verify.claims.bojkovic2024_histogram_noise import noise_below
from verify.claims.bojkovic2024_histogram_steps import quotient
from verify.claims.bojkovic2024_inference import (
    TURNS,
    exceeded,
    inverse_entry,
    is_lasso_minimiser,
    is_sine_at_most,
    remaining,
    statistic,
)
from verify.claims.bojkovic2024_lemma_steps import power_sum, small_tables, total_variation
from verify.claims.bojkovic2024_perturbed_histogram import all_emptied
from verify.claims.bojkovic2024_private_lp import error_coefficient, marginal_rank, single_query_coefficient
from verify.claims.bojkovic2024_table import first_saving
from verify.claims.bojkovic2024_theorems import C_ONE, DELTA, EPSILON, GAMMA, TAU, printed_sizes
from verify.ledger import all_claims


def rests_on(name: str) -> set[str]:
    """All claims that one rests on, directly or not."""
    claims = {claim.id: claim for claim in all_claims()}
    found: set[str] = set()
    waiting = [f"bojkovic2024.{name}"]
    while waiting:
        new = set(claims[waiting.pop()].depends_on) - found
        found |= new
        waiting += new
    return found


@pytest.mark.parametrize(
    ("name", "fallen"),
    [
        ("III1.theorem", "C.noise-scale"),
        ("III11.corollary", "C.noise-scale"),
        ("IV1.theorem", "IV1.uniform-error"),
        ("IV11.corollary", "IV1.uniform-error"),
        ("IV1.two-epsilon", "Alg3.scale"),
    ],
)
def test_what_falls_is_behind_every_open_theorem(name: str, fallen: str) -> None:
    assert f"bojkovic2024.{fallen}" in rests_on(name)


def test_the_theorem_that_holds_rests_on_nothing_that_fell() -> None:
    against = {claim.id for claim in all_claims() if claim.is_against}
    assert rests_on("B1.theorem")
    assert not rests_on("B1.theorem") & against


def test_the_counterexample_has_the_sizes_of_theorem_iv_1() -> None:
    answer = sb.require(
        theorem="bojkovic2024.kde", edition="printed", p=1, queries=1, lipschitz=0,
        tau=TAU, epsilon=EPSILON, delta=DELTA, gamma=GAMMA,
    )  # fmt: skip
    assert printed_sizes() == (answer.n, answer.m) == (331, 4375)
    assert Fraction(19, 8) == C_ONE


@pytest.mark.parametrize(("degree", "most"), [(5, 1.04), (100, 1.004), (1000, 1.0004)])
def test_half_of_the_density_at_the_faces_costs_little(degree: int, most: float) -> None:
    """Of the uniform density on [0, 1] the coefficients at both ends tend to 1/2, all others to 1."""
    w = lambda x: 1 - (x**degree + (1 - x) ** degree) / 2  # noqa: E731
    inverse, mass = (quad(f, 0, 1, points=[0.01, 0.99])[0] for f in (lambda x: 1 / w(x), w))
    assert 1 < inverse * mass < most


@pytest.mark.parametrize(("quantile", "valid"), [("1.96", False), (None, False), ("4", True)])
def test_a_larger_constant_makes_the_naive_interval_valid(quantile: str | None, valid: bool) -> None:
    edge, rate = norm.ppf(0.975) if quantile is None else float(quantile), sqrt(log(20))
    density = lambda x: rate * exp(-rate * x) * (norm.cdf(edge - 2 * x) - norm.cdf(-edge - 2 * x))  # noqa: E731
    value, _ = quad(density, 0, 30, points=[1, 3])
    found = coverage(Fraction(1, 20), quantile=None if quantile is None else Fraction(quantile))
    assert float(found.lo) == pytest.approx(value, abs=1e-8)
    assert (found.lo > Fraction(19, 20)) == valid


@pytest.mark.parametrize(("gamma", "count"), [("1/20", 1), ("1/20", 56), ("1/5", 1), ("1/100", 10**6)])
def test_coverage_of_the_naive_interval(gamma: str, count: int) -> None:
    rate = sqrt(log(count / float(Fraction(gamma))))
    density = lambda x: rate * exp(-rate * x) * (norm.cdf(1.96 - 2 * x) - norm.cdf(-1.96 - 2 * x))  # noqa: E731
    value, _ = quad(density, 0, 30, points=[1, 3])
    assert float(coverage(Fraction(gamma), count).lo) == pytest.approx(value, abs=1e-8)


def test_the_naive_interval_recovers_with_many_queries() -> None:
    assert coverage(Fraction(1, 20), 10**300).lo > coverage(Fraction(1, 20), 10**6).hi > coverage(Fraction(1, 20)).hi


def test_noise_on_counts_exceeds_the_printed_level() -> None:
    level = 0.5 * log(4) / (0.2 * log(4 / 0.2))
    assert float(noise_below(2, Fraction(1, 5), Fraction(1, 2), Fraction(1, 5)).hi) == pytest.approx(
        (1 - exp(-level / 10)) ** 4, rel=1e-9
    )
    # with epsilon so large that 2/epsilon is sigma the lemma applies, and the level is kept
    assert noise_below(4, Fraction(100), Fraction(1, 2), Fraction(1, 5)).lo > Fraction(4, 5)


@pytest.mark.parametrize(("epsilon", "exceeded"), [("1e-3", True), ("1e-2", False), ("0.2", False)])
def test_the_condition_number_fails_its_bound_for_small_epsilon_only(epsilon: str, exceeded: bool) -> None:
    share = Fraction(1, 4)
    answer = sb.require(
        theorem="bojkovic2024.histogram", edition="printed", p=2, queries=1,
        epsilon=epsilon, delta=".5", gamma=".01", tau1=share, tau2=share,
    )  # fmt: skip
    infinite = infinite_kappa_probability([share] * 4, answer.n, Fraction(epsilon)).lower
    assert (infinite.lo > Fraction(3, 100)) == exceeded
    if exceeded:
        assert float(infinite.lo) == pytest.approx(0.0791127, abs=1e-7)


def test_all_cells_emptied_does_not_depend_on_the_counts() -> None:
    assert float(all_emptied((3, 4, 5), Fraction(1)).lo) == pytest.approx(exp(-6) / 8)
    assert float(all_emptied((12, 0, 0), Fraction(1)).lo) == pytest.approx(exp(-6) / 8)


@pytest.mark.parametrize(("beta", "order", "value"), [("2/3", 4, "57/8"), ("2/3", 3, "15/4"), ("1/2", 4, "14")])
def test_constants_of_equation_10(beta: str, order: int, value: str) -> None:
    assert quotient(Fraction(beta), order) == Fraction(value)


@pytest.mark.parametrize(("queries", "value"), [(1, 8.292529), (2, 7.715476), (56, 7.021888), (10**4, 6.919568)])
def test_error_coefficients(queries: int, value: float) -> None:
    assert float(error_coefficient(queries, Fraction(1, 4)).lo) == pytest.approx(value, abs=1e-6)


def test_a_single_query_reaches_eight_delta_at_a_quarter() -> None:
    assert float(single_query_coefficient(Fraction(1, 4)).hi) == pytest.approx(8, abs=1e-12)
    assert single_query_coefficient(Fraction(1, 3)).lo > 8


@pytest.mark.parametrize(("p", "t", "degree"), [(2, 4, 1), (3, 2, 3), (2, 3, 2)])
def test_rank_of_marginals(p: int, t: int, degree: int) -> None:
    assert marginal_rank(p, t, degree) == sum(comb(p, s) * (t - 1) ** s for s in range(degree + 1))


def test_storage_saves_nothing_for_few_queries() -> None:
    assert first_saving(Fraction(1, 2), Fraction(1, 4)) == 19


def test_small_tables_are_distributions() -> None:
    tables = small_tables(3, 5)
    assert len(tables) == 6
    assert all(sum(table) == 1 and min(table) > 0 for table in tables)
    assert power_sum(tables[0], tables[0], 4) == 1
    assert total_variation(tables[0], tables[0]) == 0


# Section V-A


@pytest.mark.parametrize("radius", ["1/10", "2/5", "1/2", "3/5", "2"])
@pytest.mark.parametrize("turn", TURNS[::3])
def test_angles_are_decided_as_eigenvectors_say(radius: str, turn: tuple[Fraction, Fraction]) -> None:
    r, (c, s) = float(Fraction(radius)), map(float, turn)
    _, vectors = np.linalg.eigh(np.diag([1.0, 0.0]) + r * np.array([[c, s], [s, -c]]))
    sine = abs(vectors[1, 1])
    for near in (Fraction(999, 1000), Fraction(1001, 1000)):
        bound = Fraction(round(sine * 10**9), 10**9) * near
        if 1e-6 < sine < 1 - 1e-6:
            assert is_sine_at_most(Fraction(1), Fraction(radius), turn, bound) == (near > 1)


def test_the_statistic_is_that_of_pearson() -> None:
    expected = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    found = statistic((Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)), expected)
    assert float(found) == pytest.approx(chisquare([3, 3, 6], [6, 4, 2]).statistic / 12)


@pytest.mark.parametrize("error", ["0", "1/12", "1/3"])
def test_errors_are_taken_off_every_deviation(error: str) -> None:
    shares, expected = (
        (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)),
        (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),
    )
    away = np.clip(abs(np.array(shares, float) - np.array(expected, float)) - float(Fraction(error)), 0, None)
    found = remaining(shares, expected, Fraction(error))
    assert float(found) == pytest.approx(away @ (away / np.array(expected, float)), abs=1e-15)


def test_an_entry_of_an_inverse() -> None:
    assert float(inverse_entry(Fraction(1, 8))) == pytest.approx(np.linalg.inv([[1, 1 / 8], [1 / 8, 1]])[0, 1])


@pytest.mark.parametrize("entries", [100, 10**6])
def test_how_often_a_normal_entry_is_cut(entries: int) -> None:
    found = exceeded(entries, Fraction(1, 20))
    assert float(found.hi) == pytest.approx(2 * entries * norm.sf(sqrt(2 * log(entries * 20))), rel=1e-9)


@pytest.mark.parametrize(("first", "second", "place"), [(1.0, 1.1, 0), (1.1, 1.0, 1)])
def test_where_a_lasso_problem_is_least(first: float, second: float, place: int) -> None:
    matrix = np.array([[first, 1.0], [1.0, second]])

    def objective(x: np.ndarray) -> float:  # the positive and the negative part of every coefficient
        b = x[:2] - x[2:]
        return float(b @ matrix @ b / 2 - b.sum() + x.sum() / 2)

    x = minimize(objective, np.full(4, 0.2), bounds=[(0, None)] * 4, tol=1e-12).x
    assert (x[:2] - x[2:])[place] == pytest.approx(0.5, abs=1e-3)
    diagonal = Fraction(first).limit_denominator(10), Fraction(second).limit_denominator(10)
    assert is_lasso_minimiser(diagonal, Fraction(1, 2), place)
    assert not is_lasso_minimiser(diagonal, Fraction(1, 2), 1 - place)


@pytest.mark.parametrize(
    ("claim", "part"),
    [
        ("order", "add up to 5.6742 delta"),
        ("chi-square", "in all of 559 cases"),
        ("unbounded", "with probability at most 0.00669148"),
        ("grid", "10240000000000 points"),
        ("grid", "needs 1.349e16 records"),
        ("lasso", "more than 5.545 records per query"),
    ],
)
def test_numbers_of_section_v(claim: str, part: str) -> None:
    found = next(one for one in all_claims() if one.id == f"bojkovic2024.VA.{claim}")
    assert part in found.check().text
