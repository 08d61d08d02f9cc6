"""Claims of bojkovic2024 that do not hold as printed, each with a counterexample that can be checked alone."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import pytest
from flint import arb, fmpq

import synthbounds as sb
from bounds.enclosure import Enclosure, precision
from bounds.renyi import infinite_kappa_probability


def test_lemma_a1_the_harmonic_sum_exceeds_the_logarithm() -> None:
    """Its proof bounds H_n by log n, which fails for every n; E_n itself is at most log n exactly from n = 5 on."""
    harmonic, mean = Fraction(0), Fraction(0)
    means = []
    for n in range(1, 200):
        harmonic += Fraction(1, n)
        mean += Fraction(1, n) * (1 - Fraction(1, 2**n))
        means.append(mean)
        with precision(128):
            logarithm = arb(n).log()
            assert arb(fmpq(harmonic.numerator, harmonic.denominator)) > logarithm
            assert (arb(fmpq(mean.numerator, mean.denominator)) <= logarithm) == (n >= 5)
    assert means[:5] == [Fraction(1, 2), Fraction(7, 8), Fraction(7, 6), Fraction(269, 192), Fraction(1531, 960)]


def test_theorem_a5_fails_without_the_square_root() -> None:
    """Uniform on 10 points, 100 draws: P(L1 >= 0.32) exactly, against the bound as printed."""
    cells, draws, least = 10, 100, 32
    # ways[i][d]: sum over counts of the cells so far with total i and absolute deviations d of 1/prod(count!)
    ways: dict[tuple[int, int], Fraction] = {(0, 0): Fraction(1)}
    for _ in range(cells):
        longer: dict[tuple[int, int], Fraction] = {}
        for (used, deviation), weight in ways.items():
            for count in range(draws - used + 1):
                key = (used + count, min(least, deviation + abs(count - draws // cells)))
                longer[key] = longer.get(key, Fraction(0)) + weight / factorial(count)
        ways = longer
    exact = ways[draws, least] * factorial(draws) / Fraction(cells) ** draws
    assert float(exact) == pytest.approx(0.1172571162, abs=1e-10)
    bounds = {r.edition: r.value for r in sb.evaluate("bojkovic2024.empirical-tv", count=10, n=100, deviation=".32")}
    assert bounds["printed"] is not None
    assert bounds["printed"].hi < exact
    assert bounds["corrected"] is not None
    assert exact < bounds["corrected"].lo
    assert bounds["sharp"] is not None
    assert exact < bounds["sharp"].lo <= bounds["corrected"].lo


def test_theorem_iii_1_does_not_bound_kappa() -> None:
    """All its conditions hold at n = 460,518, it claims K = 1.021..., and kappa is infinite almost surely."""
    answer = sb.require(
        measure="histogram", edition="printed", theorem="bojkovic2024.histogram",
        p=5, queries=1, epsilon="0.0001", delta=".1", gamma=".1", tau1="1/32", tau2="1/32",
    )  # fmt: skip
    assert answer.n == 460518
    assert answer.renyi_bound is not None
    assert answer.renyi_bound.decimal(11) == ("1.0210355641", "1.0210355642")
    infinite = infinite_kappa_probability([Fraction(1, 32)] * 32, answer.n, Fraction(1, 10**4))
    assert infinite.exact
    assert infinite.lower.lo > Fraction(9998, 10000)
    allowed = answer.guarantee.failure_probability.hi
    assert allowed < infinite.lower.lo


@pytest.mark.parametrize(
    ("cells", "draws", "value"), [(4, 400, 1.265911e-4), (8, 4096, 1.495939e-12), (2, 1000, 0.025225018)]
)
def test_the_chernoff_step_of_theorem_iii_1_fails(cells: int, draws: int, value: float) -> None:
    """For uniform nu every frequency is at most tau2 only if all counts are equal: the mode of a multinomial."""
    ways = factorial(draws) // factorial(draws // cells) ** cells
    assert float(Fraction(ways, cells**draws)) == pytest.approx(value, rel=1e-6)


def test_corollary_iii_1_1_second_condition_is_not_the_substitution() -> None:
    """Too small exactly where |F| > delta e^(1/gamma), in the paper's own setting from p = 7 on."""
    for p in range(2, 11):
        question = {"p": p, "degree": 2, "epsilon": ".2", "delta": ".5", "gamma": ".25", "edition": "printed"}
        corollary = sb.require(measure="histogram", **question)  # type: ignore[arg-type]
        share = f"1/{2**p}"
        theorem = sb.require(measure="histogram", tau1=share, tau2=share, **question)  # type: ignore[arg-type]
        printed, substituted = corollary.terms[1].threshold, theorem.terms[1].threshold
        assert (printed.hi < substituted.lo) == (p >= 7)
        assert (printed.lo > substituted.hi) == (p < 7)


@pytest.mark.parametrize(("p", "value"), [(1, "0.4995709397"), (2, "0.2495711238"), (3, "0.1246784808")])
def test_theorem_iv_1_the_kernel_estimate_loses_mass_at_a_corner(p: int, value: str) -> None:
    """For uniform nu and h = 0.3 the mean of the estimate at a corner is (Phi(1/h) - 1/2)^p, not near 1."""
    with precision(128):
        tail = (arb(10) / 3 / arb(2).sqrt()).erf() / 2
        low, high = Enclosure.of(tail**p).decimal(10)
    assert float(low) == pytest.approx(float(value), abs=2e-10)
    assert float(high) < 2 / 3


@pytest.mark.parametrize("p", [1, 4, 9, 20])
@pytest.mark.parametrize("gamma", ["1e-9", ".05", ".25"])
@pytest.mark.parametrize("delta", ["1e-4", ".5"])
def test_theorem_b1_asks_for_more_points_than_the_domain_has(p: int, gamma: str, delta: str) -> None:
    answer = sb.require(edition="printed", p=p, degree=1, epsilon=1, delta=delta, gamma=gamma)
    assert answer.m is not None
    assert answer.m >= 16 * 2**p * comb(p + 1, 1)
